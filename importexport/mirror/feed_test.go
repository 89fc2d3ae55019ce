package mirror

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// fedMirror is a mirror of a furnished office with a change feed, after its first walk.
func fedMirror(t *testing.T, open func(testing.TB) backoffice.Store) (origin, copied *office, pull *Pull, between *proxy) {
	t.Helper()
	origin, copied, between = newOffice(t, openSQLite(t)).furnish(t), newOffice(t, open(t)), &proxy{}
	origin.fed = true
	pull = copied.pullFrom(origin.serve(t, between.between), origin)
	pull.mustOnce(t)
	between.asked = nil
	return origin, copied, pull, between
}

func TestFromAnOriginWithAFeedASecondPullAsksOnceAndAThirdForWhatWasChanged(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied, pull, between := fedMirror(t, engine.open)
			before := copied.changed(t)
			report := pull.mustOnce(t)
			if report.Requests != 1 || copied.changed(t) != before || report.Nouns[4].Loaded.Unchanged != 7 || report.Incomplete() {
				t.Errorf("with nothing changed it asks %d times, %q, and ends with %+v", report.Requests, between.asked, report.Nouns[4])
			}
			origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Anders"}`, `{"_id":"new-1","type":"Company","name":"Nieuw"}`)
			origin.say(t, backoffice.NounRelation, `{"_id":"r-new","kind":"director","customer":"new-1","relatedCustomer":"acme"}`)
			between.asked = nil
			if report = pull.mustOnce(t); report.Requests > 7 || report.Incomplete() {
				t.Errorf("with 3 records changed it asks %d times: %q", report.Requests, between.asked)
			}
			if total := report.total(); total.Created != 2 || total.Updated != 1 {
				t.Errorf("it ends with %+v", total)
			}
			wantSame(t, origin, copied)
		})
	}
}

func TestAnOriginWithALostHistoryIsWalkedThroughAgainThoughItsLogHasGrownPastThePlace(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied, pull, _ := fedMirror(t, engine.open)
			if err := origin.store.RenewHistory(t.Context(), "", "restore", backoffice.InstantOf(time.Now())); err != nil {
				t.Fatal(err)
			}
			origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Anders"}`)
			if report := pull.mustOnce(t); report.pages() < 10 || report.Incomplete() {
				t.Errorf("it is not walked through: %+v", report)
			}
			wantSame(t, origin, copied)
			if report := pull.mustOnce(t); report.Requests != 1 {
				t.Errorf("then it asks %d times", report.Requests)
			}
		})
	}
}

func TestADeletionThatTheFeedTellsIsAskedForAndBounded(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := fedMirror(t, openSQLite)
	gone := origin.records(t, "/customers")[1].id()
	origin.say(t, backoffice.NounCustomer, `{"_id":"`+gone+`","_deleted":true}`, `{"_id":"`+origin.records(t, "/customers")[2].id()+`","_deleted":true}`)
	report := pull.mustOnce(t)
	if report.total().Deleted != 0 || !strings.Contains(report.Nouns[4].Incomplete, "--allow-deletions 2") {
		t.Errorf("more than one in 50 are deleted: %+v", report.Nouns[4])
	}
	pull.AllowDeletions = 50
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool { // it still answers
		if r.URL.Path == "/customers/"+gone {
			_, _ = w.Write([]byte(`{"_id":"` + gone + `"}`))
			return true
		}
		return false
	})
	if report = pull.mustOnce(t); report.Nouns[4].Loaded.Deleted != 1 {
		t.Errorf("what is still there is deleted: %+v", report.Nouns[4])
	}
	between.set(nil)
	if report = pull.mustOnce(t); report.Nouns[4].Loaded.Deleted != 1 || report.Incomplete() {
		t.Errorf("what is gone is not deleted: %+v", report.Nouns[4])
	}
	wantSame(t, origin, copied)
	if report = pull.mustOnce(t); report.Requests != 1 {
		t.Errorf("then it asks %d times", report.Requests)
	}
}

func TestOnePullDeletesNoMoreThanItsBoundHoweverManyRoundsItTakes(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := fedMirror(t, openSQLite)
	before := len(copied.records(t, "/customers"))
	between.set(func(_ int, _ http.ResponseWriter, r *http.Request) bool { // somebody deletes all, one after the other
		if all := origin.records(t, "/customers"); lists(r, "/changes") && len(all) > 0 {
			origin.say(t, backoffice.NounCustomer, `{"_id":"`+all[0].id()+`","_deleted":true}`)
		}
		return false
	})
	report := pull.mustOnce(t)
	if left := len(copied.records(t, "/customers")); before-left > 1 || !strings.Contains(report.of(backoffice.NounCustomer).Incomplete, "--allow-deletions") {
		t.Errorf("of %d customers %d are left: %+v", before, left, report.of(backoffice.NounCustomer))
	}
}

