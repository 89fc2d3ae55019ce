package mirror

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

func TestAMirrorAnswersTheSameRequestsWithTheSameBodiesAsTheOrigin(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied := newOffice(t, engine.open(t)).furnish(t), newOffice(t, openSQLite(t))
			if engine.name != "SQLite" {
				origin, copied = newOffice(t, openSQLite(t)).furnish(t), newOffice(t, engine.open(t))
			}
			url := origin.serve(t, nil)
			report := copied.pullFrom(url, origin).mustOnce(t)
			if report.Incomplete() || report.Rejected() > 0 {
				t.Errorf("the pull ends with %+v", report)
			}
			wantSame(t, origin, copied)
			origin.say(t, backoffice.NounCustomer, `{"_id":"new-1","type":"Company","name":"Nieuw","addressFields":{"city":"Gent"}}`)
			copied.pullFrom(url, origin).mustOnce(t)
			wantSame(t, origin, copied)
		})
	}
}

func TestASecondPullWithNothingChangedWritesNothingAndAsksOnceAPage(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	pull := copied.pullFrom(origin.serve(t, nil), origin)
	pull.pageSize = 4
	first := pull.mustOnce(t)
	before := copied.changed(t)
	second := pull.mustOnce(t)
	if loaded := second.total(); loaded.Created+loaded.Updated+loaded.Deleted+loaded.Rejected > 0 || loaded.Unchanged != first.total().Created || copied.changed(t) != before {
		t.Errorf("the second pull does %+v", second.total())
	}
	if pages := second.pages(); int(second.Requests) > pages {
		t.Errorf("it asks %d times for %d pages", second.Requests, pages)
	}
}

// proxy is between a pull and its origin: fault may answer in its place.
type proxy struct {
	mu    sync.Mutex
	asked []string
	fault func(n int, w http.ResponseWriter, r *http.Request) (done bool)
}

func (p *proxy) between(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.URL.RequestURI())
		n := len(p.asked)
		fault := p.fault
		p.mu.Unlock()
		if fault == nil || !fault(n, w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

func (p *proxy) set(fault func(n int, w http.ResponseWriter, r *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

func lists(r *http.Request, path string) bool { return r.URL.Path == path }

func TestABusyOriginIsAskedAgainAndByFewerAtOnce(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	storm := &proxy{fault: func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n%3 == 0 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[n%2])
		return true
	}}
	pull := copied.pullFrom(origin.serve(t, storm.between), origin)
	pull.pageSize = 2
	if report := pull.mustOnce(t); report.Incomplete() {
		t.Errorf("the pull ends with %+v", report)
	}
	wantSame(t, origin, copied)
}

func TestAnOriginThatAsksForLongerIsNotAskedBefore(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	closed := &proxy{fault: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	}}
	pull := copied.pullFrom(origin.serve(t, closed.between), origin)
	for range 3 { // as --watch does
		if _, err := pull.Once(t.Context()); err == nil || len(closed.asked) != 1 {
			t.Errorf("it asks %d times: %v", len(closed.asked), err)
		}
	}
}

func TestTheBudgetOfAnHourIsForAllPulls(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	pull := copied.pullFrom(origin.serve(t, nil), origin)
	pull.PerHour = 60 * 60 * 1000
	next := time.Now().Add(-time.Minute)
	for range 3 { // as --watch does
		report := pull.mustOnce(t)
		next = next.Add(time.Duration(report.Requests) * time.Millisecond)
		if pull.throttle.next.Before(next) {
			t.Errorf("after %d requests the next may come at %v, not at %v", report.Requests, pull.throttle.next, next)
		}
	}
}

func TestWhatIsMissingInTwoWholeWalksAndGoneByItselfIsDeleted(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	pull := copied.pullFrom(origin.serve(t, nil), origin)
	pull.mustOnce(t)
	for _, r := range origin.records(t, "/customers")[:2] {
		origin.say(t, backoffice.NounCustomer, `{"_id":"`+r.id()+`","_deleted":true}`)
	}
	pull.AllowDeletions = 2
	if report := pull.mustOnce(t); report.total().Deleted != 0 {
		t.Errorf("one walk is enough to delete: %+v", report)
	}
	pull.AllowDeletions = 0
	report := pull.mustOnce(t)
	if report.Nouns[4].Loaded.Deleted != 0 || !report.Incomplete() || !strings.Contains(report.Nouns[4].Incomplete, "--allow-deletions 2") {
		t.Errorf("more than one in 50 are deleted: %+v", report)
	}
	pull.AllowDeletions = 2
	if report := pull.mustOnce(t); report.Nouns[4].Loaded.Deleted != 2 || report.Incomplete() {
		t.Errorf("it is not deleted: %+v", report)
	}
	wantSame(t, origin, copied)
}

func TestOneRecordOfASmallNounIsDeletedByItself(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	pull := copied.pullFrom(origin.serve(t, nil), origin)
	pull.mustOnce(t)
	origin.say(t, backoffice.NounLabel, `{"_id":"`+origin.records(t, "/settings/labels")[0].id()+`","_deleted":true}`)
	for range 2 {
		pull.mustOnce(t)
	}
	wantSame(t, origin, copied)
}

func TestATranscriptThatLostItsCalculationHasTheOriginsMoment(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, engine.open(t))
		pull := copied.pullFrom(origin.serve(t, nil), origin)
		pull.AllowDeletions = 5
		pull.mustOnce(t)
		origin.say(t, backoffice.NounCalculation, `{"_id":"`+origin.records(t, "/calculations")[0].id()+`","_deleted":true}`)
		for range 2 {
			pull.mustOnce(t)
		}
		wantSame(t, origin, copied)
	}
}

