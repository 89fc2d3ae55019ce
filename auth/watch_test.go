package auth

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/backoffice/backoffice"
)

// lines are what was logged since it was last asked.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// watched runs Watch over a store in a bubble of time, and tells what it has logged.
func watched(t *testing.T, store *memoryStore, do func(a *Authenticator, log *lines)) {
	t.Helper()
	a, log := NewAuthenticator(store), &lines{}
	defer a.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		a.Watch(ctx, slog.New(slog.NewTextHandler(log, nil)))
		close(ended)
	}()
	synctest.Wait()
	do(a, log)
	stop()
	<-ended
}

// pass lets time pass, and all that is due then be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestTheLastUseIsKeptByTheDayAndNotOnTheWayOfARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore()
		id, secret := issue(t, store)
		other, otherSecret := issue(t, store)
		ctx := t.Context()
		use := func(a *Authenticator, id, secret string) {
			t.Helper()
			if _, err := a.Authenticate(ctx, somewhere, id, secret); err != nil {
				t.Fatal(err)
			}
		}
		today, tomorrow := time.Now().UTC().Format(time.DateOnly), time.Now().UTC().Add(24*time.Hour).Format(time.DateOnly)
		watched(t, store, func(a *Authenticator, _ *lines) {
			for range 1000 {
				use(a, id, secret)
			}
			if _, err := a.Authenticate(ctx, somewhere, other, "wrong"); err == nil {
				t.Error("let in")
			}
			if told := store.told(); told != nil {
				t.Errorf("a request wrote %q", told)
			}
			pass(keepAfter)
			if told := store.told(); !slices.Equal(told, []string{id + " " + today}) {
				t.Errorf("after a minute %q", told)
			}
			for range 100 { // it is not told again
				use(a, id, secret)
				pass(keepAfter)
			}
			if told := store.told(); told != nil {
				t.Errorf("again on the same day %q", told)
			}
			pass(24*time.Hour - 101*keepAfter)
			store.mu.Lock()
			store.away = errors.New("away")
			store.mu.Unlock()
			use(a, id, secret)
			pass(3 * keepAfter)
			store.mu.Lock()
			store.away = nil
			store.mu.Unlock()
			pass(keepAfter)
			if told := store.told(); !slices.Equal(told, []string{id + " " + tomorrow}) {
				t.Errorf("when the store is back %q", told)
			}
			use(a, other, otherSecret)
		})
		if told := store.told(); !slices.Equal(told, []string{other + " " + tomorrow}) {
			t.Errorf("at the end %q", told)
		}
		watched(t, store, func(a *Authenticator, _ *lines) { use(a, id, secret) })
		if told := store.told(); told != nil {
			t.Errorf("another server tells %q, which the store knows", told)
		}
	})
}

func TestACredentialThatEndsSoonIsWarnedOfOnceADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, now := newMemoryStore(), time.Now()
		ends := func(name string, after time.Duration) string {
			credential, _, err := Issue(t.Context(), store, name, nil, backoffice.InstantOf(now.Add(after)))
			if err != nil {
				t.Fatal(err)
			}
			return credential.ID
		}
		issue(t, store) // never ends
		soon, later, revoked := ends("soon", 14*24*time.Hour), ends("later", 16*24*time.Hour), ends("revoked", time.Hour)
		if err := Revoke(t.Context(), store, revoked); err != nil {
			t.Fatal(err)
		}
		watched(t, store, func(a *Authenticator, log *lines) {
			pass(23 * time.Hour)
			if a.Ending() != 1 {
				t.Errorf("%d end soon on the first day", a.Ending())
			}
			if got := log.take(); strings.Count(got, soon+" days=14") != 1 || strings.Count(got, "\n") != 1 {
				t.Errorf("on the first day\n%s", got)
			}
			pass(5 * 24 * time.Hour)
			if a.Ending() != 2 {
				t.Errorf("%d end soon on the sixth day", a.Ending())
			}
			pass(12 * 24 * time.Hour)
			if a.Ending() != 0 {
				t.Errorf("%d end soon when both have ended", a.Ending())
			}
			got := log.take()
			if n := strings.Count(got, soon); n != 13 || !strings.Contains(got, soon+" days=1 ") {
				t.Errorf("%d warnings of the one in the 13 days that are left\n%s", n, got)
			}
			if n := strings.Count(got, later); n != 14 || strings.Contains(got, revoked) {
				t.Errorf("%d warnings of the other\n%s", n, got)
			}
		})
	})
}

func TestACredentialOutsideOfItsNetworksIsAnsweredAsNoCredentialIs(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	networks, err := backoffice.NewNetworks([]string{"192.0.2.0/24", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	now := backoffice.InstantOf(time.Now())
	credential, err := backoffice.NewCredential("held", "Held", nil, now, 0)
	if err != nil {
		t.Fatal(err)
	}
	credential.Networks = networks
	secret, err := Create(t.Context(), store, credential, now)
	if err != nil {
		t.Fatal(err)
	}
	a, clock := testAuthenticator(t, store)
	proxies, err := ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	signed := func(*http.Request) (string, error) {
		return credential.Principal(credential.Secrets[0].Name()).Link(), nil
	}
	signedIn, linked := Middleware(a, NewThrottle(), proxies, answer)(whoIs), Admit(a, proxies, signed, answer)(whoIs)
	ask := func(handler http.Handler, header http.Header, peer, forwarded string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header, r.RemoteAddr = header.Clone(), netip.AddrPortFrom(netip.MustParseAddr(peer), 1).String()
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, from := range []struct {
		peer, forwarded string
		in              bool
	}{
		{"192.0.2.5", "", true}, {"::ffff:192.0.2.5", "", true}, {"2001:db8::9", "", true}, {"127.0.0.1", "192.0.2.5", true},
		{"198.51.100.1", "", false}, {"198.51.100.1", "192.0.2.5", false}, {"127.0.0.1", "192.0.2.5, 198.51.100.1", false}, {"127.0.0.1", "", false}, {"2001:db9::9", "", false},
	} {
		for _, handler := range []http.Handler{signedIn, linked} {
			if w := ask(handler, headers(credential.ID, secret), from.peer, from.forwarded); (w.Code == 200) != from.in {
				t.Errorf("from %s by way of %q: %d", from.peer, from.forwarded, w.Code)
			}
		}
	}
	// Each answer, up to that which says to wait, is that of somebody who has no credential at all, and takes as many reads
	// of the store.
	outside, nobody := Middleware(a, NewThrottle(), nil, answer)(whoIs), Middleware(a, NewThrottle(), nil, answer)(whoIs)
	for i := range failuresAllowed + 2 {
		clock.pass(retryAfter)
		before := store.reads.Load()
		got := ask(outside, headers(credential.ID, secret), "198.51.100.1", "")
		reads := store.reads.Load() - before
		clock.pass(retryAfter)
		before = store.reads.Load()
		want := ask(nobody, http.Header{}, "198.51.100.1", "")
		if got.Code != want.Code || got.Body.String() != want.Body.String() || !reflect.DeepEqual(got.Header(), want.Header()) {
			t.Errorf("answer %d: %d %q %v, not %d %q %v", i, got.Code, got.Body, got.Header(), want.Code, want.Body, want.Header())
		}
		if wanted := store.reads.Load() - before; reads != wanted {
			t.Errorf("answer %d took %d reads, not %d", i, reads, wanted)
		}
	}
}
