package parity

import (
	"cmp"
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

// dump is all of an office's data that questions are about, read whole.
type dump struct {
	customers   []*backoffice.Customer
	relations   []*backoffice.CustomerRelation
	transcripts []*backoffice.Transcript
	documents   []*backoffice.CustomerDocument
	users       map[string]*backoffice.User
	checklists  map[string]*backoffice.Checklist
	customer    map[string]*backoffice.Customer
}

func dumped(t *testing.T, o *gatewaytest.Office) dump {
	t.Helper()
	d := dump{
		customers: gatewaytest.All(t, o.Store.Customers()), relations: gatewaytest.All(t, o.Store.Relations()), transcripts: gatewaytest.All(t, o.Store.Transcripts()),
		documents: gatewaytest.All(t, o.Store.Documents()),
		users:     byID(gatewaytest.All(t, o.Store.Users())), checklists: byID(gatewaytest.All(t, o.Store.Checklists())),
	}
	d.customer = byID(d.customers)
	return d
}

// answered is as much of an answer as the questions' tests look at.
type answered struct {
	TotalCount, GroupCount int
	LatestCursor           string
	Groups                 []counted
	Nodes                  []struct {
		ID, ObjectID, Action, Noun string
		Relations                  struct{ TotalCount int }
	}
}

// putQuestion asks one of the questions, in one request.
func putQuestion(t *testing.T, o *gatewaytest.Office, name string, variables map[string]any) (answer answered, ids []string) {
	t.Helper()
	all := gatewaytest.Questions(t)
	at := slices.IndexFunc(all, func(q gatewaytest.Question) bool { return q.Name == name })
	given, err := json.Marshal(variables)
	if err != nil || at < 0 {
		t.Fatal(name, err)
	}
	status, body, _ := o.Ask(t, o.Credential(t, backoffice.AllScopes...), all[at].Document, given, nil)
	var got struct {
		Data   map[string]answered
		Errors []any
	}
	if err := json.Unmarshal(body, &got); err != nil || status != http.StatusOK || len(got.Errors) > 0 || len(got.Data) != 1 {
		t.Fatalf("%s: %d %v %.500s", name, status, err, body)
	}
	for _, answer = range got.Data {
		for _, node := range answer.Nodes {
			ids = append(ids, cmp.Or(node.ID, node.ObjectID))
		}
	}
	return answer, ids
}

// picked are the identifiers of the rows of a kind, in an order.
func picked[T backoffice.Entity](rows []T, of func(T) bool, order func(a, b T) int) (ids []string) {
	var some []T
	for _, row := range rows {
		if of(row) {
			some = append(some, row)
		}
	}
	slices.SortFunc(some, func(a, b T) int { return cmp.Or(order(a, b), strings.Compare(a.Identity(), b.Identity())) })
	for _, row := range some {
		ids = append(ids, row.Identity())
	}
	return ids
}

func byDisplayName(a, b *backoffice.Customer) int {
	return strings.Compare(backoffice.Fold(a.DisplayName), backoffice.Fold(b.DisplayName))
}

func TestEachOfTheThirteenQuestionsIsAnsweredByOneQueryAsByACount(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.Serve(t, gatewaytest.Settings(t, database(t)), gatewaytest.Limits())
			made := demo.Demo{Store: o.Store, Files: o.Files, Keys: o.Keys, Customers: 320, Seed: 5, Now: time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)}
			if err := made.Fill(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := dumped(t, o)
			asked := map[string]bool{}
			for name, want := range d.lists() {
				asked[name] = true
				answer, got := putQuestion(t, o, name, want.variables)
				if shown := want.ids[:min(len(want.ids), cmp.Or(want.first, 500))]; !slices.Equal(got, shown) || len(shown) == 0 {
					t.Errorf("%s: %d rows %.300v instead of %d %.300v", name, len(got), got, len(shown), shown)
				}
				if want.counted && answer.TotalCount != len(want.ids) {
					t.Errorf("%s: a total of %d instead of %d", name, answer.TotalCount, len(want.ids))
				}
			}
			for name, want := range d.groupings() {
				asked[name] = true
				answer, _ := putQuestion(t, o, name, map[string]any{"year": "year-2026"})
				total := 0
				for _, group := range want {
					total += group.Count
				}
				if answer.GroupCount != len(want) || answer.TotalCount != total || len(answer.Groups) != len(want) || len(want) < 2 {
					t.Errorf("%s: %d rows in %d groups, want %d in %d", name, answer.TotalCount, answer.GroupCount, total, len(want))
				}
				for i, group := range answer.Groups {
					if math.Abs(group.AverageProgress-want[i].AverageProgress) < 1e-8 {
						group.AverageProgress = want[i].AverageProgress
					}
					if a, b := gatewaytest.JSON(t, group), gatewaytest.JSON(t, want[i]); a != b {
						t.Fatalf("%s: group %d is %s instead of %s", name, i, a, b)
					}
				}
			}
			for _, name := range checkFollowed(t, o, d) {
				asked[name] = true
			}
			for _, q := range gatewaytest.Questions(t) {
				if !asked[q.Name] {
					t.Errorf("%s was not asked", q.Name)
				}
			}
		})
	}
}

