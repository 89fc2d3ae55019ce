package feed

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func changeOf(e gatewaytest.Event) (change gatewaytest.RESTChange) {
	_ = json.Unmarshal([]byte(e.Data), &change)
	return change
}

func streamREST(ctx context.Context, f gatewaytest.Follower, query string, header ...string) (*gatewaytest.Events, error) {
	response, err := f.Get(ctx, query, append([]string{"Accept", "text/event-stream"}, header...)...)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		_ = response.Body.Close()
		return nil, errors.New("the stream is refused: " + response.Status)
	}
	return &gatewaytest.Events{Response: response, Lines: bufio.NewScanner(response.Body)}, nil
}

func mustStreamREST(t testing.TB, f gatewaytest.Follower, query string, header ...string) *gatewaytest.Events {
	t.Helper()
	s, err := streamREST(t.Context(), f, query, header...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Response.Body.Close() })
	return s
}

func nextRESTChange(t testing.TB, s *gatewaytest.Events) gatewaytest.RESTChange {
	t.Helper()
	e, ok := s.Next()
	var change gatewaytest.RESTChange
	if err := json.Unmarshal([]byte(e.Data), &change); !ok || err != nil || e.Name != "" || e.ID != change.Cursor {
		t.Fatalf("%+v %v", e, err)
	}
	return change
}

// obeyedWithin is the promise of five seconds, with room for a busy machine.
const obeyedWithin = 30 * time.Second

func TestAPageOfChangesInREST(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all, nobody := o.Follower(t, o.Credential(t, backoffice.AllScopes...)), o.Follower(t, o.Credential(t))
	page := all.Page(t, "?limit=2&noun=LABEL&noun=TRANSCRIPT")
	if len(page.Changes) != 2 || page.Latest != o.LatestCursor(t) || page.Changes[0].Noun != "LABEL" || page.Changes[0].Action != "CREATED" || page.Changes[0].Fields == nil || page.Changes[0].Parents == nil {
		t.Errorf("%+v", page)
	}
	next := all.Page(t, "?noun=LABEL&noun=TRANSCRIPT&after="+page.Changes[1].Cursor)
	if len(next.Changes) < 3 || next.Changes[0].Sequence <= page.Changes[1].Sequence || len(next.Changes[2].Parents) != 3 {
		t.Errorf("%+v", next)
	}
	if end := all.Page(t, "?after="+page.Latest); len(end.Changes) != 0 || end.Latest != page.Latest {
		t.Errorf("%+v", end)
	}
	for query, want := range map[string]int{
		"?after=x": 400, "?after=1": 400, "?after=" + o.Cursor(t, -1): 400, "?after=": 400,
		"?noun=CUSTOMERS": 400, "?noun=": 400, "?limit=0": 400, "?limit=501": 400, "?wait=31": 400, "?last=5": 400,
		"?after=" + o.Cursor(t, 9007199254740993): 410, "?after=anotherhistory.1": 410,
		"?limit=500&wait=0&after=" + o.Cursor(t, 0): 200,
	} {
		response, err := all.Get(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if body := gatewaytest.Decoded(t, response, want); want == 410 && !strings.Contains(body["detail"].(string), "export") {
			t.Errorf("%s: %v", query, body)
		}
		response.Body.Close()
	}
	for _, query := range []string{"?wait=0&noun=MINFIN_DOCUMENT", "?wait=0&noun=MINFIN_DOCUMENT&noun=LABEL"} {
		response, err := nobody.Get(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if body := gatewaytest.Decoded(t, response, http.StatusOK); strings.Contains(fmt.Sprint(body), "MINFIN") {
			t.Errorf("%s: %v", query, body)
		}
		response.Body.Close()
	}
	response, err := nobody.Post(t.Context(), `{ viewer { clientId } changes(nouns: [MINFIN_DOCUMENT]) { nodes { sequence } } }`, nil, "Accept", "application/json")
	if err != nil {
		t.Fatal(err)
	}
	if body := gatewaytest.Decoded(t, response, http.StatusOK); !strings.Contains(fmt.Sprint(body), "changes:map[nodes:[]] viewer:map[clientId:") {
		t.Errorf("%v", body)
	}
	response.Body.Close()
}

func TestALongPollIsAnsweredByTheFirstChangeThatTheCredentialMaySee(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all := o.Credential(t, backoffice.AllScopes...)
			some := o.Follower(t, o.Credential(t))
			after := o.LatestCursor(t)
			answers := make(chan gatewaytest.RESTChanges, 1)
			go func() { answers <- some.Page(t, "?wait=30&after="+after) }()
			time.Sleep(300 * time.Millisecond)
			o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", registrationNumber: "85073003328"}) { userErrors { code } } }`)
			time.Sleep(300 * time.Millisecond)
			select {
			case page := <-answers:
				t.Fatalf("answered before there was anything to see: %+v", page)
			default:
			}
			o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", email: "poll@acme.example"}) { userErrors { code } } }`)
			if page := <-answers; len(page.Changes) != 1 || page.Changes[0].ID != "acme" || page.Latest != o.LatestCursor(t) {
				t.Errorf("%+v", page)
			}
			began := time.Now()
			if page := some.Page(t, "?wait=1&after="+o.LatestCursor(t)); len(page.Changes) != 0 || page.Latest != o.LatestCursor(t) || time.Since(began) < time.Second {
				t.Errorf("%+v after %s", page, time.Since(began))
			}
		})
	}
}

func TestAStreamGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			all := o.Credential(t, backoffice.AllScopes...)
			f := o.Follower(t, all)
			now, whole := mustStreamREST(t, f, "?noun=CUSTOMER"), mustStreamREST(t, f, "?after="+o.Cursor(t, 0))
			first := nextRESTChange(t, whole)
			if first.Sequence != 1 || first.Noun != "LABEL" {
				t.Errorf("%+v", first)
			}
			id := o.MakeCustomer(t)
			made := nextRESTChange(t, now)
			if made.ID != id || made.Action != "CREATED" || *made.ClientID != all[0] {
				t.Errorf("%+v", made)
			}
			resumed := mustStreamREST(t, f, "?noun=CUSTOMER&after="+o.Cursor(t, 0), "Last-Event-ID", o.Cursor(t, int64(made.Sequence-1)))
			if again := nextRESTChange(t, resumed); again.Sequence != made.Sequence {
				t.Errorf("%+v", again)
			}
			o.Write(t, all, `mutation { deleteCustomer(input: {id: "`+id+`"}) { userErrors { code } } }`)
			for name, s := range map[string]*gatewaytest.Events{"from now on": now, "resumed": resumed} {
				if gone := nextRESTChange(t, s); gone.ID != id || gone.Action != "DELETED" {
					t.Errorf("%s: %+v", name, gone)
				}
			}
			for last := first.Sequence; ; {
				c := nextRESTChange(t, whole)
				if c.Sequence != last+1 {
					t.Fatalf("%d after %d", c.Sequence, last)
				}
				if last = c.Sequence; c.ID == id && c.Action == "DELETED" {
					break
				}
			}
			response, err := f.Get(t.Context(), "?after="+o.Cursor(t, 9007199254740993), "Accept", "text/event-stream")
			if err != nil {
				t.Fatal(err)
			}
			gatewaytest.Decoded(t, response, http.StatusGone)
		})
	}
}

func TestAStreamEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	o.Credential(t, backoffice.AllScopes...) // before the first request, so that it is known
	credential := o.Credential(t, backoffice.SettingsWrite)
	f := o.Follower(t, credential)
	s := mustStreamREST(t, f, "")
	poll := make(chan int, 1)
	after := o.LatestCursor(t)
	go func() {
		response, err := f.Get(t.Context(), "?wait=30&after="+after)
		if err != nil {
			t.Error(err)
			poll <- 0
			return
		}
		poll <- response.StatusCode
	}()
	time.Sleep(300 * time.Millisecond)
	if err := auth.Revoke(t.Context(), o.Store, credential[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	e, _ := s.Next()
	if e.Name != "end" || !strings.Contains(e.Data, `"status":401`) || time.Since(began) > obeyedWithin {
		t.Errorf("%+v after %s", e, time.Since(began))
	}
	if status := <-poll; status != http.StatusUnauthorized || time.Since(began) > obeyedWithin {
		t.Errorf("%d after %s", status, time.Since(began))
	}
	if _, ok := s.Next(); ok {
		t.Error("the stream goes on")
	}
}

func TestACredentialHasTwentyStreamsAtOneTime(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	o.Credential(t, backoffice.AllScopes...) // before the first request, so that it is known
	f, another := o.Follower(t, o.Credential(t)), o.Follower(t, o.Credential(t, backoffice.MinfinRead))
	var open []*gatewaytest.Events
	for range 20 {
		open = append(open, mustStreamREST(t, f, ""))
	}
	for _, query := range []string{"", "?wait=1&after=" + o.LatestCursor(t)} {
		accept := "application/json"
		if query == "" {
			accept = "text/event-stream"
		}
		response, err := f.Get(t.Context(), query, "Accept", accept)
		if err != nil {
			t.Fatal(err)
		}
		if gatewaytest.Decoded(t, response, http.StatusTooManyRequests); response.Header.Get("Retry-After") == "" {
			t.Errorf("%v", response.Header)
		}
	}
	if other, err := streamREST(t.Context(), another, ""); err != nil {
		t.Errorf("another credential: %v", err)
	} else {
		other.Response.Body.Close()
	}
	if page := f.Page(t, "?after="+o.LatestCursor(t)); len(page.Changes) != 0 {
		t.Errorf("who does not wait is no stream: %+v", page)
	}
	open[0].Response.Body.Close()
	for range 100 {
		if s, err := streamREST(t.Context(), f, ""); err == nil {
			s.Response.Body.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the place of a stream that has ended is not given back")
}

func TestWhatIsKeptForAWhileIsGoneThenAndNobodyIsGivenLess(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			f := o.Follower(t, o.Credential(t, backoffice.AllScopes...))
			after := o.LatestCursor(t)
			s := mustStreamREST(t, f, "?after="+after)
			for more := true; more; {
				var err error
				if more, err = o.Store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now().Add(time.Hour)), 7); err != nil {
					t.Fatal(err)
				}
			}
			for query, want := range map[string]int{"?after=" + o.Cursor(t, 0): 410, "?after=" + after: 200, "": 200} {
				response, err := f.Get(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				body := gatewaytest.Decoded(t, response, want)
				if changes, _ := body["changes"].([]any); want == 200 && (len(changes) != 0 || body["latest"] != after) {
					t.Errorf("%q: %v", query, body)
				}
			}
			id := o.MakeCustomer(t)
			if c := nextRESTChange(t, s); c.ID != id {
				t.Errorf("who is at the end misses nothing: %+v", c)
			}
			if told, _ := o.ChangesAfter(t, f.Credential, after, ""); len(told.Nodes) != 1 || !slices.Equal(shortly(told.Nodes), []string{"CUSTOMER " + id + " CREATED"}) {
				t.Errorf("%+v", told)
			}
		})
	}
}
