package parity

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway/gatewaytest"
)

// analystQuestion is one that is asked in one query, and what a count over all records says.
type analystQuestion struct {
	query string
	want  func(d dump) map[string]any
}

type (
	transcripts = []*backoffice.Transcript
	object      = map[string]any
)

var (
	spring   = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	lastYear = time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
)

// analystQuestions are the five harder ones, and the seven that could not be asked.
func analystQuestions(label string) map[string]analystQuestion {
	at := func(t time.Time) string { return `"` + t.Format("2006-01-02T15:04:05.000Z") + `"` }
	in := func(at backoffice.Instant, from, to time.Time) bool {
		return at != 0 && at >= backoffice.InstantOf(from) && at < backoffice.InstantOf(to)
	}
	return map[string]analystQuestion{
		"companies without a responsible user that have something open": {
			`{ customers(filter: {type: COMPANY, hasResponsible: false, transcripts: {some: {isCompleted: false}}}) { totalCount } }`,
			func(d dump) map[string]any {
				return object{"customers": counts(d.customers, func(c *backoffice.Customer) bool {
					return c.Type == backoffice.Company && c.ResponsibleID == "" && slices.ContainsFunc(d.transcriptsOf(c), func(t *backoffice.Transcript) bool { return !t.IsCompleted })
				})}
			},
		},
		"customers whom nobody can reach": {
			`{ customers(filter: {hasEmail: false, hasPhone: false}) { totalCount } either: customers(filter: {any: [{hasEmail: false}, {hasPhone: false}]}) { totalCount } }`,
			func(d dump) map[string]any {
				return object{
					"customers": counts(d.customers, func(c *backoffice.Customer) bool { return c.Email == "" && c.Phone == "" }),
					"either":    counts(d.customers, func(c *backoffice.Customer) bool { return c.Email == "" || c.Phone == "" }),
				}
			},
		},
		"what is left to do in a year": workListQuestion(),
		"owners of several companies who have no transcript of their own this year": {
			`{ customers(filter: {relations: {kind: UBO, direction: INCOMING, atLeast: 2}, transcripts: {none: {financialYearId: "year-2026"}}}) { totalCount } }`,
			func(d dump) map[string]any {
				return object{"customers": counts(d.customers, func(c *backoffice.Customer) bool {
					n := 0
					for _, r := range d.relations {
						if r.RelatedCustomerID == c.ID && r.Kind == backoffice.UBO {
							n++
						}
					}
					return n >= 2 && !slices.ContainsFunc(d.transcriptsOf(c), func(t *backoffice.Transcript) bool { return t.FinancialYearID == "year-2026" })
				})}
			},
		},
		"what is not completed this year, by status": {
			`{ transcriptsAggregate(filter: {isCompleted: false, financialYearId: "year-2026"}, groupBy: STATUS) { totalCount groups { count keys { value } } } }`,
			func(d dump) map[string]any {
				by := map[string]int{}
				total := 0
				for _, t := range d.transcripts {
					if !t.IsCompleted && t.FinancialYearID == "year-2026" {
						by[string(t.Status)]++
						total++
					}
				}
				return object{"transcriptsAggregate": object{"totalCount": total, "groups": grouped(by)}}
			},
		},
		"completed, but the document is missing or the calculation was rejected": {
			`{ transcripts(filter: {isCompleted: true, any: [{documentGenerated: false}, {status: REJECTED}]}) { totalCount } }`,
			func(d dump) map[string]any {
				return object{"transcripts": counts(d.transcripts, func(t *backoffice.Transcript) bool {
					return t.IsCompleted && (!t.DocumentGenerated || t.Status == backoffice.Rejected)
				})}
			},
		},
		"by a label of the responsible user": {
			`{ customers(filter: {labelId: "` + label + `"}) { totalCount } transcripts(filter: {labelId: "` + label + `", isCompleted: false}) { totalCount }
				customersAggregate(groupBy: LABEL) { groups { count keys { value } } } }`,
			func(d dump) map[string]any {
				by := map[string]int{}
				for _, c := range d.customers {
					if u := d.users[c.ResponsibleID]; u == nil || len(u.LabelIDs) == 0 {
						by[""]++
					} else {
						for _, label := range u.LabelIDs {
							by[label]++
						}
					}
				}
				return object{
					"customers": counts(d.customers, func(c *backoffice.Customer) bool { return d.labelled(c, label) }),
					"transcripts": counts(d.transcripts, func(t *backoffice.Transcript) bool {
						return !t.IsCompleted && d.labelled(d.customer[t.CustomerID], label)
					}),
					"customersAggregate": object{"groups": grouped(by)},
				}
			},
		},
		"assigned, completed, generated or sent in a period": {
			fmt.Sprintf(`{ overdue: transcripts(filter: {createdTo: %[2]s, isCompleted: false}) { totalCount } assigned: transcripts(filter: {createdFrom: %[1]s, createdTo: %[2]s}) { totalCount }
				completed: transcripts(filter: {completedFrom: %[1]s, completedTo: %[2]s}) { totalCount } sent: transcripts(filter: {sentFrom: %[1]s, sentTo: %[2]s}) { totalCount }
				generated: transcripts(filter: {documentGeneratedFrom: %[1]s, documentGeneratedTo: %[2]s}) { totalCount } }`, at(lastYear), at(spring)),
			func(d dump) map[string]any {
				during := func(of func(*backoffice.Transcript) backoffice.Instant) object {
					return counts(d.transcripts, func(t *backoffice.Transcript) bool { return in(of(t), lastYear, spring) })
				}
				return object{
					"overdue": counts(d.transcripts, func(t *backoffice.Transcript) bool {
						return t.CreatedAt != 0 && t.CreatedAt < backoffice.InstantOf(spring) && !t.IsCompleted
					}),
					"assigned":  during(func(t *backoffice.Transcript) backoffice.Instant { return t.CreatedAt }),
					"completed": during(func(t *backoffice.Transcript) backoffice.Instant { return t.CompletedAt }),
					"sent":      during(func(t *backoffice.Transcript) backoffice.Instant { return t.SentAt }),
					"generated": during(func(t *backoffice.Transcript) backoffice.Instant { return t.DocumentGeneratedAt }),
				}
			},
		},
		"turnaround": {
			`{ transcriptsAggregate(groupBy: FINANCIAL_YEAR, turnaround: {from: CREATED, to: COMPLETED}) {
				groups { count keys { value } turnaround { count meanDays lowerQuartileDays medianDays upperQuartileDays } } } }`,
			func(d dump) map[string]any { return object{"transcriptsAggregate": object{"groups": d.turnarounds()}} },
		},
		"answers in a range": {
			`{ large: transcripts(filter: {customVariable: {key: "turnover", gte: 1000000}}) { totalCount }
				middle: transcripts(filter: {customVariable: {key: "employees", gte: 10, lte: 20}}) { totalCount } }`,
			func(d dump) map[string]any {
				within := func(key string, least, most float64) object {
					return counts(d.transcripts, func(t *backoffice.Transcript) bool {
						var answers map[string]any
						number, is := 0.0, json.Unmarshal([]byte(t.CustomVariables.String()), &answers) == nil
						if is {
							number, is = answers[key].(float64)
						}
						return is && number >= least && number <= most
					})
				}
				return object{"large": within("turnover", 1_000_000, math.Inf(1)), "middle": within("employees", 10, 20)}
			},
		},
		"customers without a document": {
			`{ customers(filter: {hasDocument: false}) { totalCount } with: customers(filter: {hasDocument: true}) { totalCount } }`,
			func(d dump) map[string]any {
				has := map[string]bool{}
				for _, document := range d.documents {
					has[document.CustomerID] = true
				}
				return object{
					"customers": counts(d.customers, func(c *backoffice.Customer) bool { return !has[c.ID] }),
					"with":      counts(d.customers, func(c *backoffice.Customer) bool { return has[c.ID] }),
				}
			},
		},
		"duplicates by similar names": {
			`{ similar: duplicates(by: SIMILAR_NAME_AND_POSTAL_CODE) { totalCount groupCount groups { value count customers { id } } } }`,
			func(d dump) map[string]any {
				return object{
					"similar": d.alike(func(c *backoffice.Customer) string {
						if c.Address.PostalCode == "" {
							return ""
						}
						return backoffice.SimilarNameOf(c.DisplayName) + ", " + backoffice.Fold(string(c.Address.PostalCode))
					}),
				}
			},
		},
		"duplicates": {
			`{ email: duplicates(by: EMAIL) { ...D } kbo: duplicates(by: KBO_NUMBER, filter: {type: COMPANY}) { ...D } name: duplicates(by: NAME_AND_POSTAL_CODE) { ...D } }
				fragment D on CustomerDuplicates { totalCount groupCount groups { value count customers { id } } }`,
			func(d dump) map[string]any {
				return object{
					"email": d.alike(func(c *backoffice.Customer) string { return backoffice.FoldEmail(string(c.Email)) }),
					"kbo":   d.alike(func(c *backoffice.Customer) string { return string(c.KboNumber) }),
					"name": d.alike(func(c *backoffice.Customer) string {
						if c.Address.PostalCode == "" {
							return ""
						}
						return backoffice.Fold(c.DisplayName) + ", " + backoffice.Fold(string(c.Address.PostalCode))
					}),
				}
			},
		},
	}
}

