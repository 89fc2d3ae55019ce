package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// What a restricted pair is sent without asking for each thing, what it sends, and what it is answered again: the
// paths that restricted_office_test.go does not make up.

const toldOfChanges = `subscription($after: String) { changes(after: $after) { noun objectId action fields parents { noun id } object { __typename id } } }`

// streamed are the first n changes of a log as a subscription over Server-Sent Events tells them.
func (o *office) streamed(t testing.TB, pair [2]string, n int) (all []string) {
	t.Helper()
	s := o.follower(t, pair).subscribes(t, toldOfChanges, map[string]any{"after": o.cursor(t, 0)})
	for range n {
		e, ok := s.next()
		if !ok || e.name != "next" {
			t.Fatalf("%+v after %d of %d", e, len(all), n)
		}
		all = append(all, e.data)
	}
	return all
}

// heard are the same as a socket tells them.
func (o *office) heard(t testing.TB, pair [2]string, n int) (all []string) {
	t.Helper()
	s := o.follower(t, pair).connects(t)
	s.says(t, subscribing("1", toldOfChanges, map[string]any{"after": o.cursor(t, 0)}))
	for range n {
		m := s.hears(t)
		if m.Type != "next" {
			t.Fatalf("%s %s after %d of %d", m.Type, m.Payload, len(all), n)
		}
		all = append(all, string(m.Payload))
	}
	return all
}

// loggedChanges is how many changes of a log a pair is told.
func (o *office) loggedChanges(t testing.TB, pair [2]string) int {
	t.Helper()
	var page restChanges
	if w := o.send(t, pair, http.MethodGet, "/changes?limit=500", ""); json.Unmarshal(w.Body.Bytes(), &page) != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return len(page.Changes)
}

func TestARestrictedPairIsSentWhatAnOfficeOfItsViewWouldSend(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				w := newTwo(t, seed, database, CacheSettings{}, nil)
				n, all := w.part.loggedChanges(t, w.pairPart), w.whole.loggedChanges(t, w.admin)
				if n == 0 || n >= all {
					t.Errorf("seed %d: of %d changes %d are in view, so this shows nothing", seed, all, n)
				}
				for way, told := range map[string]func(o *office, pair [2]string) []string{
					"a stream": func(o *office, pair [2]string) []string { return o.streamed(t, pair, n) },
					"a socket": func(o *office, pair [2]string) []string { return o.heard(t, pair, n) },
				} {
					w.same("by "+way, strings.Join(told(w.whole, w.pairOfWhole), "\n"), strings.Join(told(w.part, w.pairPart), "\n"), false)
				}
				if w.differs != "" {
					t.Fatal(w.differs)
				}
			}
		})
	}
}

func TestAnUploadOfARestrictedPairIsTakenForACustomerInViewAlone(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, pair := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
			own := func(user string) {
				wants(t, o.answers(t, admin, `mutation { updateCustomer(input: {id: "acme", responsibleId: "`+user+`"}) { userErrors { code } } }`), `"userErrors":[]`)
			}
			const content = "%PDF-1.4 of acme"
			own("user-an")
			sent := o.upload(pair, "acme", "?name=a.pdf", strings.NewReader(content))
			var document struct {
				ID string `json:"_id"`
			}
			if err := json.Unmarshal(sent.Body.Bytes(), &document); err != nil || sent.Code != http.StatusCreated || document.ID == "" {
				t.Fatal(sent.Code, sent.Body)
			}
			prepared, answer := o.prepare(t, pair, "acme", "b.pdf", false)
			if prepared.UploadPath == nil {
				t.Fatal(answer)
			}
			late, answer := o.prepare(t, pair, "acme", "c.pdf", false)
			if late.UploadPath == nil {
				t.Fatal(answer)
			}
			if w := o.putTo(*prepared.UploadPath, strings.NewReader(content)); w.Code != http.StatusCreated {
				t.Errorf("by a signed path: %d %s", w.Code, w.Body)
			}
			wants(t, o.answers(t, pair, `{ customer(id: "acme") { documents { nodes { id name } } } }`), document.ID, `"b.pdf"`)

			own("user-bruno")
			kept := o.kept(t)
			for what, code := range map[string]int{
				"to the customer": o.upload(pair, "acme", "?name=d.pdf", strings.NewReader(content)).Code,
				"to a path that was signed while it was in view": o.putTo(*late.UploadPath, strings.NewReader(content)).Code,
				"to somebody who never was":                      o.upload(pair, "cafe", "?name=d.pdf", strings.NewReader(content)).Code,
				"to nobody":                                      o.upload(pair, "nobody", "?name=d.pdf", strings.NewReader(content)).Code,
			} {
				if code != http.StatusNotFound {
					t.Errorf("%s: %d", what, code)
				}
			}
			if now := o.kept(t); now != kept {
				t.Errorf("%d files are kept, and were %d", now, kept)
			}
			wants(t, o.answers(t, pair, `{ node(id: "`+document.ID+`") { id } }`), `"node":null`)
			wants(t, o.answers(t, admin, `{ node(id: "`+document.ID+`") { id } }`), document.ID)
		})
	}
}

