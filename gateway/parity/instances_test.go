package parity

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestWhatOneInstanceChangesIsSeenByTheOthersWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	database := gatewaytest.PostgreSQL(t)
	one, other := gatewaytest.OpenOn(t, database), gatewaytest.OpenOn(t, database)
	credential := one.Credential(t, backoffice.SettingsWrite)
	const read = `{ labels { totalCount nodes { name } } financialYears { nodes { startDate } } }`
	within := func(what string, is func() bool) {
		t.Helper()
		for until := time.Now().Add(30 * time.Second); !is(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("not in time: %s", what)
			}
		}
	}
	within("the credential is known", func() bool { status, _, _ := other.Ask(t, credential, read, nil, nil); return status == http.StatusOK })
	_, body, _ := one.Ask(t, credential, `mutation { createLabel(input: {name: "Seen elsewhere"}) { label { id } userErrors { code } } }`, nil, nil)
	within("the label "+string(body), func() bool {
		_, body, _ := other.Ask(t, credential, read, nil, nil)
		return strings.Contains(string(body), "Seen elsewhere")
	})
	if _, err := one.Service().StartYear(t.Context(), backoffice.YearStart{Year: "2031", Skip: true}); err != nil {
		t.Fatal(err)
	}
	within("the year", func() bool {
		_, body, _ := other.Ask(t, credential, read, nil, nil)
		return strings.Contains(string(body), "2031")
	})
	if err := auth.Revoke(t.Context(), one.Store, credential[0]); err != nil {
		t.Fatal(err)
	}
	within("the revocation", func() bool {
		status, _, _ := other.Ask(t, credential, read, nil, nil)
		return status == http.StatusUnauthorized
	})
}
