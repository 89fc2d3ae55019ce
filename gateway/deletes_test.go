package gateway_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// deletions are what a credential with --no-deletes is refused, by mutation and by operation of REST. The tests below
// look up in the schema and in the OpenAPI document which there are.
var deletions = map[string]string{
	"deleteCustomer":         `deleteCustomer(input: {id: "acme"}%s) { deletedCustomerId userErrors { code } }`,
	"deleteCustomers":        `deleteCustomers(inputs: [{id: "acme"}, {id: "cafe"}]%s) { written userErrors { code } }`,
	"deleteCustomerRelation": `deleteCustomerRelation(input: {id: "rel-1"}%s) { deletedRelationId userErrors { code } }`,
	"deleteUser":             `deleteUser(input: {id: "user-clara"}%s) { deletedUserId userErrors { code } }`,
	"mergeCustomers":         `mergeCustomers(input: {keepId: "cafe", dropId: "acme"}%s) { userErrors { code } }`,
	"removeSavedQuery":       `removeSavedQuery(input: {name: "Mine"}%s) { removedName userErrors { code } }`,
}

var deletionsOfREST = map[string]string{
	"deleteCustomer": "/customers/acme", "deleteRelation": "/customers/acme/relations/rel-1", "deleteUser": "/users/user-clara",
	"mergeCustomers": "/customers/acme/merge",
}

// keeping are the mutations and operations of REST that delete nothing.
var keeping = []string{
	"assignChecklist", "assignChecklists", "createCustomer", "createCustomers", "createCustomerRelation", "createCustomerRelations", "createDocumentUpload", "createLabel",
	"generateTranscriptDocument", "noteDiscrepancy", "saveQuery", "updateCustomer", "updateCustomers", "updateCustomerRelation", "updateUser",
	"createRelation", "updateRelation", "searchCustomers", "uploadCustomerDocument", "uploadDocument",
}

func deletes(name string) bool {
	return strings.HasPrefix(name, "delete") || strings.HasPrefix(name, "merge") || strings.HasPrefix(name, "remove") || strings.HasPrefix(name, "wouldDelete")
}

func TestEachMutationAndOperationThatDeletesIsRefusedToWhoDeletesNothing(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	schema := gatewaytest.SchemaOf(t, o)
	var found, of []string
	for _, field := range schema.Mutation.Fields {
		payload := schema.Types[field.Type.Name()]
		switch {
		case deletes(field.Name) || payload != nil && slices.ContainsFunc(payload.Fields, func(f *ast.FieldDefinition) bool { return deletes(f.Name) }):
			found = append(found, field.Name)
			if deletions[field.Name] == "" {
				t.Errorf("%s deletes, and nothing shows that it is refused", field.Name)
			}
		case !slices.Contains(keeping, field.Name) && !strings.HasPrefix(field.Name, "__"):
			t.Errorf("%s deletes, or it keeps: say which", field.Name)
		}
	}
	for _, operation := range gatewaytest.OperationsOf(t, o) {
		switch {
		case operation.Method == http.MethodDelete || deletes(operation.ID):
			of = append(of, operation.ID)
			if deletionsOfREST[operation.ID] == "" {
				t.Errorf("%s deletes, and nothing shows that it is refused", operation.ID)
			}
		case operation.Method != http.MethodGet && operation.Method != http.MethodHead && !slices.Contains(keeping, operation.ID):
			t.Errorf("%s deletes, or it keeps: say which", operation.ID)
		}
	}
	if len(found) != len(deletions) || len(of) != len(deletionsOfREST) {
		t.Errorf("what deletes are %q and %q", found, of)
	}
}

// portal issues a credential with every scope that deletes nothing.
func portal(t *testing.T, o *gatewaytest.Office, restriction backoffice.RestrictionFields, scopes ...backoffice.Scope) [2]string {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	credential, err := backoffice.NewCredential(backoffice.NewID(), "portal", scopes, now, 0)
	seen, wrong := backoffice.NewRestriction(restriction)
	if err = errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	credential.NoDeletes, credential.Restriction = true, seen
	secret, err := auth.Create(t.Context(), o.Store, credential, now)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{credential.ID, secret}
}

// forbidden reports whether an answer refuses a deletion, and names no scope that would help.
func forbidden(text string) bool {
	return strings.Contains(text, "FORBIDDEN") && strings.Contains(text, "may not delete") && !strings.Contains(text, "requiredScope")
}

