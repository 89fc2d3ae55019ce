package gatewaytest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// Change is an entry of the feed in GraphQL.
type Change struct {
	Cursor, Noun, ObjectID, Action string
	Sequence                       int
	Fields                         []string
	ClientID                       *string
	Parents                        []struct{ Noun, ID string }
	Object                         *struct {
		ID string `json:"id"`
	}
}

// Changes is a page of the feed.
type Changes struct {
	LatestCursor string
	Nodes        []Change
}

// ChangesAfter asks for the changes after a cursor, and returns how many statements that took.
func (o *Office) ChangesAfter(t testing.TB, as [2]string, after string, arguments string) (told Changes, calls int) {
	t.Helper()
	_, body, calls := o.Ask(t, as, `query($after: String) { changes(after: $after, first: 500`+arguments+`) { latestCursor
		nodes { cursor sequence noun objectId action fields clientId parents { noun id } object { id } } } }`, json.RawMessage(JSON(t, map[string]string{"after": after})), nil)
	var answer struct {
		Data   struct{ Changes Changes }
		Errors []any
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Errors != nil {
		t.Fatalf("%s %v", body, err)
	}
	return answer.Data.Changes, calls
}

// LatestCursor is the cursor at the end of the feed.
func (o *Office) LatestCursor(t testing.TB) string {
	t.Helper()
	told, _ := o.ChangesAfter(t, o.Credential(t, backoffice.AllScopes...), o.Cursor(t, 0), "")
	return told.LatestCursor
}

// Cursor is the cursor of a number in the present history.
func (o *Office) Cursor(t testing.TB, after int64) string {
	t.Helper()
	page, err := backoffice.ReadChangePage(t.Context(), o.Store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		t.Fatal(err)
	}
	return backoffice.ChangeCursor(page.History, after)
}

// Write sends a mutation that must succeed.
func (o *Office) Write(t testing.TB, as [2]string, mutation string) {
	t.Helper()
	if _, body, _ := o.Ask(t, as, mutation, nil, nil); strings.Contains(string(body), `"errors"`) || strings.Contains(string(body), `"code"`) {
		t.Fatalf("%s: %s", mutation, body)
	}
}

// RESTChange is an entry of the feed in REST.
type RESTChange struct {
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

// RESTChanges is a page of GET /changes.
type RESTChanges struct {
	Changes []RESTChange
	Latest  string
}

// Follower is a client that follows the feed over the network.
type Follower struct {
	Address    string
	Credential [2]string
	Others     []string // addresses of other gateways over the same store
}

// Follower serves the office on a socket to a credential.
func (o *Office) Follower(t testing.TB, credential [2]string) Follower {
	t.Helper()
	server := httptest.NewServer(o.Handler)
	t.Cleanup(server.Close)
	return Follower{Address: server.URL, Credential: credential}
}

// Get asks GET /changes.
func (f Follower) Get(ctx context.Context, query string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Address+"/changes"+query, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set(auth.ClientIDHeader, f.Credential[0])
	r.Header.Set(auth.ClientSecretHeader, f.Credential[1])
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return http.DefaultClient.Do(r)
}

// Page asks for a page of GET /changes.
func (f Follower) Page(t testing.TB, query string) (page RESTChanges) {
	t.Helper()
	response, err := f.Get(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if page, err = PageOfChanges(response); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return page
}

// PageOfChanges reads an answer of GET /changes.
func PageOfChanges(response *http.Response) (page RESTChanges, err error) {
	err = json.NewDecoder(response.Body).Decode(&page)
	if response.StatusCode != http.StatusOK || page.Changes == nil {
		err = errors.Join(err, errors.New(response.Status))
	}
	return page, err
}

// Event is a Server-Sent Event. A comment has neither a name nor data.
type Event struct{ ID, Name, Data string }

// Events is a stream of Server-Sent Events.
type Events struct {
	Response *http.Response
	Lines    *bufio.Scanner
}

// Beginning is the cursor before the first change.
func (f Follower) Beginning(t testing.TB) string {
	t.Helper()
	history, _, _ := strings.Cut(f.Page(t, "?limit=1").Latest, ".")
	return history + ".0"
}

// Next waits for the next event that is no comment. ok is false at the end of the stream.
func (s *Events) Next() (e Event, ok bool) {
	for s.Lines.Scan() {
		switch name, value, _ := strings.Cut(s.Lines.Text(), ": "); {
		case name == "id":
			e.ID = value
		case name == "event":
			e.Name = value
		case name == "data":
			e.Data = value
		case name == "" && (e.Data != "" || e.Name != ""):
			return e, true
		}
	}
	return e, false
}
