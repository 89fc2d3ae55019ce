package webhooks

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// engines open a fresh store each.
var engines = map[string]func(t testing.TB) backoffice.Store{
	"the embedded store": func(t testing.TB) backoffice.Store {
		store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
		return opened(t, store, err)
	},
	"PostgreSQL": func(t testing.TB) backoffice.Store { return openPostgres(t, pgtest.Migrated(t, postgres.Migrate)) },
}

func openPostgres(t testing.TB, url string) backoffice.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	return opened(t, store, err)
}

func opened(t testing.TB, store backoffice.Store, err error) backoffice.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// clock is a time that moves when a test says so.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// office is a store with a feed, and keys.
type office struct {
	backoffice.Store
	feed *changes.Feed
	keys *privacy.Keyset
}

func newOffice(t testing.TB, store backoffice.Store, keys *privacy.Keyset) *office {
	t.Helper()
	if keys == nil {
		var err error
		if keys, err = privacy.NewKeyset(); err != nil {
			t.Fatal(err)
		}
	}
	feed := changes.New(store, changes.Options{Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(feed.Close)
	return &office{feed.Watching(store), feed, keys}
}

// sender is one that polls often and trusts the tests' receivers; change alters it before it runs.
func (o *office) sender(t testing.TB, change func(*Sender)) (sender *Sender, stop func()) {
	t.Helper()
	s := NewSender(Options{
		Store: o.Store, Feed: o.feed, Keys: o.keys, Settings: Settings{Networks: networks(t, "127.0.0.0/8")}, Log: slog.New(slog.DiscardHandler),
	})
	s.every = 5 * time.Millisecond
	trust(s.client)
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.Run(ctx); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return s, stop
}

// trust has a client trust the certificate of the tests' receivers, for 127.0.0.1 and example.com.
func trust(c *client) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c.http.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
}

// labels writes so many labels and returns their identifiers.
func (o *office) labels(t testing.TB, name string, n int) (ids []string) {
	t.Helper()
	for i := range n {
		id := fmt.Sprint(name, "-", i)
		err := o.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: id, Name: id}); err != nil {
				return err
			}
			return tx.LogChanges(ctx, &backoffice.Change{At: backoffice.InstantOf(time.Now()), Action: "createLabel", Noun: backoffice.NounLabel, ObjectID: id})
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// note writes entries of the change log.
func (o *office) note(t testing.TB, entries ...*backoffice.Change) {
	t.Helper()
	for _, entry := range entries {
		entry.At, entry.Action = backoffice.InstantOf(time.Now()), "a"
	}
	if err := o.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.LogChanges(ctx, entries...) }); err != nil {
		t.Fatal(err)
	}
}

// hook makes a webhook of the operator.
func (o *office) hook(t testing.TB, url string, nouns ...backoffice.Noun) (id, secret string) {
	t.Helper()
	hook, secret, err := Create(t.Context(), o.Store, o.keys, Draft{URL: url, Nouns: nouns})
	if err != nil {
		t.Fatal(err)
	}
	return hook.ID, secret
}

// stored is a webhook as it is now.
func (o *office) stored(t testing.TB, id string) *backoffice.Webhook {
	t.Helper()
	hook, err := o.Webhook(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return hook
}

// cursor is that of a number of the log as it is now.
func (o *office) cursor(t testing.TB, after int64) string {
	t.Helper()
	page, err := backoffice.ReadChangePage(t.Context(), o.Store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		t.Fatal(err)
	}
	return backoffice.ChangeCursor(page.History, after)
}

// numberOf is the number of a cursor.
func numberOf(cursor string) string {
	_, number, _ := strings.Cut(cursor, ".")
	return number
}

// posted is one request that a receiver got.
type posted struct {
	id, timestamp string
	signature     string
	body          []byte
	headers       http.Header
	message       struct {
		Type string
		Data struct {
			After, Through string
			Changes        []struct {
				Sequence         int
				Noun, ID, Action string
				At               time.Time
			}
		}
	}
}

// receiver keeps what it got, and answers as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	posts  []posted
	taken  []posted // those that were answered with 2xx, each message once
	known  map[string][]byte
	wrong  []string
	at     int // how many it serves now
	atOnce int // the most at one time
}

