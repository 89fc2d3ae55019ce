package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/backoffice/rest"
)

func TestABatchThatDoesNotFitItsSchemaIsRefusedAsAWholeAsItsDescriptionTells(t *testing.T) {
	t.Parallel()
	o := open(t)
	for item, place := range map[string]string{
		`{"type":"Company","companyType":"bv"}`: "/customers/1/companyType", `{}`: "/customers/1/type",
		`{"type":"Company","naam":"x"}`: "/customers/1/naam", "5": "/customers/1",
	} {
		for _, mode := range []string{"each", "atomic"} {
			a := o.ask(t, o.all, "POST", "/customers/batch",
				`{"mode":"`+mode+`","customers":[{"type":"Company"},`+item+`,{"type":"Company","phone":"x"}]}`)
			errors := a.problem(422)["errors"].([]any)
			if len(errors) != 1 || errors[0].(map[string]any)["pointer"] != place {
				t.Errorf("%s: %s", item, a.body)
			}
		}
	}
	equal(t, "customers", o.get(t, "/customers").is(200)["total"], any(7.0))
	var document struct {
		Paths map[string]map[string]struct{ Description string }
	}
	check(t, json.Unmarshal(o.get(t, rest.OpenAPIPath).body, &document))
	about := document.Paths["/customers/batch"]["post"].Description
	if !strings.Contains(about, "In both modes a body that does not fit its schema is 422 with only those errors") {
		t.Error(about)
	}
}

func TestATakenCodeInABatchIsTheConflictThatItIsAlone(t *testing.T) {
	t.Parallel()
	o := open(t)
	const taken = `{"type":"Company","customerCode":"C-001"}`
	o.ask(t, o.all, "POST", "/customers", taken).fault(409, "/customerCode", "TAKEN")
	both := `,"customers":[` + taken + `,{"type":"Company","customerCode":"C-001","phone":"x"}]}`
	results := o.ask(t, o.all, "POST", "/customers/batch", `{"mode":"each"`+both).is(200)["results"].([]any)
	for i, status := range []int{409, 422} {
		has(t, results[i], map[string]any{"status": status})
		has(t, results[i].(map[string]any)["problem"], map[string]any{"status": status})
	}
	wrong := strings.Repeat(`,{"type":"Private Person","kboNumber":"0200065765","companyType":"BV"}`, 100)[1:]
	if detail := o.ask(t, o.all, "POST", "/customers/batch", `{"mode":"atomic","customers":[`+wrong+`]}`).problem(422)["detail"].(string); !strings.HasSuffix(detail, "(and 199 more)") {
		t.Error(detail)
	}
	o.ask(t, o.all, "POST", "/customers/batch", `{"mode":"atomic","customers":[`+taken+`]}`).
		fault(422, "/customers/0/customerCode", "TAKEN")
}
