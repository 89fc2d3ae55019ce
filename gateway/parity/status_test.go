package parity

import (
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

// Data beside errors has a status of its own by GraphQL over HTTP, in the media type that was made for it.
func TestDataBesideErrorsHasTheStatusOfPartialSuccess(t *testing.T) {
	t.Parallel()
	for _, none := range []bool{false, true} {
		c := gatewaytest.Config(gatewaytest.Limits())
		c.Server.NoPartial = none
		settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
		b, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := gatewaytest.ServeConfig(t, b, c)
		o.Fill(t)
		credential := o.Credential(t)
		for query, partial := range map[string]bool{
			`{ customers(first: 1) { nodes { id registrationNumber } } }`:              true,
			`{ customers(first: 1) { nodes { id } } }`:                                 false,
			`{ nobody: customer(id: "nobody") { id registrationNumber } }`:             false,
			`{ viewer { name } customers(first: 1) { nodes { registrationNumber } } }`: true,
		} {
			for _, media := range []string{"application/graphql-response+json", "application/json"} {
				r := gatewaytest.NewRequest(t, credential, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]string{"query": query}))
				r.Header.Set("Accept", media)
				w := o.Serve(r)
				want := http.StatusOK
				if partial && !none && media != "application/json" {
					want = gatewaytest.PartialSuccess
				}
				if errors := strings.Contains(w.Body.String(), `"errors"`); w.Code != want || errors != partial {
					t.Errorf("%s %s, switched off %v: %d %s", media, query, none, w.Code, w.Body)
				}
			}
		}
	}
}
