package gateway_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth/people"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// The rows and the columns of the matrix are looked up where they come from: routes, the OpenAPI document, the schema;
// the command line, the map of people, what a credential has. What is new there is in the matrix, or the test fails.

// noColumn are commands and flags that change the rights of nobody who is there, each with the reason.
var noColumn = map[string]string{
	"credentials create": "the credential is new", "credentials list": "it looks", "credentials rotate --json": "how it is printed",
}

var commandLine = regexp.MustCompile(`(?m)^  credentials \(creds\) (\S+)`)

// changesOfRights are those that there are.
func changesOfRights(t *testing.T) (all []string) {
	t.Helper()
	common := gatewaytest.WordsIn(gatewaytest.FlagLine, gatewaytest.Help(t, "version"))
	for _, name := range gatewaytest.WordsIn(commandLine, gatewaytest.Help(t, "credentials")) {
		command, bare := "credentials "+name, true
		if noColumn[command] != "" {
			continue
		}
		for _, flag := range gatewaytest.WordsIn(gatewaytest.FlagLine, gatewaytest.Help(t, "credentials", name)) {
			if !slices.Contains(common, flag) {
				bare = false
				all = append(all, command+" --"+flag)
			}
		}
		if bare {
			all = append(all, command)
		}
	}
	for _, text := range []string{`{"x": 1}`, `{"rules": [{"x": 1}]}`} {
		_, err := people.ParseMap([]byte(text))
		_, members, found := strings.Cut(err.Error(), "the members are ")
		if !found {
			t.Fatal(err)
		}
		all = append(all, strings.Split(members, ", ")...)
	}
	return append(all, tokenEnds)
}

// beyond are columns that are none of those: what is done so and changes nothing.
var beyond = []string{"another's", "credentials rotate"}

func withoutColumn(found []string, of map[string]*column) (missing, stray []string) {
	for _, name := range found {
		if of[name] == nil && noColumn[name] == "" {
			missing = append(missing, name)
		}
	}
	for name := range of {
		if !slices.Contains(found, name) && !slices.Contains(beyond, name) {
			stray = append(stray, name)
		}
	}
	return missing, stray
}

func TestEachChangeOfRightsIsAColumn(t *testing.T) {
	t.Parallel()
	found := changesOfRights(t)
	if missing, stray := withoutColumn(found, columns); missing != nil || stray != nil || len(found) < 16 {
		t.Errorf("no column for %q, and none of %d changes is %q", missing, len(found), stray)
	}
	fewer := maps.Clone(columns)
	delete(fewer, "credentials networks --remove")
	delete(fewer, "deny")
	if missing, _ := withoutColumn(found, fewer); !slices.Equal(missing, []string{"credentials networks --remove", "deny"}) {
		t.Errorf("a matrix that lacks two columns: %q", missing)
	}
	changedBy := map[string]string{
		"Scopes": "credentials scopes --remove", "ExpiresAt": "credentials extend --expires", "RevokedAt": "credentials revoke",
		"Networks": "credentials networks --remove", "Secrets": "credentials rotate --overlap",
		"ID": "", "Name": "", "CreatedAt": "", "LastUsedAt": "", "TrustedOnly": "", "NoDeletes": "", "Restriction": "", // stay, or are no right
	}
	for field := range reflect.TypeFor[backoffice.Credential]().Fields() {
		if by, known := changedBy[field.Name]; !known || by != "" && columns[by] == nil {
			t.Errorf("a credential's %s is changed by no column", field.Name)
		}
	}
	for field := range reflect.TypeFor[gateway.PrivacySettings]().Fields() {
		if field.Name != "RequirePurpose" { // TestAPurposeThatIsAskedForFromNowOn
			t.Errorf("no test turns %s on", field.Name)
		}
	}
}

// rowsOfRoute are the rows of what the OpenAPI document does not describe, by route; an empty one holds nothing of anybody.
var rowsOfRoute = map[string]string{
	"/graphql":           "a GraphQL request in progress,a query over GraphQL SSE,a subscription over GraphQL SSE,queries on a socket,a mutation on a socket,a subscription on a socket",
	"/graphql/export":    "an export",
	"/mcp":               "a tool's call in progress,a tool's call",
	"/queries/{file}":    "a saved query's address,an export",
	"/files/{kind}/{id}": "a download by signed path,a signed download",
	"/":                  "", "/livez": "", "/readyz": "", "/schema.graphqls": "", "/openapi.json": "", "/graphiql": "", "/graphiql/*": "", "/docs": "", "/docs/*": "",
}