// TestWhatCouldNotBeAskedIsAnsweredByOneQueryAsByACount asks, with the thirteen of web/questions, 27 of 27.
func TestWhatCouldNotBeAskedIsAnsweredByOneQueryAsByACount(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.Serve(t, gatewaytest.Settings(t, database(t)), gatewaytest.Limits())
			made := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: 320, Seed: 5, Now: time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)}
			if err := made.Fill(t.Context()); err != nil {
				t.Fatal(err)
			}
			credential := o.Credential(t, backoffice.AllScopes...)
			d := dumped(t, o)
			user := mostCustomers(d)
			confined := o.RestrictedCredential(t, "confined", backoffice.RestrictionFields{Responsible: []string{user}})
			blind := o.RestrictedCredential(t, "blind", backoffice.RestrictionFields{Customers: []string{"nobody"}})
			makeAlike(t, o, credential, d, user)
			d = dumped(t, o)
			label := d.users[user].LabelIDs[0]
			asked := analystQuestions(label)
			if len(asked) != 13 { // and what changed since, below
				t.Errorf("%d questions", len(asked))
			}
			for name, q := range asked {
				for whose, seen := range map[string]dump{"the office": d, "one user": d.visibleTo(user)} {
					by := map[string][2]string{"the office": credential, "one user": confined}[whose]
					status, body, _ := o.Ask(t, by, q.query, nil, nil)
					var got struct {
						Data   any
						Errors []any
					}
					if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK || got.Errors != nil {
						t.Fatalf("%s: %d %.500s", name, status, body)
					}
					want := gatewaytest.JSON(t, q.want(seen))
					if text := gatewaytest.JSON(t, got.Data); text != want {
						t.Errorf("%s, asked by %s:\n%.1500s\ninstead of\n%.1500s", name, whose, text, want)
					}
					t.Logf("%s, asked by %s: %.200s", name, whose, want)
				}
			}
			checkChangedSince(t, o, credential, blind, d)
		})
	}
}

