package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// A path is a way on which a customer, or what hangs on one, can be seen or written: a field, an argument or an input
// field of the schema, an operation of the OpenAPI document. The comparison makes up what it asks from these two, and
// it is looked at here that it has asked each path.

// reachedElsewhere are paths that the comparison does not take, each with what does.
var reachedElsewhere = map[string]string{
	"Query.changes":        "follows compares the logs, entry by entry",
	"Query.changes(after)": "numbers of a log, which is another one in each store", "Query.changes(first)": "follows", "Query.changes(nouns)": "follows", "Query.changes(latestOnly)": "follows",
	"Subscription.changes": following, "Subscription.changes(after)": following, "Subscription.changes(nouns)": following,
}

const (
	following = "TestARestrictedPairFollowsWhatIsInView"
	replaying = "TestAReplayOfWhatIsNotInViewIsNotFound"
)

// pathsOf are the paths of a schema.
func pathsOf(schema *ast.Schema) (paths []string) {
	for _, of := range schema.Types {
		if strings.HasPrefix(of.Name, "__") || of.Kind != ast.Object && of.Kind != ast.InputObject {
			continue
		}
		for _, f := range of.Fields {
			if strings.HasPrefix(f.Name, "__") || ofLog[of.Name] {
				continue
			}
			paths = append(paths, of.Name+"."+f.Name)
			for _, arg := range f.Arguments {
				paths = append(paths, of.Name+"."+f.Name+"("+arg.Name+")")
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// ofLog are the types below changes, which are compared entry by entry.
var ofLog = map[string]bool{"ChangeConnection": true, "ChangeEdge": true, "Change": true, "ChangeParent": true}

// unreached are the paths that were not asked and are not told to be asked elsewhere.
func (w *two) unreached() (paths []string) {
	for _, path := range pathsOf(w.ask.schema) {
		if !w.ask.used[path] && reachedElsewhere[path] == "" && !strings.HasSuffix(path, ".idempotencyKey") && !strings.HasSuffix(path, "(idempotencyKey)") { // replaying
			paths = append(paths, path)
		}
	}
	return paths
}

// reachAll makes up documents, and asks those that have a path which none before had.
func (w *two) reachAll(t testing.TB) {
	t.Helper()
	known := len(w.ask.used)
	for range 400 {
		if len(w.unreached()) == 0 {
			return
		}
		for _, root := range []*ast.Definition{w.ask.schema.Query, w.ask.schema.Mutation} {
			for _, field := range root.Fields {
				if strings.HasPrefix(field.Name, "__") || notAsked[root.Name+"."+field.Name] != "" {
					continue
				}
				w.ask.left = 300
				document := strings.ToLower(root.Name) + " { " + w.ask.field(root, field, 6, "") + " }"
				if len(w.ask.used) > known {
					known = len(w.ask.used)
					w.graphQL(t, document, root == w.ask.schema.Mutation)
				}
			}
		}
	}
	if paths := w.unreached(); len(paths) > 0 {
		t.Errorf("nothing compares what a restricted pair sees by %s", strings.Join(paths, ", "))
	}
}

// bodies are what operations are sent that have a body, and those that only delete: every one of the OpenAPI document
// that is no GET.
var bodies = map[string]func(a *asker) string{
	"searchCustomers": func(a *asker) string { return fmt.Sprintf(`{"registrationNumber":%q}`, a.text(".registrationNumber")) },
	"assignChecklist": func(a *asker) string {
		return fmt.Sprintf(`{"checklist":%q,"customer":%q}`, a.id("checklistId"), a.id("customerId"))
	},
	"createCustomer": func(a *asker) string {
		return fmt.Sprintf(`{"type":"Company","name":"New","responsible":%q}`, a.id("responsibleId"))
	},
	"createCustomers": func(a *asker) string { return fmt.Sprintf(`{"ids":[%q,%q]}`, a.id("customerId"), a.id("customerId")) },
	"updateCustomer":  func(a *asker) string { return fmt.Sprintf(`{"name":"Newer","responsible":%q}`, a.id("responsibleId")) },
	"deleteCustomer":  func(*asker) string { return "" },
	"createRelation": func(a *asker) string {
		return fmt.Sprintf(`{"kind":"UBO","relatedCustomer":%q}`, a.id("customerId"))
	},
	"deleteRelation": func(*asker) string { return "" },
	"createLabel":    func(a *asker) string { return fmt.Sprintf(`{"name":"Label %d"}`, a.IntN(1e9)) },
	"updateUser":     func(a *asker) string { return fmt.Sprintf(`{"firstName":"Els","labels":[%q]}`, a.id("labelIds")) },
	"deleteUser":     func(*asker) string { return "" },
	"uploadCustomerDocument": func(*asker) string {
		return "%PDF-1.4 a document"
	},
	"uploadDocument": func(*asker) string { return "a path that nobody has signed" },
}

// writes compares what operations of REST answer that write, for as long as both offices take them.
func (w *two) writes(t testing.TB) (alike bool) {
	t.Helper()
	for _, of := range operationsOf(t, w.whole) {
		if of.method == http.MethodGet || of.method == http.MethodHead {
			continue
		}
		body := bodies[of.ID]
		if body == nil {
			t.Errorf("nothing compares what %s lets a restricted pair write", of.ID)
			continue
		}
		for range 2 {
			path, refused := w.path(of), w.refused
			text := body(w.ask)
			answer := func(o *office, pair [2]string) string {
				r := o.send(t, pair, of.method, path, text)
				return fmt.Sprint(r.Code, " ", normal(r.Body.Bytes()))
			}
			w.same(of.method+" "+path+" "+text, answer(w.whole, w.pairOfWhole), answer(w.part, w.pairPart), true)
			if w.refused > refused { // the other one may have written
				return false
			}
		}
	}
	return true
}
