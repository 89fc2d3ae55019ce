package gateway

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

var restrictedHistories = flag.Int("restricted-histories", 0, "how many random histories copies of restricted pairs follow, on each engine; 0: a few")

// held is a record as a copy keeps it: on what it hangs.
type held struct{ noun, id, on string }

// copied is a copy of what a pair sees, kept by the rules of docs/sync.md.
type copied struct {
	after   string
	records map[string]held // by noun and identifier
	told    map[string]int  // entries by action
}

// nounLists are the root fields by which a noun is read whole, and on what its records hang.
var nounLists = map[string][2]string{
	"CUSTOMER": {"customers", ""}, "TRANSCRIPT": {"transcripts", "customer { id }"},
	"CALCULATION": {"calculations", "transcript { id customer { id } }"}, "CUSTOMER_DOCUMENT": {"documents", "customer { id }"},
	"MINFIN_DOCUMENT": {"minfinDocuments", "of: customer { id }"}, "CUSTOMER_RELATION": {"relations", "customer { id } relatedCustomer { id }"},
}

// sees is what a pair sees of a noun now.
func (o *office) sees(t testing.TB, pair [2]string, noun string) map[string]held {
	t.Helper()
	of := nounLists[noun]
	var answer struct {
		Data map[string]struct{ Nodes []json.RawMessage }
	}
	text := o.answers(t, pair, "{ "+of[0]+"(first: 500) { nodes { id "+of[1]+" } } }")
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Data == nil {
		t.Fatal(text, err)
	}
	seen := map[string]held{}
	for _, node := range answer.Data[of[0]].Nodes {
		var record struct{ ID string }
		_ = json.Unmarshal(node, &record)
		seen[noun+" "+record.ID] = held{noun, record.ID, string(node)}
	}
	return seen
}

// obeys does what one change says.
func (c *copied) obeys(t testing.TB, o *office, pair [2]string, noun, action string, id *string, object json.RawMessage) {
	t.Helper()
	c.told[action]++
	if action == "RESET" {
		maps.DeleteFunc(c.records, func(_ string, h held) bool { return h.noun == noun })
		maps.Copy(c.records, o.sees(t, pair, noun))
		return
	}
	if action == "DELETED" || string(object) == "null" {
		delete(c.records, noun+" "+*id)
		if noun == "CUSTOMER" || noun == "TRANSCRIPT" { // with it goes what hangs on it
			maps.DeleteFunc(c.records, func(_ string, h held) bool { return h.noun != noun && strings.Contains(h.on, `{"id":"`+*id+`"`) })
		}
	}
	if action != "DELETED" && string(object) != "null" {
		c.records[noun+" "+*id] = held{noun, *id, string(object)}
	}
}

// follow reads pages of a size until nothing more is told, and returns the identifiers that were.
func (c *copied) follow(t testing.TB, o *office, pair [2]string, size int) (told []string) {
	t.Helper()
	selected := ""
	for _, noun := range slices.Sorted(maps.Keys(nounLists)) {
		name := map[string]string{"CUSTOMER": "Customer", "TRANSCRIPT": "Transcript", "CALCULATION": "Calculation", "CUSTOMER_DOCUMENT": "CustomerDocument",
			"MINFIN_DOCUMENT": "MinfinDocument", "CUSTOMER_RELATION": "CustomerRelation"}[noun]
		selected += " ... on " + name + " { id " + nounLists[noun][1] + " }"
	}
	for {
		var answer struct {
			Data struct {
				Changes struct {
					LatestCursor string
					PageInfo     struct {
						HasNextPage bool
						EndCursor   *string
					}
					Nodes []struct {
						Noun, Action string
						ObjectID     *string
						Object       json.RawMessage
					}
				}
			}
		}
		text := o.answers(t, pair, fmt.Sprintf(`{ changes(after: %q, first: %d, nouns: [%s]) { latestCursor pageInfo { hasNextPage endCursor } nodes { noun action objectId object {%s } } } }`,
			c.after, size, strings.Join(slices.Sorted(maps.Keys(nounLists)), ", "), selected))
		if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Data.Changes.LatestCursor == "" {
			t.Fatal(text, err)
		}
		page := answer.Data.Changes
		for _, n := range page.Nodes {
			c.obeys(t, o, pair, n.Noun, n.Action, n.ObjectID, n.Object)
			if n.ObjectID != nil {
				told = append(told, n.Noun+" "+*n.ObjectID)
			}
		}
		if c.after = page.LatestCursor; !page.PageInfo.HasNextPage {
			return told
		}
		c.after = *page.PageInfo.EndCursor
	}
}

