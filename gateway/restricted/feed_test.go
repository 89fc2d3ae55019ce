package restricted

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

var restrictedHistories = flag.Int("restricted-histories", 0, "how many random histories copies of restricted credentials follow, on each engine; 0: a few")

// eachRestriction are restrictions of one kind each, as the type has them, and some of several.
func eachRestriction(t testing.TB, r *gatewaytest.Records, d *rand.Rand) (all [][]backoffice.RestrictionFields) {
	t.Helper()
	values := map[string]string{"Responsible": gatewaytest.AnyOf(d, r.Users).ID, "Labels": gatewaytest.AnyOf(d, r.Labels).ID, "Customers": gatewaytest.AnyOf(d, r.Customers).ID, "Years": gatewaytest.AnyOf(d, r.Years).StartDate}
	for i := range reflect.TypeFor[backoffice.RestrictionFields]().NumField() {
		var f backoffice.RestrictionFields
		value := values[reflect.TypeFor[backoffice.RestrictionFields]().Field(i).Name]
		if value == "" {
			t.Fatal("a kind of restriction that no history has")
		}
		reflect.ValueOf(&f).Elem().Field(i).Set(reflect.ValueOf([]string{value}))
		all = append(all, []backoffice.RestrictionFields{f})
	}
	return append(all, []backoffice.RestrictionFields{randomRestriction(r, d)}, randomAlternatives(r, d))
}

func TestCopiesOfRestrictedCredentialsBecomeWhatTheCredentialsSee(t *testing.T) {
	t.Parallel()
	histories := *restrictedHistories
	if histories == 0 {
		histories = 2
	}
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var told tally
			for first := 0; first < histories; first += perOffice {
				t.Run(fmt.Sprint("histories from ", first), func(t *testing.T) {
					t.Parallel()
					followOffice(t, database(t), first, min(first+perOffice, histories), &told)
				})
			}
			t.Cleanup(func() {
				t.Log(told.of)
				if told.of["CREATED"] == 0 || told.of["DELETED"] == 0 {
					t.Errorf("%v is told, so this shows nothing", told.of)
				}
			})
		})
	}
}

// tally is how often each action was told.
type tally struct {
	mu sync.Mutex
	of map[string]int
}

func (a *tally) add(told map[string]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[string]int{}
	}
	for action, n := range told {
		a.of[action] += n
	}
}

// perOffice is how many histories follow one another in an office, each with other restrictions.
const perOffice = 10

// followOffice follows the histories from first up to end, which are those of one office.
func followOffice(t *testing.T, database string, first, end int, total *tally) {
	t.Helper()
	r := gatewaytest.RandomRecords(uint64(first))
	settings := gatewaytest.Settings(t, database)
	settings.Connections = 4 // each makes a plan of its own for each restriction
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := gatewaytest.Config(gatewaytest.Spacious())
	c.Trash.Keep = gateway.TrashTime(time.Hour)
	o := gatewaytest.ServeConfig(t, h, c)
	r.StoreIn(t, o)
	admin := o.RestrictedCredential(t, "admin", backoffice.RestrictionFields{})
	for seed := first; seed < end; seed++ {
		followHistory(t, o, r, admin, uint64(seed), total)
	}
}

func followHistory(t *testing.T, o *gatewaytest.Office, r *gatewaytest.Records, admin [2]string, seed uint64, total *tally) {
	t.Helper()
	d := rand.New(rand.NewPCG(seed, 25))
	type follower struct {
		credential [2]string
		copy       *copied
		live       streaming
		known      map[string]bool // all that it has ever seen
		sees       []backoffice.RestrictionFields
		idle       int
	}
	var followers []*follower
	see := func(f *follower) map[string]held {
		seen := map[string]held{}
		for noun := range nounLists {
			maps.Copy(seen, seenNow(t, o, f.credential, noun))
		}
		for key := range seen {
			f.known[key] = true
		}
		return seen
	}
	for i, of := range eachRestriction(t, r, d) {
		f := &follower{credential: o.RestrictedCredential(t, fmt.Sprint("credential-", seed, "-", i), of...), known: map[string]bool{}, sees: of, idle: 1 + d.IntN(4)}
		followers = append(followers, f)
	}
	if seed%perOffice > 0 {
		time.Sleep(1100 * time.Millisecond) // the server looks for credentials that it does not know once a second
	}
	for _, f := range followers {
		f.copy = &copied{after: endOfFeed(t, o, f.credential), records: see(f), told: map[string]int{}}
		f.live.copied = &copied{after: f.copy.after, records: maps.Clone(f.copy.records), told: map[string]int{}}
		f.live.begin(t, o.Follower(t, f.credential))
	}
	var history []string
	a := &acting{o, r, t, d, admin}
	for range 25 {
		history = append(history, a.act())
		for _, f := range followers {
			seen := see(f)
			if d.IntN(f.idle) > 0 {
				continue // it comes later, and finds more at once
			}
			told := map[*copied][]string{f.copy: f.copy.follow(t, o, f.credential, gatewaytest.AnyOf(d, []int{1, 2, 50})), f.live.copied: f.live.follow(t, o, f.credential, seen)}
			for c, ids := range told {
				for _, id := range ids {
					if !f.known[id] {
						t.Errorf("seed %d, %+v: it is told of %s, which it never saw, after\n%s", seed, f.sees, id, strings.Join(history, "\n"))
					}
				}
				if missing, more := apart(seen, c.records), apart(c.records, seen); missing != nil || more != nil {
					t.Fatalf("seed %d, %+v: a copy (a stream's: %t) lacks %q and has %q that are not seen, after\n%s",
						seed, f.sees, c != f.copy, missing, more, strings.Join(history, "\n"))
				}
			}
			if d.IntN(8) == 0 { // the stream breaks, and goes on
				f.live.cut()
				f.live.begin(t, o.Follower(t, f.credential))
			}
		}
	}
	for _, f := range followers {
		f.live.cut()
		total.add(f.copy.told)
	}
}

