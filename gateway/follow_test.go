package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// restChange is a change as REST tells it.
type restChange struct {
	Cursor   string
	Sequence int
	At       time.Time
	Noun     string
	ID       string
	Action   string
	Fields   []string
	ClientID *string
	Parents  []struct{ Noun, ID string }
}

type restChanges struct {
	Changes []restChange
	Latest  string
}

// follower is somebody who asks for changes over the network.
type follower struct {
	address string
	pair    [2]string
	others  []string // addresses of other gateways over the same store
}

func (o *office) follower(t testing.TB, pair [2]string) follower {
	t.Helper()
	server := httptest.NewServer(o.handler)
	t.Cleanup(server.Close)
	return follower{address: server.URL, pair: pair}
}

func (f follower) get(ctx context.Context, query string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address+"/changes"+query, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(auth.ClientIDHeader, f.pair[0])
	r.Header.Set(auth.ClientSecretHeader, f.pair[1])
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return http.DefaultClient.Do(r)
}

// page asks for a page, which has to be answered with one.
func (f follower) page(t testing.TB, query string) (page restChanges) {
	t.Helper()
	response, err := f.get(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if page, err = pageOfChanges(response); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return page
}

func pageOfChanges(response *http.Response) (page restChanges, err error) {
	err = json.NewDecoder(response.Body).Decode(&page)
	if response.StatusCode != http.StatusOK || page.Changes == nil {
		err = errors.Join(err, errors.New(response.Status))
	}
	return page, err
}

func changeOf(e event) (change restChange) {
	_ = json.Unmarshal([]byte(e.data), &change)
	return change
}

// event is a Server-Sent Event; a comment has neither a name nor data.
type event struct{ id, name, data string }

// events are those of a stream, until it ends.
type events struct {
	response *http.Response
	lines    *bufio.Scanner
}

func (f follower) stream(ctx context.Context, query string, header ...string) (*events, error) {
	response, err := f.get(ctx, query, append([]string{"Accept", "text/event-stream"}, header...)...)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		_ = response.Body.Close()
		return nil, errors.New("the stream is refused: " + response.Status)
	}
	return &events{response, bufio.NewScanner(response.Body)}, nil
}

func (f follower) streams(t testing.TB, query string, header ...string) *events {
	t.Helper()
	s, err := f.stream(t.Context(), query, header...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.response.Body.Close() })
	return s
}

// beginning is the cursor before the first change.
func (f follower) beginning(t testing.TB) string {
	t.Helper()
	history, _, _ := strings.Cut(f.page(t, "?limit=1").Latest, ".")
	return history + ".0"
}

// next is the next event that is no comment; ok is false when the stream has ended.
func (s *events) next() (e event, ok bool) {
	for s.lines.Scan() {
		switch name, value, _ := strings.Cut(s.lines.Text(), ": "); {
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.data = value
		case name == "" && (e.data != "" || e.name != ""):
			return e, true
		}
	}
	return e, false
}

func (s *events) change(t testing.TB) restChange {
	t.Helper()
	e, ok := s.next()
	var change restChange
	if err := json.Unmarshal([]byte(e.data), &change); !ok || err != nil || e.name != "" || e.id != change.Cursor {
		t.Fatalf("%+v %v", e, err)
	}
	return change
}

