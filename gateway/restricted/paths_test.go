package restricted

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// A path is a way on which a customer, or what hangs on one, can be seen or written: a field, an argument or an input
// field of the schema, an operation of the OpenAPI document. The comparison makes up what it asks from these two, and
// it is looked at here that it has asked each path.

// reachedElsewhere are paths that the comparison does not take, each with what does.
var reachedElsewhere = map[string]string{
	"Query.changes":        "follows compares the logs, entry by entry",
	"Query.changes(after)": "numbers of a log, which is another one in each store", "Query.changes(first)": "follows", "Query.changes(nouns)": "follows", "Query.changes(latestOnly)": "follows",
	"Query.changes(since)": "an instant of a log, which is another one in each store: parity asks it as a restricted credential",
	"Subscription.changes": following, "Subscription.changes(after)": following, "Subscription.changes(nouns)": following,
}

const (
	following = "TestARestrictedCredentialFollowsWhatIsInView"
	replaying = "TestAReplayOfWhatIsNotInViewIsNotFound"
)

// unreachedPaths are the paths that were not asked and are not told to be asked elsewhere.
func unreachedPaths(w *gatewaytest.Comparison) (paths []string) {
	for _, path := range gatewaytest.PathsOf(w.Asker.Schema) {
		if !w.Asker.Used[path] && reachedElsewhere[path] == "" && !strings.HasSuffix(path, ".idempotencyKey") && !strings.HasSuffix(path, "(idempotencyKey)") { // replaying
			paths = append(paths, path)
		}
	}
	return paths
}

// reachAllPaths makes up documents, and asks those that have a path which none before had.
func reachAllPaths(t testing.TB, w *gatewaytest.Comparison) {
	t.Helper()
	known := len(w.Asker.Used)
	for range 400 {
		if len(unreachedPaths(w)) == 0 {
			return
		}
		for _, root := range []*ast.Definition{w.Asker.Schema.Query, w.Asker.Schema.Mutation} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") || gatewaytest.NotAsked[root.Name+"."+field.Name] != "" {
					continue
				}
				w.Asker.Left = 300
				document := strings.ToLower(root.Name) + " { " + w.Asker.Field(root, field, 6, "") + " }"
				if len(w.Asker.Used) > known {
					known = len(w.Asker.Used)
					w.GraphQL(t, document, root == w.Asker.Schema.Mutation)
				}
			}
		}
	}
	if paths := unreachedPaths(w); len(paths) > 0 {
		t.Errorf("nothing compares what a restricted credential sees by %s", strings.Join(paths, ", "))
	}
}

// bodies are what operations are sent that have a body, and those that only delete: every one of the OpenAPI document
// that is no GET.
var bodies = map[string]func(a *gatewaytest.Asker) string{
	"searchCustomers": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"registrationNumber":%q}`, a.Text(".registrationNumber"))
	},
	"assignChecklist": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"checklist":%q,"customer":%q}`, a.ID("checklistId"), a.ID("customerId"))
	},
	"createCustomer": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"type":"Company","name":"New","responsible":%q}`, a.ID("responsibleId"))
	},
	"createCustomers": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"ids":[%q,%q]}`, a.ID("customerId"), a.ID("customerId"))
	},
	"updateCustomer": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"name":"Newer","responsible":%q}`, a.ID("responsibleId"))
	},
	"deleteCustomer": func(*gatewaytest.Asker) string { return "" },
	"mergeCustomers": func(a *gatewaytest.Asker) string { return fmt.Sprintf(`{"dropId":%q}`, a.ID("customerId")) },
	"createRelation": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"kind":"UBO","relatedCustomer":%q}`, a.ID("customerId"))
	},
	"noteDiscrepancy": func(a *gatewaytest.Asker) string { return fmt.Sprintf(`{"note":"%d"}`, a.IntN(100)) },
	"updateRelation":  func(a *gatewaytest.Asker) string { return fmt.Sprintf(`{"sharePercent":"%d"}`, a.IntN(100)) },
	"deleteRelation":  func(*gatewaytest.Asker) string { return "" },
	"createLabel":     func(a *gatewaytest.Asker) string { return fmt.Sprintf(`{"name":"Label %d"}`, a.IntN(1e9)) },
	"updateUser": func(a *gatewaytest.Asker) string {
		return fmt.Sprintf(`{"firstName":"Els","labels":[%q]}`, a.ID("labelIds"))
	},
	"deleteUser": func(*gatewaytest.Asker) string { return "" },
	"uploadCustomerDocument": func(*gatewaytest.Asker) string {
		return "%PDF-1.4 a document"
	},
	"uploadDocument": func(*gatewaytest.Asker) string { return "a path that nobody has signed" },
}

// compareWrites compares what operations of REST answer that write, for as long as both offices take them.
func compareWrites(t testing.TB, w *gatewaytest.Comparison) (alike bool) {
	t.Helper()
	for _, of := range gatewaytest.OperationsOf(t, w.Whole) {
		if of.Method == http.MethodGet || of.Method == http.MethodHead {
			continue
		}
		body := bodies[of.ID]
		if body == nil {
			t.Errorf("nothing compares what %s lets a restricted credential write", of.ID)
			continue
		}
		for range 2 {
			path, refused := w.Path(of), w.Refused
			text := body(w.Asker)
			answer := func(o *gatewaytest.Office, credential [2]string) string {
				r := o.Send(t, credential, of.Method, path, text)
				return fmt.Sprint(r.Code, " ", gatewaytest.Normal(r.Body.Bytes()))
			}
			w.Same(of.Method+" "+path+" "+text, answer(w.Whole, w.CredentialOfWhole), answer(w.Part, w.CredentialOfPart), true)
			if w.Refused > refused { // the other one may have written
				return false
			}
		}
	}
	usersLeave(t, w)
	w.Written = true
	return true
}

// usersLeave takes away from the part, as from the view, the users whose customers the credential has deleted.
func usersLeave(t testing.TB, w *gatewaytest.Comparison) {
	t.Helper()
	if !namesCustomers(w.Restriction) {
		return
	}
	err := w.Part.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for _, user := range w.Records.Users {
			theirs := backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{ResponsibleID: user.ID}}
			_, has, err := backoffice.First(ctx, tx.Customers(), theirs, backoffice.NoParent)
			if err == nil && !has {
				_, err = tx.Users().Delete(ctx, user.ID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
