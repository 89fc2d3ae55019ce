package feed

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// changeVersion sends a mutation with the parameters of one record and returns its version, or the code of its refusal.
func changeVersion(t *testing.T, o *gatewaytest.Office, credential [2]string, mutation string) (version int, refused string) {
	t.Helper()
	_, body, _ := o.Ask(t, credential, `mutation { done: `+mutation+` }`, nil, nil)
	var answer struct {
		Data struct {
			Done struct {
				Customer, User *struct{ Version int }
				UserErrors     []struct{ Code string }
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	switch done := answer.Data.Done; {
	case len(done.UserErrors) > 0:
		return 0, done.UserErrors[0].Code
	case done.Customer != nil:
		return done.Customer.Version, ""
	case done.User != nil:
		return done.User.Version, ""
	}
	if strings.Contains(string(body), `"errors"`) {
		t.Fatalf("%s: %s", mutation, body)
	}
	return 0, ""
}

func TestNoChangeIsMadeOnTheVersionThatALostChangeGave(t *testing.T) {
	t.Parallel()
	customer := func(id, fields string) string {
		return `updateCustomer(input: {id: "` + id + `", ` + fields + `}) { customer { version } userErrors { code } }`
	}
	user := func(fields string) string {
		return `updateUser(input: {id: "leaves", ` + fields + `}) { user { version } userErrors { code } }`
	}
	for engine, database := range gatewaytest.Engines {
		for name, begin := range another {
			if name == anotherStore {
				continue // which has none of these records
			}
			t.Run(name+" on "+engine, func(t *testing.T) {
				t.Parallel()
				l := &lost{}
				url := database(t)
				var named, held, numbered string
				t.Run("the office of before", func(t *testing.T) {
					o := gatewaytest.OpenOn(t, url)
					l.credential = o.Credential(t, backoffice.AllScopes...)
					o.Credential(t, backoffice.CustomersWrite)
					o.User(t, "leaves")
					named, held, numbered = o.MakeCustomer(t), o.MakeCustomer(t), o.MakeCustomer(t)
					if version, refused := changeVersion(t, o, l.credential, customer(held, `responsibleId: "leaves"`)); version != 2 {
						t.Fatal(version, refused)
					}
					l.office = o
				})
				credentials := l.office.Credentials
				l.kept = copyOf(t, url)
				l.office = gatewaytest.ServeCached(t, gatewaytest.Settings(t, url), l.memory)
				l.office.Credentials = credentials
				open := l.office.Credential(t, backoffice.CustomersWrite) // sees no registration number
				lostVersions := map[string]int{}
				for id, change := range map[string]string{
					named: customer(named, `name: "Lost"`), held: customer(held, `name: "Lost"`),
					numbered: customer(numbered, `name: "Lost"`), "leaves": user(`firstName: "Lost"`),
				} {
					lostVersions[id], _ = changeVersion(t, l.office, l.credential, change)
				}

				o := begin(t, l)
				if o == nil {
					return
				}
				for _, change := range []string{
					customer(named, `name: "Kept"`), customer(numbered, `registrationNumber: "62051708860"`), customer(numbered, `name: "Kept"`), user(`firstName: "Kept"`),
					`deleteUser(input: {id: "leaves"}) { deletedUserId userErrors { code } }`,
				} {
					if strings.HasPrefix(change, "deleteUser") {
						if _, refused := changeVersion(t, o, l.credential, user(`expectedVersion: 2, firstName: "Stale"`)); refused != "STALE_VERSION" {
							t.Errorf("a user: %q", refused)
						}
						if stale := o.Download(t, l.credential, http.MethodPatch, "/users/leaves", `{"firstName": "Stale"}`, "If-Match", `"2"`); stale.Code != http.StatusPreconditionFailed {
							t.Errorf("a user by REST: %d", stale.Code)
						}
					}
					if _, refused := changeVersion(t, o, l.credential, change); refused != "" {
						t.Errorf("%s: %s", change, refused)
					}
				}
				for id, version := range lostVersions {
					if id == "leaves" {
						continue
					}
					for credential, by := range map[string][2]string{"who sees numbers": l.credential, "who does not": open} {
						if _, refused := changeVersion(t, o, by, customer(id, `expectedVersion: `+strconv.Itoa(version)+`, name: "Stale"`)); refused != "STALE_VERSION" {
							t.Errorf("a customer by a credential %s: %q", credential, refused)
						}
					}
				}
			})
		}
	}
}
