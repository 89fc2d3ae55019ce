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

Every request carries a credential pair in the headers ` + "`x-client-id`" + ` and ` + "`x-client-secret`" + `. Lists come in pages; errors are problem details (RFC 9457) that never repeat a value of the request. A pair that reads or searches registration numbers may state why in the header ` + "`x-access-purpose`" + `: at most 200 characters, no run of 9 or more digits and no registration number, however it is written.`

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
				Contact: &huma.Contact{Name: "Whoever runs this server"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:    tags,
			Components: &huma.Components{Schemas: schemas, SecuritySchemes: map[string]*huma.SecurityScheme{
				"clientId": {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientIDHeader),
					Description: "The credential pair's client id."},
				"clientSecret": {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientSecretHeader),
					Description: "The credential pair's secret."},
				"accessToken": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The access token of a person, in place of a pair, on servers where people sign in by OpenID Connect."},
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
	Description: "Why registration numbers are consulted, for the register of consultations: at most 200 characters, no run of 9 or more digits and no registration number, however it is written.",
	Schema:      &huma.Schema{Type: huma.TypeString, MaxLength: new(200)},
}

const (
	tooMuchAsked = "The pair's budget of cost is spent, this client had too many failed sign-ins, or too many streams or uploads are open; Retry-After says when to come back."
	tooMuchToDo  = "There is too much to do, or the store cannot be reached; Retry-After says when to come back."
)

// The headers that report what is left of a credential's budget.
var (
	retryAfterHeader = &huma.Header{Description: "After how many seconds to come back.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: new(1.0)}}
	rateLimitHeader = &huma.Header{
		Description: "With a budget: what the pair has left of it (r), and in how many seconds it has all of it again (t).", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{`"cost";r=99122;t=1`}},
	}
	rateLimitPolicyHeader = &huma.Header{
		Description: "With a budget: all of it (q), and in how many seconds an empty one is whole (w).",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{`"cost";q=100000;w=50`}},
	}
)

// describeErrors adds the problems that an operation can answer with.
func describeErrors(op *huma.Operation) {
	content := map[string]*huma.MediaType{mediaProblem: {Schema: &huma.Schema{Ref: "#/components/schemas/Problem"}}}
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
		{http.StatusBadRequest, true, "The request is malformed, or has a parameter that is unknown or out of range."},
		{http.StatusUnauthorized, !signs(op), "No valid credential pair."},
		{http.StatusUnauthorized, signs(op), "The path is not signed for this, or not any more."},
		{http.StatusForbidden, strings.Contains(op.Description, "Needs the scope") || in["registrationNumber"] || body,
			"The pair lacks the scope that requiredScope names."},
		{http.StatusNotFound, in["path"] || in["Idempotency-Key"] || op.OperationID == "getCurrentFinancialYear",
			"There is no such thing."},
		{http.StatusConflict, body && op.OperationID != "searchCustomers",
			"Something else has this value already, or the financial year is archived."},
		{http.StatusNotAcceptable, answersJSON(op), "The answer is application/json, which Accept does not take."},
		{http.StatusRequestedRangeNotSatisfiable, op.Responses["206"] != nil,
			"The file has nothing of what Range asks for."},
		{http.StatusPreconditionFailed, in["If-Match"], "The object was changed since the version in If-Match."},
		{http.StatusRequestEntityTooLarge, body, "The body is too large."},
		{http.StatusUnsupportedMediaType, body && !uploads(op), "The body is not application/json."},
		{http.StatusTooManyRequests, true, tooMuchAsked},
		{http.StatusServiceUnavailable, true, tooMuchToDo},
		{http.StatusUnprocessableEntity, body,
			"A field is missing, invalid, refers to nothing or is not allowed here."},
	} {
		status := strconv.Itoa(described.status)
		if described.occurs && (op.Responses[status] == nil ||
			described.status != http.StatusTooManyRequests && described.status != http.StatusBadRequest) {
			op.Responses[status] = &huma.Response{Description: described.description, Content: content}
		}
	}
	if in["If-None-Match"] && op.Responses["304"] == nil {
		op.Responses["304"] = &huma.Response{Description: "The caller has this version already (If-None-Match)."}
	}
	describeBudgets(op)
	op.Responses["default"] = &huma.Response{Description: "Any other problem.", Content: content}
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
