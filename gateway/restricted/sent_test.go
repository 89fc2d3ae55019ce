package restricted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// What a restricted credential is sent without asking for each thing, what it sends, and what it is answered again: the
// paths that restricted_office_test.go does not make up.

const toldOfChanges = `subscription($after: String) { changes(after: $after) { noun objectId action fields parents { noun id } object { __typename id } } }`

// streamedChanges are the first n changes of a log as a subscription over Server-Sent Events tells them.
func streamedChanges(t testing.TB, o *gatewaytest.Office, credential [2]string, n int) (all []string) {
	t.Helper()
	s := o.Follower(t, credential).Subscribes(t, toldOfChanges, map[string]any{"after": o.Cursor(t, 0)})
	for len(all) < n {
		e, ok := s.Next()
		if !ok || e.Name != "next" {
			t.Fatalf("%+v after %d of %d", e, len(all), n)
		}
		if usersAgain.MatchString(e.Data) {
			continue
		}
		all = append(all, e.Data)
	}
	return all
}

// changesOnSocket are the same as a socket tells them.
func changesOnSocket(t testing.TB, o *gatewaytest.Office, credential [2]string, n int) (all []string) {
	t.Helper()
	s := o.Follower(t, credential).Connects(t)
	s.Says(t, gatewaytest.Subscribing("1", toldOfChanges, map[string]any{"after": o.Cursor(t, 0)}))
	for len(all) < n {
		m := s.Hears(t)
		if m.Type != "next" {
			t.Fatalf("%s %s after %d of %d", m.Type, m.Payload, len(all), n)
		}
		if usersAgain.Match(m.Payload) {
			continue
		}
		all = append(all, string(m.Payload))
	}
	return all
}

// loggedChanges is how many changes of a log a credential is told.
func loggedChanges(t testing.TB, o *gatewaytest.Office, credential [2]string) int {
	t.Helper()
	var page gatewaytest.RESTChanges
	if w := o.Send(t, credential, http.MethodGet, "/changes?limit=500", ""); json.Unmarshal(w.Body.Bytes(), &page) != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return len(page.Changes)
}

func TestARestrictedCredentialIsSentWhatAnOfficeOfItsViewWouldSend(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				w := newTwo(t, seed, database, gateway.CacheSettings{}, nil)
				n, all := loggedChanges(t, w.Part, w.CredentialOfPart), loggedChanges(t, w.Whole, w.Admin)
				if n == 0 || n >= all {
					t.Errorf("seed %d: of %d changes %d are in view, so this shows nothing", seed, all, n)
				}
				for way, told := range map[string]func(o *gatewaytest.Office, credential [2]string) []string{
					"a stream": func(o *gatewaytest.Office, credential [2]string) []string {
						return streamedChanges(t, o, credential, n)
					},
					"a socket": func(o *gatewaytest.Office, credential [2]string) []string {
						return changesOnSocket(t, o, credential, n)
					},
				} {
					w.Same("by "+way, strings.Join(told(w.Whole, w.CredentialOfWhole), "\n"), strings.Join(told(w.Part, w.CredentialOfPart), "\n"), false)
				}
				if w.Differs != "" {
					t.Fatal(w.Differs)
				}
			}
		})
	}
}

