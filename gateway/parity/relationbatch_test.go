package parity

import (
	"encoding/json"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestRelationsInABatchThatAreThereAlreadyAreAnswered(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.AllScopes...)
	const query = `mutation($key: String) { createCustomerRelations(idempotencyKey: $key, inputs: [{customerId: "acme", relatedCustomerId: "els", kind: UBO}, {customerId: "cafe", relatedCustomerId: "els", kind: UBO},
		{customerId: "cafe", relatedCustomerId: "els", kind: UBO}]) { written results { relation { id } userErrors { code } } userErrors { code } } }`
	var answers []string
	for range 2 {
		_, body, _ := o.Ask(t, writer, query, json.RawMessage(`{"key": "k"}`), nil)
		var answer struct {
			Data struct {
				CreateCustomerRelations struct {
					Written int
					Results []struct{ Relation struct{ ID string } }
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		p := answer.Data.CreateCustomerRelations
		if p.Written != 1 || len(p.Results) != 3 || p.Results[0].Relation.ID != "rel-2" || p.Results[1] != p.Results[2] {
			t.Errorf("%s", body)
		}
		answers = append(answers, string(body))
	}
	if answers[0] != answers[1] {
		t.Errorf("a replay answers %s, not %s", answers[1], answers[0])
	}
	if _, body, _ := o.Ask(t, writer, query, json.RawMessage(`{}`), nil); !strings.Contains(string(body), `"written":0`) {
		t.Errorf("%s", body)
	}
}

func TestRelationsInABatchWithOtherSharesOrDaysThanThereAreTaken(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	writer := o.Credential(t, backoffice.AllScopes...)
	create := func(more string) string {
		return o.Answers(t, writer, `mutation { createCustomerRelations(mode: EACH, inputs: [{customerId: "acme", relatedCustomerId: "els", kind: SHAREHOLDER`+more+`}]) {
			written results { relation { sharePercent startDate } userErrors { code field } } } }`)
	}
	wants := func(answer, want string) {
		t.Helper()
		if !strings.Contains(answer, want) {
			t.Errorf("%s is not in %s", want, answer)
		}
	}
	wants(create(`, sharePercent: 40, startDate: "2020-01-01", endDate: "2024-12-31"`), `"written":1`)
	const there = `{"written":0,"results":[{"relation":{"sharePercent":40,"startDate":"2020-01-01"},"userErrors":[]}]}`
	wants(create(`, sharePercent: 40, startDate: "2020-01-01", endDate: "2024-12-31"`), there)
	wants(create(""), there)
	for _, other := range []string{`, sharePercent: 75`, `, startDate: "2024-07-01"`, `, endDate: "2022-12-31"`, `, votePercent: 40`, `, note: "N"`, `, nominee: true`} {
		wants(create(other), `{"written":0,"results":[{"relation":null,"userErrors":[{"code":"TAKEN","field":["inputs","0"]}]}]}`)
	}
	wants(create(`, sharePercent: 50, startDate: "2025-01-01"`), `"written":1`)
	const now = `{"written":0,"results":[{"relation":{"sharePercent":50,"startDate":"2025-01-01"},"userErrors":[]}]}`
	wants(create(`, sharePercent: 50`), now)
	wants(create(""), now)
	wants(create(`, sharePercent: 40`), there)
}
