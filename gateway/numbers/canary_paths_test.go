package numbers

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// Every field, argument and input field that has to do with registration numbers needs the scope, in the schema itself.
func TestEveryPathOfARegistrationNumberNeedsTheScope(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	schema := gatewaytest.SchemaOf(t, o)
	guarded := func(directives ast.DirectiveList) bool {
		has := directives.ForName("hasScope")
		return has != nil && has.Arguments.ForName("scope").Value.Raw == "PRIVACY_READ"
	}
	found := 0
	for _, of := range schema.Types {
		for _, f := range of.Fields {
			if isOfNumber(f.Name) {
				if found++; !guarded(f.Directives) {
					t.Errorf("%s.%s asks for no scope", of.Name, f.Name)
				}
			}
			for _, arg := range f.Arguments {
				if isOfNumber(arg.Name) {
					if found++; !guarded(arg.Directives) {
						t.Errorf("%s.%s(%s) asks for no scope", of.Name, f.Name, arg.Name)
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d paths of registration numbers were found", found)
	}
	none := o.Credential(t, backoffice.CustomersWrite)
	id := o.MakeCustomer(t)
	const person = `{"type":"Private Person","name":"x","registrationNumber":"85073003328"}`
	bodies := map[string]string{ // a query for those that have no body
		"GET /customers": "?registrationNumber=85073003328", "GET /customers/{customerId}/privacy": "", "GET /customers/{customerId}/evidence": "?registrationNumbers=true",
		"POST /customers": person, "POST /customers/batch": `{"customers":[` + person + `]}`,
		"POST /customers/search": `{"registrationNumber":"85073003328"}`, "PUT /customers/{customerId}": `{"registrationNumber":"85073003328"}`,
	}
	for _, of := range takingNumbers(t, o) {
		if _, known := bodies[of]; !known {
			t.Errorf("%s takes registration numbers, and nothing shows that it asks for the scope", of)
		}
	}
	for of, body := range bodies {
		method, path, _ := strings.Cut(of, " ")
		if method == http.MethodGet {
			path, body = path+body, ""
		}
		if w := o.Send(t, none, method, strings.ReplaceAll(path, "{customerId}", id), body); w.Code != http.StatusForbidden || canaryIn(w.Body.Bytes()) != "" {
			t.Errorf("%s: %d %s", of, w.Code, w.Body)
		}
	}
}

// takingNumbers are the operations of the OpenAPI document whose bodies or parameters may hold a registration number.
func takingNumbers(t testing.TB, o *gatewaytest.Office) (operations []string) {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	seen := map[string]bool{}
	var holds func(node any) bool
	holds = func(node any) bool {
		switch node := node.(type) {
		case []any:
			return slices.ContainsFunc(node, holds)
		case map[string]any:
			for key, value := range node {
				name, _ := value.(string)
				if isOfNumber(key) || key == "name" && isOfNumber(name) {
					return true
				}
				if of, is := strings.CutPrefix(name, "#/components/schemas/"); is && !seen[of] {
					seen[of] = true
					if holds(schemas[of]) {
						return true
					}
				}
				if holds(value) {
					return true
				}
			}
		}
		return false
	}
	for path, methods := range document["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			of, _ := operation.(map[string]any)
			clear(seen)
			if of != nil && (holds(of["requestBody"]) || holds(of["parameters"])) {
				operations = append(operations, strings.ToUpper(method)+" "+path)
			}
		}
	}
	if len(operations) < 3 {
		t.Errorf("only %v take registration numbers", operations)
	}
	return operations
}