// acts is one random act of an office; each may move what a restricted pair sees.
func (r *records) acts(t testing.TB, o *office, admin [2]string, d *rand.Rand) string {
	t.Helper()
	customer, user := anyOf(d, r.customers).ID, anyOf(d, r.users)
	mutation := func(text string) string {
		o.answers(t, admin, "mutation { "+text+" { userErrors { code } } }")
		return text
	}
	write := func(what string, do func(ctx context.Context, tx backoffice.Tx) error) string {
		if err := o.Store.Write(t.Context(), do); err != nil {
			t.Fatal(what, err)
		}
		return what
	}
	switch d.IntN(12) {
	case 0, 1, 2:
		responsible := "null"
		if d.IntN(4) > 0 {
			responsible = `"` + user.ID + `"`
		}
		return mutation(fmt.Sprintf(`updateCustomer(input: {id: %q, responsibleId: %s})`, customer, responsible))
	case 3, 4:
		var labels []string
		for _, label := range r.labels {
			if d.IntN(2) == 0 {
				labels = append(labels, `"`+label.ID+`"`)
			}
		}
		return mutation(fmt.Sprintf(`updateUser(input: {id: %q, labelIds: [%s]})`, user.ID, strings.Join(labels, ", ")))
	case 5, 6:
		return mutation(fmt.Sprintf(`assignChecklist(input: {checklistId: %q, customerId: %q})`, anyOf(d, r.checklists).ID, customer))
	case 7:
		return mutation(fmt.Sprintf(`createCustomerRelation(input: {customerId: %q, relatedCustomerId: %q, kind: UBO})`, customer, anyOf(d, r.customers).ID))
	case 8:
		if d.IntN(3) > 0 {
			return mutation(fmt.Sprintf(`updateCustomer(input: {id: %q, email: "a%d@b.example"})`, customer, d.IntN(100)))
		}
		return mutation(fmt.Sprintf(`deleteCustomer(input: {id: %q})`, customer))
	case 9:
		id := anyOf(d, r.transcripts).ID
		return write("transcript goes: "+id, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Transcripts().Delete(ctx, id)
			return err
		})
	case 10:
		id := anyOf(d, r.documents).ID
		return write("document goes: "+id, func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Documents().Delete(ctx, id)
			return err
		})
	}
	relation := anyOf(d, r.relations).ID
	return mutation(fmt.Sprintf(`deleteCustomerRelation(input: {id: %q})`, relation))
}

// eachRestriction are restrictions of one kind each, as the type has them, and some of several.
func (r *records) eachRestriction(t testing.TB, d *rand.Rand) (all [][]backoffice.RestrictionFields) {
	t.Helper()
	values := map[string]string{"Responsible": anyOf(d, r.users).ID, "Labels": anyOf(d, r.labels).ID, "Customers": anyOf(d, r.customers).ID, "Years": anyOf(d, r.years).StartDate}
	for i := range reflect.TypeFor[backoffice.RestrictionFields]().NumField() {
		var f backoffice.RestrictionFields
		value := values[reflect.TypeFor[backoffice.RestrictionFields]().Field(i).Name]
		if value == "" {
			t.Fatal("a kind of restriction that no history has")
		}
		reflect.ValueOf(&f).Elem().Field(i).Set(reflect.ValueOf([]string{value}))
		all = append(all, []backoffice.RestrictionFields{f})
	}
	return append(all, []backoffice.RestrictionFields{r.randomRestriction(d)}, r.randomAlternatives(d))
}

func TestCopiesOfRestrictedPairsBecomeWhatThePairsSee(t *testing.T) {
	t.Parallel()
	histories := *restrictedHistories
	if histories == 0 {
		histories = 2
	}
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			told := map[string]int{}
			for seed := range uint64(histories) {
				t.Run(fmt.Sprint("history ", seed), func(t *testing.T) { followHistory(t, database(t), seed, 25, told) })
			}
			t.Log(told)
			if told["CREATED"] == 0 || told["DELETED"] == 0 {
				t.Errorf("%v is told, so this shows nothing", told)
			}
		})
	}
}

