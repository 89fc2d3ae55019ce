package parity

import (
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestWhoSharesARegistrationNumberIsToldOnlyToWhoMayReadIt(t *testing.T) {
	t.Parallel()
	gatewaytest.EachOffice(t, func(t *testing.T, o *gatewaytest.Office) {
		without := o.Credential(t, backoffice.CustomersWrite)
		credential := o.Credential(t, backoffice.AllScopes...)
		const question = `{ duplicates(by: REGISTRATION_NUMBER) { totalCount groups { value count customers { displayName } } } }`
		none := o.Answers(t, credential, question)
		for i := range 2 {
			o.Write(t, credential, fmt.Sprintf(`mutation { createCustomer(input: {type: PRIVATE_PERSON, firstName: "An", lastName: "%d", registrationNumber: "93.05.18-223.61"}) { userErrors { message } } }`, i))
		}
		for range 3 { // an answer that is kept is not this one
			const want = `{"value":"","count":2,"customers":[{"displayName":"An 0"},{"displayName":"An 1"}]}`
			if got := o.Answers(t, credential, question); !strings.Contains(got, want) || got == none {
				t.Errorf("%s after %s", got, none)
			}
			if got := o.Answers(t, without, question); !strings.Contains(got, `"data":null`) || !strings.Contains(got, `"requiredScope":"privacy.read"`) {
				t.Errorf("without privacy.read: %s", got)
			}
		}
		if got := o.Answers(t, without, strings.Replace(question, "REGISTRATION_NUMBER", "SIMILAR_NAME_AND_POSTAL_CODE", 1)); strings.Contains(got, "errors") {
			t.Error(got)
		}
	})
}