func TestAPageOfChangesInREST(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all, nobody := o.follower(t, o.pair(t, backoffice.AllScopes...)), o.follower(t, o.pair(t))
	page := all.page(t, "?limit=2&noun=LABEL&noun=TRANSCRIPT")
	if len(page.Changes) != 2 || page.Latest != o.now(t) || page.Changes[0].Noun != "LABEL" || page.Changes[0].Action != "CREATED" || page.Changes[0].Fields == nil || page.Changes[0].Parents == nil {
		t.Errorf("%+v", page)
	}
	next := all.page(t, "?noun=LABEL&noun=TRANSCRIPT&after="+page.Changes[1].Cursor)
	if len(next.Changes) < 3 || next.Changes[0].Sequence <= page.Changes[1].Sequence || len(next.Changes[2].Parents) != 3 {
		t.Errorf("%+v", next)
	}
	if end := all.page(t, "?after="+page.Latest); len(end.Changes) != 0 || end.Latest != page.Latest {
		t.Errorf("%+v", end)
	}
	for query, want := range map[string]int{
		"?after=x": 400, "?after=1": 400, "?after=" + o.cursor(t, -1): 400, "?after=": 400,
		"?noun=CUSTOMERS": 400, "?noun=": 400, "?limit=0": 400, "?limit=501": 400, "?wait=31": 400, "?last=5": 400,
		"?after=" + o.cursor(t, 9007199254740993): 410, "?after=anotherhistory.1": 410,
		"?limit=500&wait=0&after=" + o.cursor(t, 0): 200,
	} {
		response, err := all.get(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if body := decoded(t, response, want); want == 410 && !strings.Contains(body["detail"].(string), "export") {
			t.Errorf("%s: %v", query, body)
		}
		response.Body.Close()
	}
	for _, query := range []string{"?wait=0&noun=MINFIN_DOCUMENT", "?wait=0&noun=MINFIN_DOCUMENT&noun=LABEL"} {
		response, err := nobody.get(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if body := decoded(t, response, http.StatusOK); strings.Contains(fmt.Sprint(body), "MINFIN") {
			t.Errorf("%s: %v", query, body)
		}
		response.Body.Close()
	}
	response, err := nobody.post(t.Context(), `{ viewer { clientId } changes(nouns: [MINFIN_DOCUMENT]) { nodes { sequence } } }`, nil, "Accept", "application/json")
	if err != nil {
		t.Fatal(err)
	}
	if body := decoded(t, response, http.StatusOK); !strings.Contains(fmt.Sprint(body), "changes:map[nodes:[]] viewer:map[clientId:") {
		t.Errorf("%v", body)
	}
	response.Body.Close()
}

func TestALongPollIsAnsweredByTheFirstChangeThatThePairMaySee(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			all := o.pair(t, backoffice.AllScopes...)
			some := o.follower(t, o.pair(t))
			after := o.now(t)
			answers := make(chan restChanges, 1)
			go func() { answers <- some.page(t, "?wait=30&after="+after) }()
			time.Sleep(300 * time.Millisecond)
			o.write(t, all, `mutation { updateCustomer(input: {id: "acme", registrationNumber: "85073003328"}) { userErrors { code } } }`)
			time.Sleep(300 * time.Millisecond)
			select {
			case page := <-answers:
				t.Fatalf("answered before there was anything to see: %+v", page)
			default:
			}
			o.write(t, all, `mutation { updateCustomer(input: {id: "acme", email: "poll@acme.example"}) { userErrors { code } } }`)
			if page := <-answers; len(page.Changes) != 1 || page.Changes[0].ID != "acme" || page.Latest != o.now(t) {
				t.Errorf("%+v", page)
			}
			began := time.Now()
			if page := some.page(t, "?wait=1&after="+o.now(t)); len(page.Changes) != 0 || page.Latest != o.now(t) || time.Since(began) < time.Second {
				t.Errorf("%+v after %s", page, time.Since(began))
			}
		})
	}
}

func TestAStreamGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			all := o.pair(t, backoffice.AllScopes...)
			f := o.follower(t, all)
			now, whole := f.streams(t, "?noun=CUSTOMER"), f.streams(t, "?after="+o.cursor(t, 0))
			first := whole.change(t)
			if first.Sequence != 1 || first.Noun != "LABEL" {
				t.Errorf("%+v", first)
			}
			id := o.makeCustomer(t)
			made := now.change(t)
			if made.ID != id || made.Action != "CREATED" || *made.ClientID != all[0] {
				t.Errorf("%+v", made)
			}
			resumed := f.streams(t, "?noun=CUSTOMER&after="+o.cursor(t, 0), "Last-Event-ID", o.cursor(t, int64(made.Sequence-1)))
			if again := resumed.change(t); again.Sequence != made.Sequence {
				t.Errorf("%+v", again)
			}
			o.write(t, all, `mutation { deleteCustomer(input: {id: "`+id+`"}) { userErrors { code } } }`)
			for name, s := range map[string]*events{"from now on": now, "resumed": resumed} {
				if gone := s.change(t); gone.ID != id || gone.Action != "DELETED" {
					t.Errorf("%s: %+v", name, gone)
				}
			}
			for last := first.Sequence; ; {
				c := whole.change(t)
				if c.Sequence != last+1 {
					t.Fatalf("%d after %d", c.Sequence, last)
				}
				if last = c.Sequence; c.ID == id && c.Action == "DELETED" {
					break
				}
			}
			response, err := f.get(t.Context(), "?after="+o.cursor(t, 9007199254740993), "Accept", "text/event-stream")
			if err != nil {
				t.Fatal(err)
			}
			decoded(t, response, http.StatusGone)
		})
	}
}