func TestANounThatTheOriginNoLongerShowsIsNotUpToDate(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := fedMirror(t, openSQLite)
	at := func(noun backoffice.Noun) backoffice.Instant {
		m, err := copied.store.Mirror(t.Context())
		must(t, err)
		return m.Of(noun).At
	}
	before := at(backoffice.NounLabel)
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if lists(r, "/settings/labels") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	origin.say(t, backoffice.NounLabel, `{"_id":"late","name":"Late"}`)
	pull.later += 25 * time.Hour // it walks through everything
	report := pull.mustOnce(t)
	if of := report.of(backoffice.NounLabel); of.Incomplete == "" || at(backoffice.NounLabel) != before || at(backoffice.NounUser) == before {
		t.Errorf("the pull ends with %+v, %d after %d", of, at(backoffice.NounLabel), before)
	}
	between.set(nil)
	pull.mustOnce(t)
	wantSame(t, origin, copied)
}

func TestAFeedThatDoesNotGoOnHasEverythingWalkedThroughAgain(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"it has expired":           "410",
		"it is no feed any more":   "<html>",
		"it is cut short":          `{"changes":[],"latest":"x7k2m9qa.9999"}`,
		"it is another one":        `{"changes":[{"sequence":1,"at":"2020-01-01T00:00:00.000Z","noun":"CUSTOMER","id":"x","action":"UPDATED"}],"latest":"x7k2m9qa.9999"}`,
		"it is not there any more": "404",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin, copied, pull, between := fedMirror(t, openSQLite)
			origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Anders"}`)
			between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if !lists(r, "/changes") {
					return false
				}
				switch body {
				case "410":
					w.WriteHeader(http.StatusGone)
				case "404":
					w.WriteHeader(http.StatusNotFound)
				default:
					_, _ = w.Write([]byte(body))
				}
				return true
			})
			if report := pull.mustOnce(t); report.pages() < 10 || report.Incomplete() {
				t.Errorf("it is not walked through: %+v", report)
			}
			wantSame(t, origin, copied)
			between.set(nil)
			origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Nog anders"}`)
			for range 2 {
				pull.mustOnce(t)
			}
			wantSame(t, origin, copied)
		})
	}
}

func TestThatAnAddressHasNoFeedSaysNothingOfAnother(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, engine.open(t))
			origin.fed = true
			address := origin.serve(t, (&proxy{}).between)
			if report := copied.pullFrom(address+"/mistyped", origin).mustOnce(t); report.pages() != 0 {
				t.Fatalf("there is something at the mistyped address: %+v", report)
			}
			right := copied.pullFrom(address, origin)
			right.mustOnce(t)
			wantSame(t, origin, copied)
			if report := right.mustOnce(t); report.pages() != 0 {
				t.Errorf("the second pull from the right address walks through everything: %+v", report)
			}
			origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Anders"}`)
			if report := right.mustOnce(t); report.pages() != 0 {
				t.Errorf("it does not follow the feed: %+v", report)
			}
			wantSame(t, origin, copied)
		})
	}
}

func TestAWalkThatHasMissedARecordIsFoundOutBeforeTheFeedIsFollowed(t *testing.T) {
	t.Parallel()
	findsOutAboutTheFirstWalk(t, func(users []record) []record { // as when one moves over a page's border while others come and go
		return users[1:]
	})
}

func TestAMirrorWithMoreRecordsThanTheOriginIsFoundOutBeforeTheFeedIsFollowed(t *testing.T) {
	t.Parallel()
	findsOutAboutTheFirstWalk(t, func(users []record) []record {
		return append(users, record{"_id": textOf("zz"), "firstName": textOf("An"), "lastName": textOf("Maes"), "email": textOf("zz@office.example")})
	})
}

// findsOutAboutTheFirstWalk has a mirror walk through an origin that answers wrongly which users there are, and wants
// it to notice, and to be equal two pulls later.
func findsOutAboutTheFirstWalk(t *testing.T, answered func(users []record) []record) {
	t.Helper()
	origin, copied, between := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t)), &proxy{}
	origin.fed = true
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if !lists(r, "/users") || r.URL.Query().Get("pageSize") == "1" {
			return false
		}
		users := answered(origin.records(t, "/users"))
		text, _ := json.Marshal(map[string]any{"total": len(users), "count": len(users), "data": users})
		_, _ = w.Write(text)
		return true
	})
	pull := copied.pullFrom(origin.serve(t, between.between), origin)
	if report := pull.mustOnce(t); !report.Incomplete() {
		t.Errorf("the first walk ends with %+v", report)
	}
	between.set(nil)
	for range 2 {
		pull.mustOnce(t)
	}
	wantSame(t, origin, copied)
}