func TestAnUploadOfARestrictedCredentialIsTakenForACustomerInViewAlone(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
			own := func(user string) {
				wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {id: "acme", responsibleId: "`+user+`"}) { userErrors { code } } }`), `"userErrors":[]`)
			}
			const content = "%PDF-1.4 of acme"
			own("user-an")
			sent := o.Upload(credential, "acme", "?name=a.pdf", strings.NewReader(content))
			var document struct {
				ID string `json:"_id"`
			}
			if err := json.Unmarshal(sent.Body.Bytes(), &document); err != nil || sent.Code != http.StatusCreated || document.ID == "" {
				t.Fatal(sent.Code, sent.Body)
			}
			prepared, answer := o.PrepareUpload(t, credential, "acme", "b.pdf", false)
			if prepared.UploadPath == nil {
				t.Fatal(answer)
			}
			late, answer := o.PrepareUpload(t, credential, "acme", "c.pdf", false)
			if late.UploadPath == nil {
				t.Fatal(answer)
			}
			if w := o.PutTo(*prepared.UploadPath, strings.NewReader(content)); w.Code != http.StatusCreated {
				t.Errorf("by a signed path: %d %s", w.Code, w.Body)
			}
			wants(t, o.Answers(t, credential, `{ customer(id: "acme") { documents { nodes { id name } } } }`), document.ID, `"b.pdf"`)

			own("user-bruno")
			kept := o.KeptFiles(t)
			for what, code := range map[string]int{
				"to the customer": o.Upload(credential, "acme", "?name=d.pdf", strings.NewReader(content)).Code,
				"to a path that was signed while it was in view": o.PutTo(*late.UploadPath, strings.NewReader(content)).Code,
				"to somebody who never was":                      o.Upload(credential, "cafe", "?name=d.pdf", strings.NewReader(content)).Code,
				"to nobody":                                      o.Upload(credential, "nobody", "?name=d.pdf", strings.NewReader(content)).Code,
			} {
				if code != http.StatusNotFound {
					t.Errorf("%s: %d", what, code)
				}
			}
			if now := o.KeptFiles(t); now != kept {
				t.Errorf("%d files are kept, and were %d", now, kept)
			}
			wants(t, o.Answers(t, credential, `{ node(id: "`+document.ID+`") { id } }`), `"node":null`)
			wants(t, o.Answers(t, admin, `{ node(id: "`+document.ID+`") { id } }`), document.ID)
		})
	}
}

func TestAReplayOfABatchTellsNothingOfWhatHasLeftTheView(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		for _, mode := range []string{"ATOMIC", "EACH"} {
			t.Run(engine+", "+mode, func(t *testing.T) {
				t.Parallel()
				o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
				batch := `mutation { createCustomers(inputs: [{type: COMPANY, name: "First", responsibleId: "user-an"}, {type: COMPANY, name: "Second", responsibleId: "user-an"}], mode: ` + mode + `, idempotencyKey: "k") {
					written userErrors { code } results { customer { id name } userErrors { code } } } }`
				made := o.Answers(t, credential, batch)
				wants(t, made, `"written":2`)
				if again := o.Answers(t, credential, batch); again != made {
					t.Errorf("%s, and again %s", made, again)
				}
				var answer struct {
					Data struct {
						CreateCustomers struct {
							Results []struct{ Customer struct{ ID string } }
						}
					}
				}
				if err := json.Unmarshal([]byte(made), &answer); err != nil || len(answer.Data.CreateCustomers.Results) != 2 {
					t.Fatal(made, err)
				}
				gone := answer.Data.CreateCustomers.Results[0].Customer.ID
				wants(t, o.Answers(t, admin, fmt.Sprintf(`mutation { updateCustomer(input: {id: %q, responsibleId: "user-bruno", name: "Hidden"}) { userErrors { code } } }`, gone)), `"userErrors":[]`)
				again := o.Answers(t, credential, batch)
				if strings.Contains(again, gone) || strings.Contains(again, "Hidden") || strings.Contains(again, "First") {
					t.Errorf("it tells of what is not in view: %s", again)
				}
				wants(t, again, `"NOT_FOUND"`)
			})
		}
	}
}

func TestADeletionAnswersForWhatIsNotInViewAsForWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"cafe"}})
			for _, dry := range []string{"", ", dryRun: true"} {
				for mutation, outside := range map[string]string{
					"deleteCustomerRelation": "rel-1", "deleteCustomer": "acme",
				} {
					said := func(id string) string {
						return strings.ReplaceAll(o.Answers(t, credential, `mutation { `+mutation+`(input: {id: "`+id+`"}`+dry+`) { userErrors { code message field } } }`), id, "ID")
					}
					if got, want := said(outside), said("nothing"); got != want || !strings.Contains(got, "NOT_FOUND") {
						t.Errorf("%s%s: %s, and of nothing %s", mutation, dry, got, want)
					}
				}
			}
			wants(t, o.Answers(t, admin, `{ node(id: "rel-1") { id } }`), `"rel-1"`)
		})
	}
}

func TestADryRunTellsNothingOfRecordsThatTheCallerMayNotSee(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			const dry = `mutation { deleteCustomer(input: {id: "acme"}, dryRun: true) { wouldDelete { minfinDocuments files documents } } }`
			type deletion struct{ MinfinDocuments, Files, Documents int }
			every, some := o.Credential(t, backoffice.AllScopes...), o.Credential(t, backoffice.CustomersWrite)
			toldOfQueries := map[[2]string]bool{some: true, o.RestrictedCredential(t, "one", backoffice.RestrictionFields{Customers: []string{"acme"}}): false}
			would := func(credential [2]string) deletion {
				var answer struct {
					Data struct {
						DeleteCustomer struct{ WouldDelete deletion }
					}
				}
				_, body, _ := o.Ask(t, credential, dry, nil, http.Header{"X-Explain": {"true"}})
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Fatal(err)
				}
				if told := regexp.MustCompile(`"name":"[\w.]+","times":\d+,"rows":[1-9]`).Find(body); told != nil {
					t.Errorf("x-explain tells %s", told)
				}
				if named := bytes.Contains(body, []byte(`"levels"`)); named != (credential == every) {
					t.Errorf("x-explain of a write names statements: %t", named)
				}
				return answer.Data.DeleteCustomer.WouldDelete
			}
			all, without := would(every), would(some)
			if want := (deletion{0, all.Files - all.MinfinDocuments, all.Documents}); all.MinfinDocuments == 0 || without != want {
				t.Errorf("%+v is told without minfin.read, and %+v with it", without, all)
			}
			for credential, told := range toldOfQueries { // a change out of view empties the cache, too
				_, body, _ := o.Ask(t, credential, `{ customer(id: "acme") { name } }`, nil, http.Header{"X-Explain": {"true"}})
				if bytes.Contains(body, []byte(`"storeCalls"`)) != told || bytes.Contains(body, []byte(`"levels"`)) != told {
					t.Errorf("x-explain of a query tells %s", body)
				}
			}
		})
	}
}

func TestWhereTheFeedEndsTellsNothingOfWhatACredentialMayNotSee(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"cafe"}})
			some := o.Credential(t, backoffice.CustomersWrite)
			ends := func(of [2]string) string {
				told := o.Answers(t, of, `{ changes(first: 0) { latestCursor } some: changes(nouns: [LABEL]) { latestCursor } }`)
				listed := o.Send(t, of, http.MethodGet, "/changes?limit=500", "").Body.String()
				exported := o.Send(t, of, http.MethodPost, "/graphql/export?format=jsonl", `{"query":"{ labels { nodes { id } } }"}`)
				return told + listed + exported.Header().Get("Changes-After")
			}
			writes := func(input string) {
				wants(t, o.Answers(t, admin, `mutation { updateCustomer(input: {`+input+`}) { userErrors { code } } }`), `"userErrors":[]`)
			}
			before, others := ends(credential), ends(some)
			writes(`id: "acme", registrationNumber: "85073003328"`)
			if ends(some) != others {
				t.Error("a registration number without privacy.read is told of")
			}
			writes(`id: "acme", email: "new@acme.example"`)
			if ends(credential) != before {
				t.Error("a customer out of view is told of")
			}
			writes(`id: "cafe", email: "new@cafe.example"`)
			if ends(credential) == before || ends(some) == others {
				t.Error("what may be seen moves no end, so this shows nothing")
			}
		})
	}
}
