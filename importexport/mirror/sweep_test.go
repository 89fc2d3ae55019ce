package mirror

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// specified are the paths of the specification.
var specified = regexp.MustCompile(`^/(financialyears/current|checklists|checklists/assign|transcripts|transcripts/download/[^/]+/(file|metadata)|customers|` +
	`customers/[^/]+|customers/[^/]+/(privacy|relations|documents)|customers/documents/[^/]+/download|calculations/[^/]+/proposal/download|minfin|minfin/download/[^/]+|` +
	`minfin/metadata/[^/]+|settings/labels|users/[^/]+)$`)

// bare is an origin that has the specification's requests alone, whose transcripts and checklists do not say where
// they belong.
func bare(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !specified.MatchString(r.URL.Path) || reads && regexp.MustCompile(`^/(settings|users)/`).MatchString(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		var list struct {
			Total *int     `json:"total"`
			Count *int     `json:"count"`
			Data  []record `json:"data"`
		}
		body := answer.Body.Bytes()
		if field := map[string]string{"/checklists": "financialYear", "/transcripts": "checklist"}[r.URL.Path]; field != "" && json.Unmarshal(body, &list) == nil && list.Data != nil {
			for _, told := range list.Data {
				delete(told, field)
			}
			body, _ = json.Marshal(list)
		}
		answer.Header().Del("Content-Length")
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	})
}

// listed are the records of a list, without fields that a bare origin does not tell.
func listed(t *testing.T, o *office, path string, keep func(record) bool, without ...string) string {
	t.Helper()
	var all []record
	for _, r := range o.records(t, path) {
		if keep == nil || keep(r) {
			for _, field := range without {
				delete(r, field)
			}
			all = append(all, r)
		}
	}
	text, err := json.Marshal(all)
	must(t, err)
	return string(text)
}

func TestAnOriginWithTheSpecificationsRequestsAloneIsMirroredAsFarAsItTells(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			t.Parallel()
			origin, copied := newOffice(t, openSQLite(t)).furnish(t), newOffice(t, engine.open(t))
			between := &proxy{}
			pull := copied.pullFrom(origin.serve(t, func(next http.Handler) http.Handler { return between.between(bare(next)) }), origin)
			pull.AllowDeletions = 10
			same := func(when string) {
				t.Helper()
				year := currentYear(t, origin)
				current := func(r record) bool { return r.text("financialYear") == year }
				for _, list := range []struct {
					path    string
					keep    func(record) bool
					without []string
				}{
					{"/customers", nil, []string{"responsible"}}, {"/relations", nil, nil}, {"/documents", nil, nil},
					{"/checklists", current, nil}, {"/transcripts", current, []string{"status", "updatedAt"}}, {"/minfin", nil, []string{"financialYear"}},
				} {
					if want, got := listed(t, origin, list.path, list.keep, list.without...), listed(t, copied, list.path, list.keep, list.without...); got != want {
						t.Errorf("%s: %s has\n%s\ninstead of\n%s", when, list.path, got, want)
					}
				}
			}
			if report := pull.mustOnce(t); report.Incomplete() || report.Rejected() > 0 {
				t.Errorf("the first pull ends with %+v", report)
			}
			same("after the first pull")
			before := copied.changed(t)
			between.asked = nil
			if report := pull.mustOnce(t); report.Incomplete() || report.Requests > 18 || copied.changed(t) != before {
				t.Errorf("with nothing changed it asks %d times: %q", report.Requests, between.asked)
			}
			origin.say(t, backoffice.NounCustomer, `{"_id":"fresh-1","type":"Company","name":"Nieuw"}`, `{"_id":"fresh-2","type":"Company","name":"Ook"}`)
			origin.say(t, backoffice.NounRelation, `{"_id":"rel-fresh","kind":"director","customer":"fresh-1","relatedCustomer":"fresh-2"}`)
			pull.mustOnce(t)
			same("what hangs on a new customer")
			origin.say(t, backoffice.NounRelation, `{"_id":"rel-other","kind":"shareholder","customer":"acme","relatedCustomer":"gaspard"}`, `{"_id":"rel-fresh","_deleted":true}`)
			pull.later += 25 * time.Hour
			pull.mustOnce(t)
			if n := len(copied.records(t, "/relations")); n != len(origin.records(t, "/relations"))+1 {
				t.Errorf("after a sweep there are %d relations", n)
			}
			pull.later += 25 * time.Hour
			pull.mustOnce(t)
			same("after two sweeps")
			origin.say(t, backoffice.NounFinancialYear, `{"_id":"year-next","startDate":"2031","endDate":"2031","isCurrentYear":true}`, `{"_id":"`+currentYear(t, origin)+`","isCurrentYear":false}`)
			origin.say(t, backoffice.NounChecklist, `{"_id":"list-next","name":"Nieuw","language":"dutch","financialYear":"year-next"}`)
			if report := pull.mustOnce(t); report.Rejected() > 0 {
				t.Errorf("after the end of a year it ends with %+v", report)
			}
			same("after the end of a year")
		})
	}
}

