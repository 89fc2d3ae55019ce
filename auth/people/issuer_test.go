package people_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth/people"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
)

const (
	discovery = "/.well-known/openid-configuration"
	keys      = "/keys"
)

// watched is a desk whose clock stands, whose questions are counted, and whose issuer may answer something else.
type watched struct {
	*desk
	road
	pages map[string]http.HandlerFunc // by path, in place of the issuer's
}

// road leads to one server, whatever host is asked for.
type road struct {
	transport *http.Transport
	questions atomic.Int32 // that have ended
}

func (r *road) RoundTrip(question *http.Request) (*http.Response, error) {
	defer r.questions.Add(1)
	return r.transport.RoundTrip(question)
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{desk: &desk{Issuer: peopletest.New(t, jose.ES256)}, pages: map[string]http.HandlerFunc{}}
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if page := w.pages[r.URL.Path]; page != nil {
			page(answer, r)
			return
		}
		w.ServeHTTP(answer, r)
	}))
	t.Cleanup(server.Close)
	w.URL = server.URL
	w.transport = &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	t.Cleanup(w.transport.CloseIdleConnections)
	began := time.Now()
	var err error
	w.People, err = people.New(people.Options{
		Issuer: w.URL, Audience: peopletest.Audience, Map: peopletest.Map(t, usual), Links: open{}, Transport: &w.road,
		Now: func() time.Time { return began.Add(time.Duration(w.ahead.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// by is a manager's token that a key has signed.
func (w *watched) by(t *testing.T, key jose.JSONWebKey) string {
	t.Helper()
	return peopletest.Sign(t, jose.ES256, key, "at+jwt", w.Claims("an", w.now(), groups("managers")))
}

// usually is what the issuer answers at a path.
func (w *watched) usually(path string) string {
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return strings.TrimSpace(answer.Body.String())
}

func says(text string) http.HandlerFunc {
	return func(answer http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(answer, text) }
}

func newKey(t *testing.T, name string) jose.JSONWebKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: private, KeyID: name}
}

func TestKeysCountForAnHourAndAreAskedForAnewAfterFiveMinutesWithoutWaiting(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]struct{ asked, taken bool }{
		5 * time.Minute:             {false, true},
		5*time.Minute + time.Second: {true, true},
		time.Hour:                   {true, true},
		time.Hour + time.Second:     {true, false},
	} {
		w := newWatched(t)
		if _, err := w.Authenticate(t.Context(), w.by(t, w.Key())); err != nil {
			t.Fatal(err)
		}
		w.pages[discovery] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() } // no answer
		known := w.questions.Load()
		w.move(age)
		hurried, cancel := context.WithTimeout(t.Context(), 0)
		_, err := w.Authenticate(hurried, w.by(t, w.Key()))
		cancel()
		if taken := err == nil; taken != want.taken || !taken && backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("keys of %s: %v", age, err)
		}
		if w.questions.Load() != known {
			t.Errorf("keys of %s: the issuer was waited for", age)
		}
		w.Close() // waits for questions to end
		if asked := w.questions.Load() != known; asked != want.asked {
			t.Errorf("keys of %s: asked for anew: %t", age, asked)
		}
	}
}

func TestAnIssuerThatIsAwayIsAskedOnceASecond(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.Away(true)
	for _, after := range []struct {
		time.Duration
		questions int32
	}{{0, 1}, {999 * time.Millisecond, 1}, {time.Millisecond, 2}, {999 * time.Millisecond, 2}} {
		w.move(after.Duration)
		for range 5 {
			_, err := w.Authenticate(t.Context(), w.by(t, w.Key()))
			if backoffice.KindOf(err) != backoffice.Unavailable {
				t.Error(err)
			}
			if at := w.TokenEndpoint(t.Context()); at != "" {
				t.Error(at)
			}
		}
		if n := w.questions.Load(); n != after.questions {
			t.Errorf("%s later: %d questions, not %d", after, n, after.questions)
		}
	}
}

func TestAForgeryUnderTheNameOfAKnownKeyAsksTheIssuerNothing(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	good := w.by(t, w.Key())
	if _, err := w.Authenticate(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	known := w.questions.Load()
	part := strings.Split(good, ".")
	others := strings.Split(w.Token(t, "admin", groups("managers")), ".")
	for name, token := range map[string]string{
		"another's key":       w.by(t, newKey(t, w.Key().KeyID)),
		"other claims":        part[0] + "." + others[1] + "." + part[2],
		"another's signature": part[0] + "." + part[1] + "." + others[2],
		"no signature":        part[0] + "." + part[1] + ".",
	} {
		w.move(11 * time.Second)
		_, err := w.Authenticate(t.Context(), token)
		if backoffice.KindOf(err) != backoffice.Unauthenticated || w.questions.Load() != known {
			t.Errorf("%s: %v, %d questions more", name, err, w.questions.Load()-known)
		}
	}
}

func TestAPublishedKeySignsOnlyWhenItIsPublicAndForSignatures(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		use            string
		private, taken bool
	}{
		"for signatures": {use: "sig", taken: true},
		"for all":        {taken: true},
		"for encryption": {use: "enc"},
		"private":        {private: true},
	} {
		w := newWatched(t)
		good, beside := w.Key(), newKey(t, "beside")
		beside.Use = of.use
		published := beside.Public()
		if of.private {
			published = beside
		}
		text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{good.Public(), published}})
		if err != nil {
			t.Fatal(err)
		}
		w.pages[keys] = says(string(text))
		signing := 1
		if of.taken {
			signing = 2
		}
		if n, err := w.Reach(t.Context()); n != signing || err != nil {
			t.Errorf("%s: %d keys, %v", name, n, err)
		}
		_, err = w.Authenticate(t.Context(), w.by(t, beside))
		if taken := err == nil; taken != of.taken || !taken && backoffice.KindOf(err) != backoffice.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := w.Authenticate(t.Context(), w.by(t, good)); err != nil {
			t.Errorf("beside one %s: %v", name, err)
		}
	}
}