func TestOnlyARelationThatWasSeenIsToldToBeGoneAfterAMerge(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Customers: []string{"kept", "dropped", "seen", "lost"}})
			err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				var all []*backoffice.Customer
				for _, id := range []string{"a-hidden", "kept", "dropped", "seen", "lost", "z-hidden"} {
					all = append(all, &backoffice.Customer{ID: id, Type: backoffice.Company, OwnName: backoffice.Text(id), DisplayName: id, Version: 1})
				}
				if err := tx.Customers().Upsert(ctx, all); err != nil {
					return err
				}
				relation := func(id, of, with string) *backoffice.CustomerRelation {
					return &backoffice.CustomerRelation{ID: id, Kind: backoffice.Shareholder, CustomerID: of, RelatedCustomerID: with, Version: 1}
				}
				return tx.Relations().Insert(ctx, relation("never-a", "dropped", "a-hidden"), relation("never-z", "z-hidden", "dropped"),
					relation("moves", "dropped", "seen"), relation("goes", "seen", "lost"))
			})
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for keep, drop := range map[string]string{"kept": "dropped", "z-hidden": "lost"} {
				after := endOfFeed(t, o, credential)
				wants(t, o.Answers(t, admin, fmt.Sprintf(`mutation { mergeCustomers(input: {keepId: %q, dropId: %q}) { userErrors { code } } }`, keep, drop)), `"userErrors":[]`)
				said += o.Answers(t, credential, `{ changes(after: "`+after+`") { nodes { noun action objectId } } }`)
			}
			for id, action := range map[string]string{"never-a": "", "never-z": "", "moves": "UPDATED", "goes": "DELETED"} {
				if told := strings.Contains(said, `"objectId":"`+id+`"`); told != (action != "") || told && !strings.Contains(said, `"action":"`+action+`","objectId":"`+id+`"`) {
					t.Errorf("%s: %s", id, said)
				}
			}
		})
	}
}

const aReset = `subscription { changes { noun action objectId } }`

func TestALabelOfManyCustomersIsToldByReset(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, admin, credential := restricted(t, database(t), backoffice.RestrictionFields{Labels: []string{"label-plain"}})
			var many []*backoffice.Customer
			for i := range 1001 {
				many = append(many, &backoffice.Customer{ID: fmt.Sprint("many-", i), Type: backoffice.Company, OwnName: "Many", DisplayName: "Many", ResponsibleID: "user-an", Version: 1})
			}
			wants(t, o.Answers(t, admin, `mutation { updateUser(input: {id: "user-an", labelIds: []}) { userErrors { code } } }`), `"userErrors":[]`)
			if err := o.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, many) }); err != nil {
				t.Fatal(err)
			}
			after := endOfFeed(t, o, admin)
			equal := []gatewaytest.Subscription{o.Follower(t, credential).Subscribes(t, aReset, nil), o.Follower(t, credential).Subscribes(t, aReset, nil)}
			wants(t, o.Answers(t, admin, `mutation { updateUser(input: {id: "user-an", labelIds: ["label-plain"]}) { userErrors { code } } }`), `"userErrors":[]`)
			_, listed, _ := o.Ask(t, credential, `{ changes(after: "`+after+`") { nodes { noun action objectId } } }`, nil, nil)
			for _, s := range equal { // which share executions
				var told []string
				for range strings.Count(string(listed), `"noun"`) {
					e, _ := s.Next()
					told = append(told, strings.TrimSuffix(strings.TrimPrefix(e.Data, `{"data":{"changes":`), "}}"))
				}
				wants(t, string(listed), `"nodes":[`+strings.Join(told, ",")+`]`)
			}
			wants(t, o.Answers(t, credential, `{ changes(after: "`+after+`") { nodes { noun action objectId object { id } } } }`),
				`{"noun":"CUSTOMER","action":"RESET","objectId":null,"object":null}`, `{"noun":"TRANSCRIPT","action":"RESET","objectId":null,"object":null}`)
			wants(t, o.Send(t, credential, http.MethodGet, "/changes?after="+after, "").Body.String(), `"id":null,"action":"RESET"`)
		})
	}
}