func TestAListThatIsCutShortEmptyOrMiscountedDeletesNothing(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"an empty list":        `{"total":0,"count":0,"data":[]}`,
		"an empty page":        `{"total":7,"count":0,"data":[]}`,
		"a list cut short":     `{"total":7,"count":1,"data":[{"_id":"x-1","type":"Company","name":"X"}]}`,
		"a total that is less": `{"total":1,"count":1,"data":[{"_id":"x-1","type":"Company","name":"X"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
			between := &proxy{}
			pull := copied.pullFrom(origin.serve(t, between.between), origin)
			pull.mustOnce(t)
			between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if lists(r, "/customers") {
					_, _ = w.Write([]byte(body))
				}
				return lists(r, "/customers")
			})
			for range 3 {
				report := pull.mustOnce(t)
				if report.total().Deleted > 0 || name != "a total that is less" && report.Nouns[4].Incomplete == "" {
					t.Errorf("it ends with %+v", report.Nouns[4])
				}
			}
			between.set(nil)
			pull.AllowDeletions = 1 // of what the proxy made up
			for range 2 {
				pull.mustOnce(t)
			}
			wantSame(t, origin, copied)
		})
	}
}

func TestAnInterruptedWalkGoesOn(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	between := &proxy{}
	pull := copied.pullFrom(origin.serve(t, between.between), origin)
	pull.pageSize = 2
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if lists(r, "/customers") && r.URL.Query().Get("page") == "3" {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	})
	if report := pull.mustOnce(t); !report.Incomplete() {
		t.Errorf("the origin was away, and the pull ends with %+v", report)
	}
	between.set(nil)
	between.asked = nil
	if report := pull.mustOnce(t); report.Incomplete() {
		t.Errorf("the second pull ends with %+v", report)
	}
	for _, asked := range between.asked {
		if strings.HasPrefix(asked, "GET /customers?page=1&") || strings.HasPrefix(asked, "GET /customers?page=2&") {
			t.Errorf("it begins again: %s", asked)
		}
	}
	wantSame(t, origin, copied)
}

func TestWhatMovedToAnotherCustomerThereDoesNotGoWithTheFirstHere(t *testing.T) {
	t.Parallel()
	origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openSQLite(t))
	between := &proxy{}
	pull := copied.pullFrom(origin.serve(t, between.between), origin)
	pull.AllowDeletions = 10
	pull.mustOnce(t)
	moved := origin.records(t, "/transcripts")[0]
	for _, customer := range origin.records(t, "/customers") {
		if customer.id() != moved.text("customer") {
			origin.say(t, backoffice.NounTranscript, `{"_id":"`+moved.id()+`","customer":"`+customer.id()+`"}`)
			break
		}
	}
	origin.say(t, backoffice.NounCustomer, `{"_id":"`+moved.text("customer")+`","_deleted":true}`)
	between.set(func(_ int, w http.ResponseWriter, r *http.Request) bool { // so that nobody knows here that it moved
		if lists(r, "/transcripts") {
			_, _ = w.Write([]byte(`{"total":7,"count":0,"data":[]}`))
		}
		return lists(r, "/transcripts")
	})
	for range 2 {
		pull.mustOnce(t)
	}
	if wrong := deletedHere(t, origin, copied); len(wrong) > 0 {
		t.Errorf("these are deleted here and not there: %q", wrong)
	}
	between.set(nil)
	for range 3 {
		pull.mustOnce(t)
	}
	wantSame(t, origin, copied)
}

func TestAReleasedStoreIsNotAMirrorAgainByAPullThatRuns(t *testing.T) {
	t.Parallel()
	for _, during := range []bool{false, true} {
		url := sqlitetest.URL(t)
		other := openAt(t, url) // of another process
		origin, copied, between := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, openAt(t, url)), &proxy{}
		origin.fed = true
		pull := copied.pullFrom(origin.serve(t, between.between), origin)
		pull.mustOnce(t)
		release := func() {
			_, err := Release(t.Context(), other)
			must(t, err)
		}
		if during {
			between.set(func(_ int, _ http.ResponseWriter, r *http.Request) bool {
				if lists(r, "/changes") {
					release()
				}
				return false
			})
		} else {
			release()
		}
		for range 2 {
			if _, err := pull.Once(t.Context()); backoffice.KindOf(err) != backoffice.BadInput {
				t.Errorf("released during a pull %t: it ends with %v", during, err)
			}
		}
		if m, err := copied.store.Mirror(t.Context()); err != nil || m != nil {
			t.Errorf("released during a pull %t: the store is a mirror again: %+v %v", during, m, err)
		}
		between.set(nil)
		if report := copied.pullFrom(pull.From, origin).mustOnce(t); report.pages() < 10 {
			t.Errorf("released during a pull %t: the next mirror is not read completely: %+v", during, report)
		}
	}
}

func TestAnOriginThatShowsNoRegistrationNumbersIsNotReadCompletely(t *testing.T) {
	t.Parallel()
	purpose := "audit"
	for _, scopes := range [][]backoffice.Scope{nil, {backoffice.PrivacyRead}} {
		origin, copied := newOffice(t, openSQLite(t), scopes...).furnish(t), newOffice(t, openSQLite(t))
		pull := copied.pullFrom(origin.serve(t, nil), origin)
		pull.Purpose = &purpose
		report := pull.mustOnce(t)
		why := report.of(backoffice.NounCustomer).Incomplete
		if strings.Contains(why, "privacy.read") != (scopes == nil) {
			t.Errorf("with the scopes %v it ends with %q", scopes, why)
		}
	}
}