func TestWhoDeletesNothingUploadsAndReadsAndIsRefusedEachDeletion(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		server := httptest.NewServer(o.Handler)
		t.Cleanup(server.Close)
		everyone := o.Credential(t, backoffice.AllScopes...)
		portals := [][2]string{
			portal(t, o, backoffice.RestrictionFields{}, backoffice.AllScopes...),
			portal(t, o, backoffice.RestrictionFields{Customers: []string{"acme"}}, backoffice.AllScopes...),
		}
		before := o.Answers(t, everyone, everything)
		for i, credential := range portals {
			if w := o.Upload(credential, "acme", "?name=a.pdf", strings.NewReader("%PDF-1.4")); w.Code != http.StatusCreated {
				t.Errorf("an upload: %d %s", w.Code, w.Body)
			}
			if said := o.Answers(t, credential, `{ customer(id: "acme") { documents { nodes { name } } } }`); !strings.Contains(said, `"a.pdf"`) {
				t.Errorf("what it reads: %s", said)
			}
			if wrong := o.Saves(t, credential, map[string]any{"document": "query Mine { __typename }", "name": "Mine"}); wrong != nil && i == 0 {
				t.Fatal(wrong)
			}
			refusesAll(t, o, gatewaytest.Follower{Address: server.URL, Credential: credential})
		}
		if after := o.Answers(t, everyone, everything); after != before {
			t.Errorf("something is gone: %s, and was %s", after, before)
		}
		if wrong := o.Saves(t, everyone, map[string]any{"document": "query Own { __typename }", "name": "Own"}); wrong != nil {
			t.Fatal(wrong)
		}
		for _, name := range []string{"deleteCustomerRelation", "deleteUser", "removeSavedQuery", "deleteCustomer"} { // they are right, of who may
			said := o.Answers(t, everyone, "mutation { "+fmt.Sprintf(strings.Replace(deletions[name], `"Mine"`, `"Own"`, 1), "")+" }")
			if !strings.Contains(said, `"userErrors":[]`) {
				t.Errorf("%s: %s", name, said)
			}
		}
	})
}

const everything = `{ customers { nodes { id } } relations { nodes { id } } users { nodes { id } } transcripts { nodes { id } } calculations { nodes { id } } minfinDocuments { nodes { id } } }`

// refusesAll tries each deletion on each transport, as it is and as a dry run.
func refusesAll(t *testing.T, o *gatewaytest.Office, f gatewaytest.Follower) {
	t.Helper()
	socket := f.Connects(t)
	n := 0
	for name, text := range deletions {
		for _, dry := range []string{"", ", dryRun: true"} {
			mutation := "mutation { " + fmt.Sprintf(text, dry) + " }"
			if said := o.Answers(t, f.Credential, mutation); !forbidden(said) {
				t.Errorf("%s%s: %s", name, dry, said)
			}
			response, err := f.Post(t.Context(), mutation, nil)
			if err != nil {
				t.Fatal(err)
			}
			streamed, err := io.ReadAll(response.Body)
			if _ = response.Body.Close(); err != nil || !forbidden(string(streamed)) {
				t.Errorf("%s%s, streamed: %s %v", name, dry, streamed, err)
			}
			n++
			socket.Says(t, gatewaytest.Subscribing(fmt.Sprint(n), mutation, nil))
			if m := socket.Hears(t); !forbidden(string(m.Payload)) {
				t.Errorf("%s%s, by socket: %s %s", name, dry, m.Type, m.Payload)
			}
			if m := socket.Hears(t); m.Type != "complete" {
				t.Errorf("%s%s, by socket: %s", name, dry, m.Type)
			}
		}
	}
	for name, path := range deletionsOfREST {
		for _, at := range []string{path, strings.NewReplacer("acme", "nobody", "clara", "nobody", "rel-1", "rel-0").Replace(path)} {
			method, body := http.MethodDelete, ""
			if name == "mergeCustomers" {
				method, body = http.MethodPost, `{"dropId":"cafe"}`
			}
			if w := o.Send(t, f.Credential, method, at, body); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "may not delete") {
				t.Errorf("%s %s: %d %s", name, at, w.Code, w.Body)
			}
		}
	}
}

func TestWhoDeletesNothingStaysSoWithMoreScopes(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := portal(t, o, backoffice.RestrictionFields{}, backoffice.CustomersWrite)
			ask := func() string {
				return o.Answers(t, credential, "mutation { "+fmt.Sprintf(deletions["deleteUser"], "")+" }")
			}
			if said := ask(); !strings.Contains(said, `"requiredScope":"users.write"`) {
				t.Error(said)
			}
			err := auth.Change(t.Context(), o.Store, credential[0], func(of *backoffice.Credential, now backoffice.Instant) error {
				return of.ChangeScopes([]backoffice.Scope{backoffice.UsersWrite}, nil, now)
			})
			if err != nil {
				t.Fatal(err)
			}
			said := ask()
			for began := time.Now(); strings.Contains(said, "requiredScope") && time.Since(began) < obeyedWithin; said = ask() {
				time.Sleep(50 * time.Millisecond)
			}
			if !forbidden(said) {
				t.Error(said)
			}
			if _, err := auth.Rotate(t.Context(), o.Store, credential[0], time.Hour); err != nil {
				t.Fatal(err)
			}
			if kept, err := o.Store.Credential(t.Context(), credential[0]); err != nil || !kept.NoDeletes {
				t.Errorf("%+v %v", kept, err)
			}
		})
	}
}