// rowsOfREST are the rows of what an operation has: a media type of an answer or a body, a parameter.
var rowsOfREST = map[string]string{
	"answers application/json": "a REST request in progress", "answers image/svg+xml": "a REST request in progress", "answers application/pdf": "a REST request in progress", "answers application/zip": "a pack of evidence", "answers text/event-stream": "a stream of REST", "answers */*": "a download,a download by signed path,a signed download",
	"answers ": "a REST request in progress", "takes application/json": "a REST request in progress", "takes */*": "an upload,an upload by signed path,a signed upload",
	"query wait": "a long poll", "query after": "a cursor of changes", "header Idempotency-Key": "a replay in REST", "header If-None-Match": "a kept answer of REST",
	"header If-Match": "a REST request in progress", "header Last-Event-ID": "a stream of REST", "header Content-Disposition": "an upload", "header Content-Digest": "an upload",
	"header x-access-purpose": "a REST request in progress", "answers text/csv": "an export", "answers application/jsonl": "an export",
	"answers application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "an export",
	"answers application/problem+json":                                          "a REST request in progress",
}

func hasParts(of gatewaytest.DescribedOperation) (all []string) {
	for _, p := range of.Parameters {
		if p.In == "header" || p.Name == "wait" || p.Name == "after" {
			all = append(all, p.In+" "+p.Name)
		}
	}
	for media := range of.RequestBody.Content {
		all = append(all, "takes "+media)
	}
	for _, response := range of.Responses {
		for media := range response.Content {
			all = append(all, "answers "+media)
		}
	}
	return all
}

func TestEachTransportRouteAndFieldIsARow(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	s, end, err := gateway.NewServer(o.Backend, gatewaytest.Config(gatewaytest.Limits()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{}
	reach := func(rows string) {
		for row := range strings.SplitSeq(rows, ",") {
			reached[row] = true
		}
	}
	n := 0
	err = chi.Walk(s.Routes(), func(_, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		n++
		rows, known := rowsOfRoute[route]
		if _, described := document.Paths[route]; !known && !described {
			return errors.New(route + " is neither in the OpenAPI document nor in the matrix")
		}
		reach(rows)
		return nil
	})
	if err != nil || n < 40 {
		t.Errorf("%d routes: %v", n, err)
	}
	for path, methods := range document.Paths {
		for method, text := range methods {
			var of gatewaytest.DescribedOperation
			if json.Unmarshal(text, &of) != nil { // parameters of a path
				continue
			}
			for _, has := range hasParts(of) {
				rows, known := rowsOfREST[has]
				if !known {
					t.Errorf("%s %s %s: in no row", method, path, has)
				}
				reach(rows)
			}
		}
	}
	fields := s.Schema().Schema()
	for _, field := range fields.Subscription.Fields {
		if field.Name != "changes" && !strings.HasPrefix(field.Name, "__") {
			t.Errorf("the subscription %s is in no row", field.Name)
		}
	}
	for _, of := range fields.Types {
		for _, field := range of.Fields {
			if strings.HasSuffix(field.Name, "Path") && field.Name != "downloadPath" && field.Name != "uploadPath" {
				t.Errorf("%s.%s is a path in no row", of.Name, field.Name)
			}
			if field.Name == "idempotencyKey" {
				reach("a replay in GraphQL")
			}
		}
	}
	for _, field := range gatewaytest.PagedFields(fields) {
		reach("a cursor of " + field)
	}
	reach("a kept answer") // of whatever is asked twice
	refused := gatewaytest.NewRequest(t, o.Credential(t), http.MethodPost, "/graphql", "{}")
	refused.Header.Set("Accept", "image/png")
	if w := o.Serve(refused); !strings.Contains(w.Body.String(), "Accept must allow application/graphql-response+json, application/json or text/event-stream\"") {
		t.Errorf("another transport: %s", w.Body)
	}
	for row := range lasting {
		if !reached[row] {
			t.Errorf("%s comes from nothing that there is", row)
		}
		delete(reached, row)
	}
	delete(reached, "")
	for row := range reached {
		if !slices.Contains(usedAgain, row) && !strings.HasPrefix(row, "a cursor of ") {
			t.Errorf("%s is a row without cells", row)
		}
	}
}

// usedAgain are the rows of what is used a second time, beside cursors.
var usedAgain = []string{
	"a tool's call", "a saved query's address", "a kept answer", "a kept answer of REST", "a replay in REST", "a replay in GraphQL", "a signed download", "a signed upload",
}