func TestNothingIsDeletedThatAnOriginWithTheSpecificationsRequestsAloneHas(t *testing.T) {
	t.Parallel()
	converge(t, min(*histories, 50), 9000, func(h *history) { h.bare = true })
}

func TestASweepWhoseLastCustomersAreDeletedEnds(t *testing.T) {
	t.Parallel()
	origin, copied, pull := specMirror(t)
	pull.mustOnce(t)
	must(t, copied.store.NoteMirror(t.Context(), "", map[string][]byte{sweepNote(nounOf(backoffice.NounRelation)): []byte(`{"cursor":"z"}`)}))
	report := pull.mustOnce(t)
	if of := report.of(backoffice.NounRelation); len(copied.records(t, "/relations")) != 60 || of.Incomplete != "" || of.sweep.Sweeps != 2 {
		t.Errorf("it ends with %+v", of)
	}
	origin.set("status 404", "/customers/c(01|02)/relations")
	pull.later += 25 * time.Hour
	if of := pull.mustOnce(t).of(backoffice.NounRelation); of.Incomplete == "" || len(of.LeftOut) != 2 {
		t.Errorf("two lists that are away are not named: %+v", of)
	}
}

func TestAnOriginThatHasNothingOfANounIsUpToDate(t *testing.T) {
	t.Parallel()
	origin, _, pull := specMirror(t)
	delete(origin.documents, "c05")
	origin.set("status 404", "/customers/c05/documents") // for a customer without any
	for range 2 {
		if of := pull.mustOnce(t).of(backoffice.NounDocument); of.Incomplete != "" {
			t.Errorf("documents: %+v", of)
		}
		pull.later += 25 * time.Hour
	}
	origin.set("", "none")
	origin.mu.Lock()
	origin.lists["/checklists"] = []record{} // as after New Year
	origin.year = "next"
	origin.mu.Unlock()
	for range 2 {
		if report := pull.mustOnce(t); report.of(backoffice.NounTranscript).Incomplete != "" {
			t.Errorf("transcripts: %+v", report.of(backoffice.NounTranscript))
		}
	}
}

func TestEachCustomerIsSweptOnceADay(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	at := &sweep{Sweeps: 1}
	swept, now := map[string]int{}, backoffice.InstantOf(time.Now())
	at.Ran = now
	for range 24 {
		now = backoffice.InstantOf(now.Time().Add(time.Hour))
		behind, first := at.due(ids, now)
		for _, some := range [][]string{behind, first} {
			for _, id := range some {
				swept[id]++
				if at.Cursor, at.Ran = id, now; id == "j" {
					at.next(now)
				}
			}
		}
	}
	for _, id := range ids {
		if swept[id] < 1 || swept[id] > 3 {
			t.Errorf("%s was swept %d times in a day", id, swept[id])
		}
	}
	if behind, first := (&sweep{Cursor: "d"}).due(ids, now); len(behind) != 6 || first != nil {
		t.Errorf("the first sweep goes on with %q and %q", behind, first)
	}
	if behind, first := (&sweep{Sweeps: 2, Cursor: "h", Ran: now + 12*60*60*1000}).due(ids, now); len(behind)+len(first) > 0 {
		t.Errorf("after the clock was put back %q and %q", behind, first)
	}
	if behind, first := (&sweep{Sweeps: 2, Cursor: "h", Ran: 1}).due(ids, now); len(behind)+len(first) != len(ids) {
		t.Errorf("after a long time %q and %q", behind, first)
	}
}