// wantedList is what a question about a list must answer.
type wantedList struct {
	variables map[string]any
	ids       []string // of all rows
	first     int      // how many are shown, 500 for 0
	counted   bool
}

func (d dump) lists() map[string]wantedList {
	has := func(c *backoffice.Customer, of func(*backoffice.Transcript) bool) bool {
		return slices.ContainsFunc(d.transcripts, func(t *backoffice.Transcript) bool { return t.CustomerID == c.ID && of(t) })
	}
	related := func(c *backoffice.Customer) (n int) {
		for _, r := range d.relations {
			if r.CustomerID == c.ID || r.RelatedCustomerID == c.ID {
				n++
			}
		}
		return n
	}
	most := func(a, b *backoffice.Customer) int {
		return cmp.Or(cmp.Compare(related(b), related(a)), strings.Compare(b.ID, a.ID)) // descending turns identifiers round as well
	}
	byCustomer := func(a, b *backoffice.Transcript) int {
		return byDisplayName(d.customer[a.CustomerID], d.customer[b.CustomerID])
	}
	everybody := func(*backoffice.Customer) bool { return true }
	before := time.Date(2025, 6, 15, 0, 0, 0, 0, time.UTC)
	return map[string]wantedList{
		"no-transcript-this-year": {map[string]any{"year": "year-2026"}, picked(d.customers, func(c *backoffice.Customer) bool {
			return !has(c, func(t *backoffice.Transcript) bool { return t.FinancialYearID == "year-2026" })
		}, byDisplayName), 0, true},
		"directors-of-more-than-three-companies": {nil, picked(d.customers, func(c *backoffice.Customer) bool {
			n := 0
			for _, r := range d.relations {
				if r.RelatedCustomerID == c.ID && r.Kind == backoffice.Director {
					n++
				}
			}
			return n > 3
		}, most), 0, true},
		"customers-without-email": {nil, picked(d.customers, func(c *backoffice.Customer) bool { return c.Email == "" }, byDisplayName), 0, true},
		"not-changed-for-a-year": {map[string]any{"before": before.Format("2006-01-02T15:04:05.000Z")}, picked(d.customers, func(c *backoffice.Customer) bool {
			return c.UpdatedAt < backoffice.InstantOf(before)
		}, func(a, b *backoffice.Customer) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) }), 0, true},
		"most-relations":         {nil, picked(d.customers, everybody, most), 20, false},
		"documents-missing":      {nil, picked(d.transcripts, func(t *backoffice.Transcript) bool { return t.IsCompleted && !t.DocumentGenerated }, byCustomer), 0, true},
		"last-years-transcripts": {map[string]any{"year": "year-2025"}, picked(d.transcripts, func(t *backoffice.Transcript) bool { return t.FinancialYearID == "year-2025" }, byCustomer), 0, false},
		"names-typed-wrong":      d.typedWrong(),
	}
}

// typedWrong takes a customer's name, puts its words in another order and two letters of the longest one wrong: that
// customer is the first of those whom the question finds.
func (d dump) typedWrong() wantedList {
	c := d.customers[slices.IndexFunc(d.customers, func(c *backoffice.Customer) bool { return len(c.LastName) >= 8 && len(c.FirstName) > 3 })]
	last := []rune(backoffice.Fold(string(c.LastName)))
	last[3], last[4] = last[4], last[3]
	typed := string(last) + " " + string(c.FirstName)
	trigrams := func(text string) map[string]bool {
		set := map[string]bool{}
		for _, word := range strings.FieldsFunc(backoffice.Fold(text), func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) }) {
			for padded := []rune("  " + word + " "); len(padded) > 2; padded = padded[1:] {
				set[string(padded[:3])] = true
			}
		}
		return set
	}
	search := trigrams(typed)
	shared := func(c *backoffice.Customer) (n int) {
		for trigram := range trigrams(c.DisplayName) {
			if search[trigram] {
				n++
			}
		}
		return n
	}
	alike := func(c *backoffice.Customer) string {
		n := shared(c)
		return fmt.Sprintf("%.5f", 1-float64(n)/(float64(len(search))+0.1*float64(len(trigrams(c.DisplayName))-n)))
	}
	ids := picked(d.customers, func(c *backoffice.Customer) bool { return 3*shared(c) >= len(search) }, func(a, b *backoffice.Customer) int {
		return cmp.Or(strings.Compare(alike(a), alike(b)), byDisplayName(a, b))
	})
	if len(ids) == 0 || d.customer[ids[0]].DisplayName != c.DisplayName {
		panic("the example finds another: " + typed)
	}
	return wantedList{map[string]any{"name": typed}, ids, 10, true}
}

