package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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
	own, end := a.Begin(t.Context(), as, nil)
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
		a.begun.mu.Lock()
		n, polling := len(a.begun.all), a.begun.polling
		a.begun.mu.Unlock()
		if n == 0 && !polling {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d go on, polling: %v", n, polling)
		}
	}
}