// mostCustomers is the labelled user with the most customers.
func mostCustomers(d dump) (user string) {
	n := map[string]int{}
	for _, c := range d.customers {
		if u := d.users[c.ResponsibleID]; u != nil && len(u.LabelIDs) > 0 {
			if n[u.ID]++; user == "" || n[u.ID] > n[user] {
				user = u.ID
			}
		}
	}
	return user
}

// makeAlike gives some customers of a user, and others, the same e-mail, KBO number, or name and postal code.
func makeAlike(t *testing.T, o *gatewaytest.Office, credential [2]string, d dump, user string) {
	t.Helper()
	var own, others []*backoffice.Customer
	for _, c := range d.customers {
		if c.Type != backoffice.Company || c.KboNumber == "" || c.Address.PostalCode == "" {
			continue
		}
		if c.ResponsibleID == user {
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	for _, c := range slices.Concat(own[1:3], others[:9]) {
		o.Write(t, credential, fmt.Sprintf(`mutation { updateCustomer(input: {id: "%s", email: "Same@Example.org", kboNumber: "%s", name: "Één Naam", address: {postalCode: "9000"}}) { userErrors { code } } }`,
			c.ID, own[0].KboNumber))
	}
}

// checkChangedSince compares what became visible since an instant with the whole feed, on both interfaces.
func checkChangedSince(t *testing.T, o *gatewaytest.Office, credential, blind [2]string, d dump) {
	t.Helper()
	time.Sleep(5 * time.Millisecond)
	since := backoffice.InstantOf(time.Now())
	time.Sleep(5 * time.Millisecond)
	for _, c := range d.customers[:3] {
		o.Write(t, credential, fmt.Sprintf(`mutation { updateCustomer(input: {id: "%s", phone: "+32 2 555 00 11"}) { userErrors { code } } }`, c.ID))
	}
	ids := func(of []*backoffice.Customer) (all []object) {
		for _, c := range of {
			all = append(all, object{"objectId": c.ID})
		}
		return all
	}
	query := fmt.Sprintf(`{ changes(since: "%s", nouns: [CUSTOMER]) { nodes { objectId } } }`, since) // discrepancies may be recorded meanwhile
	if _, body, _ := o.Ask(t, credential, query, nil, nil); strings.TrimSpace(string(body)) != gatewaytest.JSON(t, object{"data": object{"changes": object{"nodes": ids(d.customers[:3])}}}) {
		t.Errorf("changed since: %.500s", body)
	}
	var rest struct{ Changes []struct{ ID string } }
	w := o.Send(t, credential, http.MethodGet, "/changes?noun=CUSTOMER&since="+since.String(), "")
	if err := json.Unmarshal(w.Body.Bytes(), &rest); err != nil || len(rest.Changes) != 3 || rest.Changes[0].ID != d.customers[0].ID {
		t.Errorf("%d %.500s", w.Code, w.Body)
	}
	// A caller who may see none of them is told nothing of where they are in the log.
	const latest = `{ changes(since: "%s") { nodes { objectId } latestCursor pageInfo { hasPreviousPage } } }`
	_, before, _ := o.Ask(t, blind, fmt.Sprintf(latest, "2020-01-01T00:00:00.000Z"), nil, nil)
	_, after, _ := o.Ask(t, blind, fmt.Sprintf(latest, since), nil, nil)
	_, later, _ := o.Ask(t, blind, fmt.Sprintf(latest, "2100-01-01T00:00:00.000Z"), nil, nil)
	if string(after) != string(later) {
		t.Errorf("the end differs: %s, %s, %s", before, after, later)
	}
	both := fmt.Sprintf(`{ changes(since: "%s", after: "x7k2m9qa.42") { latestCursor } }`, since)
	if got := o.Query(t, credential, both, "{}"); len(got.Errors) != 1 || got.Errors[0].Message != "after and since cannot be combined" {
		t.Errorf("%+v", got.Errors)
	}
}
