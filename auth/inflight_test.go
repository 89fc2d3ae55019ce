package auth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// going is something that a caller does until it is ended.
func going(t *testing.T, a *Authenticator, id, secret string) context.Context {
	t.Helper()
	as, err := a.Authenticate(t.Context(), somewhere, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	own, end := a.Begin(t.Context(), as)
	t.Cleanup(end)
	if From(own) != as {
		t.Errorf("it is begun as %+v", From(own))
	}
	return own
}

func TestWhatGoesOnEndsForTheReasonThatRevalidateHas(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), newMemoryStore()
	id, secret := issue(t, store)
	otherID, otherSecret := issue(t, store)
	a, clock := testAuthenticator(t, store)
	ends, goesOn := going(t, a, id, secret), going(t, a, otherID, otherSecret)
	if err := Revoke(ctx, store, id); err != nil {
		t.Fatal(err)
	}
	clock.pass(staleAfter)
	<-ends.Done()
	if cause := context.Cause(ends); !errors.Is(cause, errEnded) || !errors.Is(backoffice.EndOfRights(ends), errEnded) {
		t.Errorf("it ended for %v", cause)
	}
	if goesOn.Err() != nil || backoffice.EndOfRights(goesOn) != nil {
		t.Errorf("another's ended for %v", context.Cause(goesOn))
	}
}

func TestARequestThatIsLeftIsNoMoreRevalidated(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	id, secret := issue(t, store)
	a, _ := testAuthenticator(t, store)
	var begun *http.Request
	served := Middleware(a, NewThrottle(), Proxies{}, func(_ http.ResponseWriter, _ *http.Request, err error) { t.Error(err) })(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { begun = r }))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	r.Header.Set(ClientIDHeader, id)
	r.Header.Set(ClientSecretHeader, secret)
	served.ServeHTTP(httptest.NewRecorder(), r)
	if begun == nil || begun.Context().Err() == nil || backoffice.EndOfRights(begun.Context()) != nil {
		t.Errorf("its context goes on: %v", begun)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		a.inFlight.mu.Lock()
		n, polling := len(a.inFlight.all), a.inFlight.polling
		a.inFlight.mu.Unlock()
		if n == 0 && !polling {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d go on, polling: %v", n, polling)
		}
	}
}

func TestTheNextRequestOfAConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	for name, readsBody := range map[string]bool{"after a body that was read": true, "after one that net/http skipped": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newMemoryStore()
			id, secret := issue(t, store)
			otherID, otherSecret := issue(t, store)
			a, clock := testAuthenticator(t, store)
			began := make(chan struct{})
			refuse := func(_ http.ResponseWriter, _ *http.Request, err error) { t.Error(err) }
			server := httptest.NewServer(Middleware(a, NewThrottle(), Proxies{}, refuse)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if readsBody {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				if r.URL.Path == "/lasts" {
					_ = http.NewResponseController(w).Flush()
					close(began)
					<-r.Context().Done()
					time.Sleep(200 * time.Millisecond) // an interrupted connection would notice by now
				} else if r.Context().Err() != nil {
					w.WriteHeader(http.StatusGatewayTimeout)
				}
			})))
			t.Cleanup(server.Close)
			posts := func(path, id, secret string) (status int, reused bool) {
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(of httptrace.GotConnInfo) { reused = of.Reused }})
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, strings.NewReader("{}"))
				if err != nil {
					t.Error(err)
					return 0, false
				}
				r.Header = headers(id, secret)
				answer, err := server.Client().Do(r)
				if err != nil {
					t.Error(err)
					return 0, false
				}
				defer answer.Body.Close()
				_, _ = io.Copy(io.Discard, answer.Body)
				return answer.StatusCode, reused
			}
			lasts := make(chan struct{})
			go func() { posts("/lasts", id, secret); close(lasts) }()
			<-began
			if err := Revoke(t.Context(), store, id); err != nil {
				t.Fatal(err)
			}
			clock.pass(staleAfter)
			<-lasts
			if status, reused := posts("/next", otherID, otherSecret); status != http.StatusOK || !reused {
				t.Errorf("another's request is answered with %d, on the same connection: %v", status, reused)
			}
		})
	}
}