func TestAReplayOfABatchTellsNothingOfWhatHasLeftTheView(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		for _, mode := range []string{"ATOMIC", "EACH"} {
			t.Run(engine+", "+mode, func(t *testing.T) {
				t.Parallel()
				o, admin, pair := restricted(t, database(t), backoffice.RestrictionFields{Responsible: []string{"user-an"}})
				batch := `mutation { createCustomers(inputs: [{type: COMPANY, name: "First", responsibleId: "user-an"}, {type: COMPANY, name: "Second", responsibleId: "user-an"}], mode: ` + mode + `, idempotencyKey: "k") {
					written userErrors { code } results { customer { id name } userErrors { code } } } }`
				made := o.answers(t, pair, batch)
				wants(t, made, `"written":2`)
				if again := o.answers(t, pair, batch); again != made {
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
				wants(t, o.answers(t, admin, fmt.Sprintf(`mutation { updateCustomer(input: {id: %q, responsibleId: "user-bruno", name: "Hidden"}) { userErrors { code } } }`, gone)), `"userErrors":[]`)
				again := o.answers(t, pair, batch)
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
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, pair := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"cafe"}})
			for _, dry := range []string{"", ", dryRun: true"} {
				for mutation, outside := range map[string]string{
					"deleteCustomerRelation": "rel-1", "deleteCustomer": "acme",
				} {
					said := func(id string) string {
						return strings.ReplaceAll(o.answers(t, pair, `mutation { `+mutation+`(input: {id: "`+id+`"}`+dry+`) { userErrors { code message field } } }`), id, "ID")
					}
					if got, want := said(outside), said("nothing"); got != want || !strings.Contains(got, "NOT_FOUND") {
						t.Errorf("%s%s: %s, and of nothing %s", mutation, dry, got, want)
					}
				}
			}
			wants(t, o.answers(t, admin, `{ node(id: "rel-1") { id } }`), `"rel-1"`)
		})
	}
}

func TestADryRunTellsNothingOfRecordsThatTheCallerMayNotSee(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			const dry = `mutation { deleteCustomer(input: {id: "acme"}, dryRun: true) { wouldDelete { minfinDocuments files documents } } }`
			type deletion struct{ MinfinDocuments, Files, Documents int }
			would := func(pair [2]string) deletion {
				var answer struct {
					Data struct {
						DeleteCustomer struct{ WouldDelete deletion }
					}
				}
				_, body, _ := o.ask(t, pair, dry, nil, http.Header{"X-Explain": {"true"}})
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Fatal(err)
				}
				for _, shape := range []string{"cascade", "attached", "going"} {
					if told := regexp.MustCompile(`"name":"\w+\.` + shape + `","times":\d+,"rows":[1-9]`).Find(body); told != nil {
						t.Errorf("x-explain tells %s", told)
					}
				}
				return answer.Data.DeleteCustomer.WouldDelete
			}
			every, some := o.pair(t, backoffice.AllScopes...), o.pair(t, backoffice.CustomersWrite)
			all, without := would(every), would(some)
			if want := (deletion{0, all.Files - all.MinfinDocuments, all.Documents}); all.MinfinDocuments == 0 || without != want {
				t.Errorf("%+v is told without minfin.read, and %+v with it", without, all)
			}
		})
	}
}

func TestWhereTheFeedEndsTellsNothingOfWhatAPairMayNotSee(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, pair := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"cafe"}})
			some := o.pair(t, backoffice.CustomersWrite)
			ends := func(of [2]string) string {
				told := o.answers(t, of, `{ changes(first: 0) { latestCursor } some: changes(nouns: [LABEL]) { latestCursor } }`)
				listed := o.send(t, of, http.MethodGet, "/changes?limit=500", "").Body.String()
				exported := o.send(t, of, http.MethodPost, "/graphql/export?format=jsonl", `{"query":"{ labels { nodes { id } } }"}`)
				return told + listed + exported.Header().Get("Changes-After")
			}
			writes := func(input string) {
				wants(t, o.answers(t, admin, `mutation { updateCustomer(input: {`+input+`}) { userErrors { code } } }`), `"userErrors":[]`)
			}
			before, others := ends(pair), ends(some)
			writes(`id: "acme", registrationNumber: "85073003328"`)
			if ends(some) != others {
				t.Error("a registration number without privacy.read is told of")
			}
			writes(`id: "acme", email: "new@acme.example"`)
			if ends(pair) != before {
				t.Error("a customer out of view is told of")
			}
			writes(`id: "cafe", email: "new@cafe.example"`)
			if ends(pair) == before || ends(some) == others {
				t.Error("what may be seen moves no end, so this shows nothing")
			}
		})
	}
}