func followHistory(t *testing.T, database string, seed uint64, acts int, total map[string]int) {
	t.Helper()
	d, r := rand.New(rand.NewPCG(seed, 25)), randomRecords(seed)
	settings := officeSettings(t, database)
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := serveConfigured(t, h, quiet(spacious()))
	r.store(t, o)
	admin := o.restrictedPair(t, "admin", backoffice.RestrictionFields{})
	type follower struct {
		pair  [2]string
		copy  *copied
		known map[string]bool // all that it has ever seen
		sees  []backoffice.RestrictionFields
		idle  int
	}
	var followers []*follower
	see := func(f *follower) map[string]held {
		seen := map[string]held{}
		for noun := range nounLists {
			maps.Copy(seen, o.sees(t, f.pair, noun))
		}
		for key := range seen {
			f.known[key] = true
		}
		return seen
	}
	for i, of := range r.eachRestriction(t, d) {
		f := &follower{pair: o.restrictedPair(t, fmt.Sprint("pair-", i), of...), known: map[string]bool{}, sees: of, idle: 1 + d.IntN(4)}
		followers = append(followers, f)
	}
	for _, f := range followers {
		f.copy = &copied{after: o.endOfFeed(t, f.pair), records: see(f), told: map[string]int{}}
	}
	var history []string
	for range acts {
		history = append(history, r.acts(t, o, admin, d))
		for _, f := range followers {
			seen := see(f)
			if d.IntN(f.idle) > 0 {
				continue // it comes later, and finds more at once
			}
			for _, id := range f.copy.follow(t, o, f.pair, anyOf(d, []int{1, 2, 50})) {
				if !f.known[id] {
					t.Errorf("seed %d, %+v: it is told of %s, which it never saw, after\n%s", seed, f.sees, id, strings.Join(history, "\n"))
				}
			}
			if missing, more := apart(seen, f.copy.records), apart(f.copy.records, seen); missing != nil || more != nil {
				t.Fatalf("seed %d, %+v: the copy lacks %q and has %q that are not seen, after\n%s", seed, f.sees, missing, more, strings.Join(history, "\n"))
			}
		}
	}
	for _, f := range followers {
		for action, n := range f.copy.told {
			total[action] += n
		}
	}
}

// endOfFeed is from where a copy goes on.
func (o *office) endOfFeed(t testing.TB, pair [2]string) string {
	t.Helper()
	return strings.Split(o.answers(t, pair, "{ changes(first: 0) { latestCursor } }"), `"`)[7]
}

// apart is what a has that b has not.
func apart(a, b map[string]held) (keys []string) {
	for key := range a {
		if _, has := b[key]; !has {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func TestALabelOfManyCustomersIsToldByReset(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, pair := restricted(t, database(t), backoffice.RestrictionFields{Labels: []string{"label-plain"}})
			var many []*backoffice.Customer
			for i := range 1001 {
				many = append(many, &backoffice.Customer{ID: fmt.Sprint("many-", i), Type: backoffice.Company, OwnName: "Many", DisplayName: "Many", ResponsibleID: "user-an", Version: 1})
			}
			wants(t, o.answers(t, admin, `mutation { updateUser(input: {id: "user-an", labelIds: []}) { userErrors { code } } }`), `"userErrors":[]`)
			if err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, many) }); err != nil {
				t.Fatal(err)
			}
			after := o.endOfFeed(t, admin)
			wants(t, o.answers(t, admin, `mutation { updateUser(input: {id: "user-an", labelIds: ["label-plain"]}) { userErrors { code } } }`), `"userErrors":[]`)
			wants(t, o.answers(t, pair, `{ changes(after: "`+after+`") { nodes { noun action objectId object { id } } } }`),
				`{"noun":"CUSTOMER","action":"RESET","objectId":null,"object":null}`, `{"noun":"TRANSCRIPT","action":"RESET","objectId":null,"object":null}`)
			wants(t, o.send(t, pair, http.MethodGet, "/changes?after="+after, "").Body.String(), `"id":null,"action":"RESET"`)
		})
	}
}
