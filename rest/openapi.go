package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

const about = `The data of an accounting backoffice: financial years, checklists, transcripts, customers and their relations, documents, calculations, labels and users. The same data and rules are at ` + "`POST /graphql`" + `.

Every request needs a credential in the headers ` + "`x-client-id`" + ` and ` + "`x-client-secret`" + `. Lists are paged. Errors are problem details (RFC 9457) and never repeat a value of the request. A request that reads or searches registration numbers can state its purpose in the header ` + "`x-access-purpose`" + `: at most 200 characters, no run of 9 or more digits and no registration number, in any notation.`

// describe returns the part of the OpenAPI document that is about no single operation.
func (a *API) describe() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[backoffice.Instant](), reflect.TypeFor[time.Time]())
	var tags []*huma.Tag
	for _, part := range parts {
		tags = append(tags, &huma.Tag{Name: part.tag, Description: part.about})
	}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Backoffice", Version: "1.0.0", Description: about,
				Contact: &huma.Contact{Name: "The operator of this server"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:    tags,
			Components: &huma.Components{Schemas: schemas, SecuritySchemes: map[string]*huma.SecurityScheme{
				"clientId": {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientIDHeader),
					Description: "The credential's client id."},
				"clientSecret": {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientSecretHeader),
					Description: "The credential's secret."},
				"accessToken": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "A person's access token, instead of a credential, on servers where people sign in with OpenID Connect."},
			}},
			Security: []map[string][]string{{"clientId": {}, "clientSecret": {}}, {"accessToken": {}}},
		},
		Formats:       map[string]huma.Format{mediaJSON: jsonFormat, mediaProblem: jsonFormat},
		DefaultFormat: mediaJSON,
	}
}

// finishDescription completes the document that huma made.
func (a *API) finishDescription() {
	document := a.huma.OpenAPI()
	incoming := map[string]bool{}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			for _, p := range op.Parameters {
				if p.In == "query" {
					p.Schema.Nullable = false // a query has no null
				}
			}
			describeErrors(op)
			if slices.Contains(op.Tags, tagCustomers) {
				op.Parameters = append(op.Parameters, purposeParameter)
			}
			if op.RequestBody != nil && !uploads(op) {
				incoming[op.RequestBody.Content[mediaJSON].Schema.Ref] = true
			}
		}
	}
	for name, s := range document.Components.Schemas.Map() {
		if !incoming["#/components/schemas/"+name] {
			s.AdditionalProperties = nil // answers may get more fields; requests may not
		}
		for _, property := range s.Properties {
			if property.Nullable && len(property.Enum) > 0 {
				property.Enum = append(property.Enum, nil) // else the enum would exclude what the type allows
			}
		}
	}
}

// purposeParameter is a header of every request, documented where registration numbers are.
var purposeParameter = &huma.Param{
	Name: "x-access-purpose", In: "header",
	Description: "The purpose of consulting registration numbers, for the register of consultations: at most 200 characters, no run of 9 or more digits and no registration number, in any notation.",
	Schema:      &huma.Schema{Type: huma.TypeString, MaxLength: new(200)},
}

const (
	tooMuchAsked = "The credential's cost budget is exhausted, this client had too many failed sign-ins, or too many streams or uploads are open. Retry-After is when to retry."
	tooMuchToDo  = "The server is overloaded, or cannot reach the store. Retry-After is when to retry."
)

// The headers that report what is left of a credential's budget.
var (
	retryAfterHeader = &huma.Header{Description: "The seconds to wait before retrying.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0)}}
	rateLimitHeader = &huma.Header{
		Description: "With a budget: how much of it is left (r), and the seconds until it is full again (t).", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"cost";r=99122;t=1`}},
	}
	rateLimitPolicyHeader = &huma.Header{
		Description: "With a budget: its size (q), and the seconds in which an empty one refills (w).",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{`"cost";q=100000;w=50`}},
	}
)

var problemContent = map[string]*huma.MediaType{
	mediaProblem: {Schema: &huma.Schema{Ref: "#/components/schemas/Problem"}}}

// describeErrors adds the problems that an operation can answer with.
func describeErrors(op *huma.Operation) {
	in := map[string]bool{}
	for _, p := range op.Parameters {
		in[p.In], in[p.Name] = true, true
	}
	body := op.RequestBody != nil
	for _, described := range []struct {
		status      int
		occurs      bool
		description string
	}{
		{http.StatusBadRequest, true, "The request is malformed, or a parameter is unknown or out of range."},
		{http.StatusUnauthorized, !signs(op), "No valid credential."},
		{http.StatusUnauthorized, signs(op), "The path's signature is not valid for this, or has expired."},
		{http.StatusForbidden, strings.Contains(op.Description, "Needs the scope") || in["registrationNumber"] || body,
			"The credential lacks the scope in requiredScope."},
		{http.StatusNotFound, in["path"] || in["Idempotency-Key"] || op.OperationID == "getCurrentFinancialYear",
			"Not found."},
		{http.StatusConflict, body && op.OperationID != "searchCustomers",
			"Another object already has this value, or the financial year is archived."},
		{http.StatusNotAcceptable, answersJSON(op), "Accept does not allow the answer's media type."},
		{http.StatusRequestedRangeNotSatisfiable, op.Responses["206"] != nil,
			"The requested range is outside the file."},
		{http.StatusPreconditionFailed, in["If-Match"] || op.Responses["206"] != nil, "If-Match has another tag."},
		{http.StatusRequestEntityTooLarge, body, "The body is too large."},
		{http.StatusUnsupportedMediaType, body, "The body has another media type, or is encoded."},
		{http.StatusTooManyRequests, true, tooMuchAsked},
		{http.StatusServiceUnavailable, true, tooMuchToDo},
		{http.StatusUnprocessableEntity, body,
			"A field is missing, invalid, not allowed here, or refers to an unknown object."},
	} {
		status := strconv.Itoa(described.status)
		if described.occurs && (op.Responses[status] == nil ||
			described.status != http.StatusTooManyRequests && described.status != http.StatusBadRequest) {
			op.Responses[status] = &huma.Response{Description: described.description, Content: problemContent}
		}
	}
	if in["If-None-Match"] && op.Responses["304"] == nil {
		op.Responses["304"] = &huma.Response{Description: "The caller already has this version (If-None-Match)."}
	}
	describeBudgets(op)
	op.Responses["default"] = &huma.Response{Description: "Any other problem.", Content: problemContent}
}

func answersJSON(op *huma.Operation) bool {
	answers := slices.Collect(maps.Values(op.Responses))
	return slices.ContainsFunc(answers, func(r *huma.Response) bool { return r.Content[mediaJSON] != nil })
}

func describeBudgets(op *huma.Operation) {
	for status, response := range op.Responses {
		if response.Headers == nil {
			response.Headers = map[string]*huma.Header{}
		}
		if status == "429" || status == "503" {
			response.Headers["Retry-After"] = retryAfterHeader
		}
		response.Headers["RateLimit"], response.Headers["RateLimit-Policy"] = rateLimitHeader, rateLimitPolicyHeader
	}
}