func TestManyChangesAreReadByPages(t *testing.T) {
	t.Parallel()
	origin, copied, pull, _ := fedMirror(t, openSQLite)
	lines := make([]string, 1200)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"_id":"many-%04d","type":"Company","name":"Klant %d"}`, i, i)
	}
	origin.say(t, backoffice.NounCustomer, lines...)
	report := pull.mustOnce(t)
	if report.Requests > 12 || report.Nouns[4].Loaded.Created != len(lines) {
		t.Errorf("%d records are read by %d requests: %+v", len(lines), report.Requests, report.Nouns[4])
	}
	wantSame(t, origin, copied)
}

func TestWhatCouldNotBeLoadedIsReadAgainByTheNextPull(t *testing.T) {
	t.Parallel()
	origin, copied, pull, between := fedMirror(t, openSQLite)
	origin.say(t, backoffice.NounCustomer, `{"_id":"acme","name":"Anders"}`)
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/customers/acme" {
			_, _ = w.Write([]byte(`{"_id":"acme","type":"Company","name":"Anders","kboNumber":"1"}`))
			return true
		}
		return false
	})
	for range 2 {
		if report := pull.mustOnce(t); report.Rejected() != 1 {
			t.Errorf("a record that is no good is not told: %+v", report.Nouns[4])
		}
	}
	between.set(nil)
	if report := pull.mustOnce(t); report.Rejected() != 0 || report.total().Updated != 1 {
		t.Errorf("it is not loaded once it is good: %+v", report.Nouns[4])
	}
	wantSame(t, origin, copied)
}

func TestAMirrorThatFollowsAFeedConverges(t *testing.T) {
	t.Parallel()
	converge(t, *histories, 5000, func(h *history) { h.origin.fed = true })
}

func TestWhatChangesWhileEverythingIsReadIsInTheFeedThatIsFollowed(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	origin.fed = true
	between := &proxy{fault: func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		if lists(r, "/transcripts") {
			origin.say(t, backoffice.NounLabel, `{"_id":"l-late","name":"While it is read"}`)
		}
		return false
	}}
	pull := copied.pullFrom(origin.serve(t, between.between), origin)
	for range 4 {
		pull.mustOnce(t)
		between.set(nil)
	}
	wantSame(t, origin, copied)
}

func TestAUniqueValueThatPassedOnIsHereAfterOnePull(t *testing.T) {
	t.Parallel()
	origin, copied, pull, _ := fedMirror(t, openSQLite)
	pull.AllowDeletions = 5
	origin.say(t, backoffice.NounCustomer, `{"_id":"els","_deleted":true}`)
	origin.say(t, backoffice.NounCustomer, `{"_id":"acme","customerCode":"P-001"}`,
		`{"_id":"new-1","type":"Company","name":"Nieuw"}`)
	if report := pull.mustOnce(t); report.Incomplete() || report.Rejected() > 0 {
		t.Errorf("it ends with %+v", report.of(backoffice.NounCustomer))
	}
	wantSame(t, origin, copied)
}

func TestCustomersThatComeIntoTheViewOfTheOriginsCredentialOrLeaveItAreFollowed(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied, between := newOffice(t, engine.open(t)).furnish(t), newOffice(t, openSQLite(t)), &proxy{}
			origin.fed = true
			only, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"user-bruno"}})
			must(t, err)
			now := backoffice.InstantOf(time.Now())
			scopes := []backoffice.Scope{backoffice.MinfinRead}
			credential, err := backoffice.NewCredential("bruno", "test", scopes, now, 0)
			must(t, err)
			credential.Restriction = only
			secret, err := auth.Create(t.Context(), origin.store, credential, now)
			must(t, err)
			pull := copied.pullFrom(origin.serve(t, between.between), origin)
			pull.ClientID, pull.Secret, pull.AllowDeletions = credential.ID, secret, 20
			// The last entry stays visible.
			origin.say(t, backoffice.NounCustomer, `{"_id":"cafe","phone":"+32 2 123 45 67"}`)
			pull.mustOnce(t)
			for _, change := range []string{
				`{"_id":"acme","responsible":"user-bruno"}`, `{"_id":"els","responsible":null}`,
				`{"_id":"brouwerij","responsible":"user-bruno"}`, `{"_id":"acme","phone":null}`,
			} {
				origin.say(t, backoffice.NounCustomer, change)
			}
			between.asked = nil
			report := pull.mustOnce(t)
			if report.Incomplete() || slices.Contains(between.asked, "GET /customers?page=1&pageSize=500") {
				t.Errorf("it asks %q", between.asked)
			}
			for _, of := range report.Nouns {
				if of.Incomplete != "" || of.Missing > 0 {
					t.Error(of.Noun, of.Incomplete, of.Missing)
				}
			}
			have := map[string]bool{}
			for _, r := range copied.records(t, "/customers") {
				have[r.id()] = true
			}
			if !have["acme"] || !have["brouwerij"] || have["els"] {
				t.Errorf("these customers are here: %v", have)
			}
			if report = pull.mustOnce(t); report.Requests != 1 {
				t.Errorf("then it asks %d times", report.Requests)
			}
		})
	}
}