func TestAStreamEndsWithItsPair(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.pair(t, backoffice.AllScopes...) // before the first request, so that it is known
	pair := o.pair(t, backoffice.SettingsWrite)
	f := o.follower(t, pair)
	s := f.streams(t, "")
	poll := make(chan int, 1)
	after := o.now(t)
	go func() {
		response, err := f.get(t.Context(), "?wait=30&after="+after)
		if err != nil {
			t.Error(err)
			poll <- 0
			return
		}
		poll <- response.StatusCode
	}()
	time.Sleep(300 * time.Millisecond)
	if err := auth.Revoke(t.Context(), o.Store, pair[0]); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	e, _ := s.next()
	if e.name != "end" || !strings.Contains(e.data, `"status":401`) || time.Since(began) > 5*time.Second {
		t.Errorf("%+v after %s", e, time.Since(began))
	}
	if status := <-poll; status != http.StatusUnauthorized || time.Since(began) > 5*time.Second {
		t.Errorf("%d after %s", status, time.Since(began))
	}
	if _, ok := s.next(); ok {
		t.Error("the stream goes on")
	}
}

func TestAPairHasTwentyStreamsAtOneTime(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.pair(t, backoffice.AllScopes...) // before the first request, so that it is known
	f, another := o.follower(t, o.pair(t)), o.follower(t, o.pair(t, backoffice.MinfinRead))
	var open []*events
	for range 20 {
		open = append(open, f.streams(t, ""))
	}
	for _, query := range []string{"", "?wait=1&after=" + o.now(t)} {
		accept := "application/json"
		if query == "" {
			accept = "text/event-stream"
		}
		response, err := f.get(t.Context(), query, "Accept", accept)
		if err != nil {
			t.Fatal(err)
		}
		if decoded(t, response, http.StatusTooManyRequests); response.Header.Get("Retry-After") == "" {
			t.Errorf("%v", response.Header)
		}
	}
	if other, err := another.stream(t.Context(), ""); err != nil {
		t.Errorf("another pair: %v", err)
	} else {
		other.response.Body.Close()
	}
	if page := f.page(t, "?after="+o.now(t)); len(page.Changes) != 0 {
		t.Errorf("who does not wait is no stream: %+v", page)
	}
	open[0].response.Body.Close()
	for range 100 {
		if s, err := f.stream(t.Context(), ""); err == nil {
			s.response.Body.Close()
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the place of a stream that has ended is not given back")
}

func TestWhatIsKeptForAWhileIsGoneThenAndNobodyIsGivenLess(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeOn(t, database(t))
			f := o.follower(t, o.pair(t, backoffice.AllScopes...))
			after := o.now(t)
			s := f.streams(t, "?after="+after)
			for more := true; more; {
				var err error
				if more, err = o.Store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now().Add(time.Hour)), 7); err != nil {
					t.Fatal(err)
				}
			}
			for query, want := range map[string]int{"?after=" + o.cursor(t, 0): 410, "?after=" + after: 200, "": 200} {
				response, err := f.get(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				body := decoded(t, response, want)
				if changes, _ := body["changes"].([]any); want == 200 && (len(changes) != 0 || body["latest"] != after) {
					t.Errorf("%q: %v", query, body)
				}
			}
			id := o.makeCustomer(t)
			if c := s.change(t); c.ID != id {
				t.Errorf("who is at the end misses nothing: %+v", c)
			}
			if told, _ := o.changesAfter(t, f.pair, after, ""); len(told.Nodes) != 1 || !slices.Equal(shortly(told.Nodes), []string{"CUSTOMER " + id + " CREATED"}) {
				t.Errorf("%+v", told)
			}
		})
	}
}