// receive starts a receiver; answer says what it does, nil for 204, and may write an answer of its own and return 0.
func receive(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, p posted) int) *receiver {
	t.Helper()
	return receiveAt(t, "127.0.0.1:0", answer)
}

// receiveAt is receive at an address.
func receiveAt(t testing.TB, address string, answer func(w http.ResponseWriter, r *http.Request, p posted) int) *receiver {
	t.Helper()
	r := &receiver{known: map[string][]byte{}}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.count(1)
		defer r.count(-1)
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		p := posted{
			id: request.Header.Get("webhook-id"), timestamp: request.Header.Get("webhook-timestamp"), signature: request.Header.Get("webhook-signature"),
			body: body, headers: request.Header,
		}
		if err := json.Unmarshal(body, &p.message); err != nil || request.Method != http.MethodPost || request.Header.Get("Content-Type") != "application/json" {
			r.sayf("%s %s %v", request.Method, body, err)
		}
		status := http.StatusNoContent
		if answer != nil {
			status = answer(w, request, p)
		}
		r.keep(p, status >= 200 && status < 300)
		if status != 0 {
			w.WriteHeader(status)
		}
	}))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Listener.Close()
	r.Listener = listener
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.EnableHTTP2 = true // as most do
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at += n
	r.atOnce = max(r.atOnce, r.at)
}

// most is how many it has served at one time.
func (r *receiver) most() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.atOnce
}

func (r *receiver) sayf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// keep notes a post, and finds out whether it is the same message as others with its identifier.
func (r *receiver) keep(p posted, taken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts = append(r.posts, p)
	before, known := r.known[p.id]
	if known && !bytes.Equal(before, p.body) {
		r.wrong = append(r.wrong, "two messages have the identifier "+p.id)
	}
	if !taken {
		if !known {
			r.known[p.id] = p.body
		}
		return
	}
	r.known[p.id] = p.body
	for _, other := range r.taken {
		if other.id == p.id {
			return
		}
	}
	r.taken = append(r.taken, p)
}

func (r *receiver) all() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]posted(nil), r.posts...)
}

// told are the objects of the changes that were received, in their order, and the faults of it: out of order, told
// again in another message, or not where the message before ended.
func (r *receiver) told() (ids []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) > 0 {
		return nil, errors.New(strings.Join(r.wrong, "; "))
	}
	last := 0
	for _, p := range r.taken {
		for i, c := range p.message.Data.Changes {
			if c.Sequence < last || c.Sequence == last && i == 0 { // what one transaction moved shares its number
				return nil, fmt.Errorf("%d after %d: %s", c.Sequence, last, r.shortly())
			}
			last = c.Sequence
			ids = append(ids, c.ID)
		}
		if numberOf(p.message.Data.Through) != fmt.Sprint(last) {
			return nil, fmt.Errorf("through %s, and the last is %d", p.message.Data.Through, last)
		}
	}
	return ids, nil
}

// shortly are the messages that were received.
func (r *receiver) shortly() (list []string) {
	for _, p := range r.taken {
		list = append(list, p.id+" after "+p.message.Data.After)
	}
	return list
}

// waits until something is so.
func waits(t testing.TB, for_ string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("it takes too long: %s", for_)
		}
	}
}

// verify checks a post's signature with the library of Standard Webhooks.
func verify(t testing.TB, secret string, p posted, now bool) error {
	t.Helper()
	by, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if now {
		return by.Verify(p.body, p.headers)
	}
	return by.VerifyIgnoringTimestamp(p.body, p.headers)
}
