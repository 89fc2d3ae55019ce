package parity

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestACustomerIsAskedForByOneOfItsNamesAndNoMore(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t, backoffice.AllScopes...)
	for query, variables := range map[string]string{
		`{ customerBy(key: {}) { id } }`:                                                                    ``,
		`{ customerBy(key: {id: "acme", customerCode: "C-001"}) { id } }`:                                   ``,
		`{ customerBy(key: {id: null}) { id } }`:                                                            ``,
		`query($k: CustomerKey!) { customerBy(key: $k) { id } }`:                                            `{"k": {"id": "acme", "kboNumber": null}}`,
		`query($code: String) { customerBy(key: {customerCode: $code}) { id } }`:                            `{}`,
		`query($code: String, $id: ID) { customerBy(key: {customerCode: $code, id: $id}) { displayName } }`: `{"id": "acme"}`,
	} {
		var given json.RawMessage
		if variables != "" {
			given = json.RawMessage(variables)
		}
		_, body, calls := o.Ask(t, credential, query, given, nil)
		if answer := string(body); calls != 0 || strings.Contains(answer, "Boekhouding") || !strings.Contains(answer, "BAD_USER_INPUT") && !strings.Contains(answer, "GRAPHQL_VALIDATION_FAILED") {
			t.Errorf("%s %s: %d statements, %s", query, variables, calls, answer)
		}
	}
}

func TestOfSeveralCustomersWithAKBONumberNoneIsTheOne(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential := o.Credential(t, backoffice.AllScopes...)
			if w := o.Send(t, credential, http.MethodPost, "/customers", `{"type":"Company","kboNumber":"0200.065.765"}`); w.Code != http.StatusCreated {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			_, body, calls := o.Ask(t, credential, `{ customerBy(key: {kboNumber: "0200065765"}) { id } }`, nil, nil)
			if answer := string(body); calls != 1 || !strings.Contains(answer, `"customerBy":null`) || !strings.Contains(answer, "several customers have this KBO number") || !strings.Contains(answer, "BAD_USER_INPUT") {
				t.Errorf("%d statements, %s", calls, answer)
			}
		})
	}
}
