package limits

import (
	"bytes"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// A tool's call is traced as the operation that it is: nothing of its arguments or answer is in a span.
//
//nolint:paralleltest // the environment is the process's
func TestASpanHasNothingOfAToolsArgumentsOrAnswer(t *testing.T) {
	for engine, fresh := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			received := traced(t, fresh, nil, func(o *gatewaytest.Office) {
				o.Tool(t, backoffice.Tool{Name: "find", About: "Customers by a word."}, `query Find($word: String) { customers(filter: {search: $word}) { nodes { displayName email } } }`)
				a := o.Calls(t, gatewaytest.CredentialHeader(o.Credential(t)), "find", `{"word": "Brouwerij"}`)
				if !bytes.Contains(a.StructuredContent, []byte("De Zwaan")) {
					t.Fatal(a.Whole)
				}
			})
			if span := received.named("query"); span == nil || numberOf(span, "backoffice.cost") <= 0 {
				t.Fatalf("%v", received.spans)
			}
			for _, text := range []string{"Brouwerij", "brouwerij", "Zwaan", "zwaan@"} {
				if bytes.Contains(received.received.Bytes(), []byte(text)) {
					t.Errorf("%s is in a span", text)
				}
			}
		})
	}
}