func (d dump) groupings() map[string][]counted {
	var thisYear []*backoffice.Transcript
	for _, t := range d.transcripts {
		if t.FinancialYearID == "year-2026" {
			thisYear = append(thisYear, t)
		}
	}
	progress := func(group *counted, row *backoffice.Transcript) {
		group.AverageProgress += row.ProgressPercentage
		if row.IsCompleted {
			group.CompletedCount++
		}
	}
	return map[string][]counted{
		"transcripts-by-status-and-responsible": countedGroups(thisYear, func(t *backoffice.Transcript) []countedKey {
			user, called := d.customer[t.CustomerID].ResponsibleID, ""
			if user != "" {
				called = d.users[user].FirstName + " " + d.users[user].LastName
			}
			return []countedKey{key(string(t.Status), t.Status.Label()), key(user, called)}
		}, progress),
		"progress-by-checklist": countedGroups(thisYear, func(t *backoffice.Transcript) []countedKey {
			return []countedKey{key(t.ChecklistID, d.checklists[t.ChecklistID].Name)}
		}, progress),
		"customers-by-city": countedGroups(d.customers, func(c *backoffice.Customer) []countedKey {
			return []countedKey{key(string(c.Address.City), string(c.Address.City))}
		}, nil),
	}
}

// checkFollowed changes some, deletes others, and asks what was changed and deleted since: the names of those
// questions.
func checkFollowed(t *testing.T, o *gatewaytest.Office, d dump) (names []string) {
	t.Helper()
	before, _ := putQuestion(t, o, "changed-since-yesterday", map[string]any{"first": 0})
	gone, kept := d.customers[1], d.customers[2]
	credential := o.Credential(t, backoffice.AllScopes...)
	for _, mutation := range []string{
		fmt.Sprintf(`mutation { updateCustomer(input: {id: "%s", phone: "+32 2 123 45 67"}) { userErrors { code } } }`, kept.ID),
		fmt.Sprintf(`mutation { updateCustomer(input: {id: "%s", phone: "+32 2 123 45 67"}) { userErrors { code } } }`, gone.ID),
		fmt.Sprintf(`mutation { deleteCustomer(input: {id: "%s"}) { userErrors { code } } }`, gone.ID),
	} {
		if _, body, _ := o.Ask(t, credential, mutation, nil, nil); !strings.Contains(string(body), `"userErrors":[]`) {
			t.Fatalf("%s: %s", mutation, body)
		}
	}
	now := dumped(t, o)
	var changed, deleted []string
	left := byID(now.transcripts)
	for _, c := range d.transcripts {
		if left[c.ID] == nil {
			deleted = append(deleted, "TRANSCRIPT "+c.ID)
		}
	}
	related := byID(now.relations)
	for _, r := range d.relations {
		if related[r.ID] == nil {
			deleted = append(deleted, "CUSTOMER_RELATION "+r.ID)
		}
	}
	for _, c := range d.customers {
		if of := now.customer[c.ID]; of == nil {
			deleted = append(deleted, "CUSTOMER "+c.ID)
		} else if of.Version != c.Version {
			changed = append(changed, "CUSTOMER "+c.ID)
		}
	}
	all, _ := putQuestion(t, o, "changed-since-yesterday", map[string]any{"after": before.LatestCursor})
	some, _ := putQuestion(t, o, "deleted-since", map[string]any{"after": before.LatestCursor, "nouns": []string{"CUSTOMER", "TRANSCRIPT", "CUSTOMER_RELATION"}})
	told := func(answer answered, action string, nouns string) (list []string) {
		for _, node := range answer.Nodes {
			if node.Action == action && strings.Contains(nouns, node.Noun) {
				list = append(list, node.Noun+" "+node.ObjectID)
			}
		}
		slices.Sort(list)
		return list
	}
	slices.Sort(deleted)
	const nouns = "CUSTOMER TRANSCRIPT CUSTOMER_RELATION"
	if got := told(all, "UPDATED", nouns); !slices.Equal(got, changed) || len(changed) != 1 {
		t.Errorf("changed were %q, want %q", got, changed)
	}
	for name, answer := range map[string]answered{"changed": all, "deleted": some} {
		if got := told(answer, "DELETED", nouns); !slices.Equal(got, deleted) || len(deleted) < 2 {
			t.Errorf("%s: deleted were %q, want %q", name, got, deleted)
		}
	}
	return []string{"changed-since-yesterday", "deleted-since"}
}