func TestAnIssuerIsNeitherFollowedNorReadWithoutEnd(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	long := func(text string, size int) string {
		return `{"pad":"` + strings.Repeat("x", size-len(text)-len(`"pad":"",`)) + `",` + text[1:]
	}
	for name, of := range map[string]struct {
		page  func(answer http.ResponseWriter, r *http.Request, usual string)
		taken bool
	}{
		"as long as may be": {func(answer http.ResponseWriter, _ *http.Request, usual string) {
			_, _ = io.WriteString(answer, long(usual, most))
		}, true},
		"a byte longer": {func(answer http.ResponseWriter, _ *http.Request, usual string) {
			_, _ = io.WriteString(answer, long(usual, most+1))
		}, false},
		"a byte longer, and packed": {func(answer http.ResponseWriter, _ *http.Request, usual string) {
			answer.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(answer)
			_, _ = io.WriteString(packed, long(usual, most+1))
			_ = packed.Close()
		}, false},
		"elsewhere": {func(answer http.ResponseWriter, r *http.Request, usual string) {
			if r.URL.RawQuery == "" {
				http.Redirect(answer, r, r.URL.Path+"?moved", http.StatusTemporaryRedirect)
				return
			}
			_, _ = io.WriteString(answer, usual)
		}, false},
		"under an error, and long": {func(answer http.ResponseWriter, _ *http.Request, usual string) {
			answer.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(answer, long(usual, most/2))
		}, false},
	} {
		for _, path := range []string{discovery, keys} {
			w := newWatched(t)
			text := w.usually(path)
			w.pages[path] = func(answer http.ResponseWriter, r *http.Request) { of.page(answer, r, text) }
			_, err := w.Authenticate(t.Context(), w.by(t, w.Key()))
			if taken := err == nil; taken != of.taken || !taken && backoffice.KindOf(err) != backoffice.Unavailable {
				t.Errorf("%s, %s: %v", path, name, err)
			} else if known, ok := errors.AsType[*backoffice.Error](err); ok && len(known.Cause.Error()) > 500 {
				t.Errorf("%s, %s: the log has %d bytes of it", path, name, len(known.Cause.Error()))
			}
		}
	}
}

func TestAnIssuerSendsNobodyToAnAddressWithoutTLSUnlessItIsOnThisMachine(t *testing.T) {
	t.Parallel()
	for host, trusted := range map[string]bool{
		"http://login.example.org":     false,
		"http://10.1.2.3":              false,
		"http://localhost.example.org": false,
		"http://an:secret@127.0.0.1":   false,
		"http://localhost":             true,
		"http://127.0.0.1:1":           true,
		"http://[::1]":                 true,
	} {
		for path, name := range map[string]string{keys: "jwks_uri", "/token": "token_endpoint"} {
			w := newWatched(t)
			const query = "?appid=1" // of Entra ID's keys; B2C has one in each address
			text := strings.Replace(w.usually(discovery), `"`+w.URL+path, `"`+host+path+query, 1)
			if !strings.Contains(text, `"`+name+`":"`+host+path+query) {
				t.Fatal(text)
			}
			w.pages[discovery] = says(text)
			_, err := w.Authenticate(t.Context(), w.by(t, w.Key()))
			at, questions := w.TokenEndpoint(t.Context()), w.questions.Load()
			switch {
			case path == keys && trusted:
				if err != nil || questions != 2 {
					t.Errorf("%s %s: %v, %d questions", name, host, err, questions)
				}
			case path == keys:
				if backoffice.KindOf(err) != backoffice.Unavailable || questions != 1 {
					t.Errorf("%s %s: %v, %d questions", name, host, err, questions)
				}
			case err != nil || trusted && at != host+path+query || !trusted && at != "":
				t.Errorf("%s %s: %v, tokens at %q", name, host, err, at)
			}
		}
	}
}

func TestAnIssuerThatSaysNothingIsWaitedForFiveSecondsAndByAPageForTwo(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"the half of its document": "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
	} {
		synctest.Test(t, func(t *testing.T) {
			silent := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, its := net.Pipe()
				go func() {
					_, _ = http.ReadRequest(bufio.NewReader(its))
					_, _ = io.WriteString(its, text)
					_, _ = io.Copy(io.Discard, its)
				}()
				return ours, nil
			}}
			desk, err := people.New(people.Options{
				Issuer: "http://localhost", Audience: "a", Map: peopletest.Map(t, usual), Transport: silent,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer desk.Close()
			began := time.Now()
			if _, err := desk.Reach(t.Context()); err == nil || time.Since(began) != 5*time.Second {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
			began = time.Now()
			if at := desk.TokenEndpoint(t.Context()); at != "" || time.Since(began) != 2*time.Second {
				t.Errorf("%s: tokens at %q after %s", name, at, time.Since(began))
			}
		})
	}
}
