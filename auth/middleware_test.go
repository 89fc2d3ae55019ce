package auth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/backoffice/backoffice"
)

func answer(w http.ResponseWriter, _ *http.Request, err error) {
	w.WriteHeader(map[backoffice.Kind]int{
		backoffice.Unauthenticated: 401, backoffice.RateLimited: 429, backoffice.Unavailable: 503,
	}[backoffice.KindOf(err)])
	_, _ = w.Write([]byte(err.Error()))
}

// whoIs answers with the client id of the principal.
var whoIs = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(From(r.Context()).ClientID)) })

func send(handler http.Handler, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	maps.Copy(r.Header, header)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func headers(id, secret string) http.Header {
	return http.Header{ClientIDHeader: {id}, ClientSecretHeader: {secret}}
}

func TestAfterTenFailuresAWrongSecretWaitsAndARightOneIsNotSlowed(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	id, secret := issue(t, store)
	a, _ := testAuthenticator(t, store)
	handler := Middleware(a, NewThrottle(), nil, answer)(whoIs)
	wrong := []http.Header{headers(id, "x"), headers("x", secret), {}, headers("", ""), {ClientIDHeader: {id, id}, ClientSecretHeader: {secret}}}
	var first string
	for i := range failuresAllowed {
		w := send(handler, wrong[i%len(wrong)])
		if i == 0 {
			first = w.Body.String()
		}
		if w.Code != 401 || w.Body.String() != first || w.Header().Get("Retry-After") != "" {
			t.Errorf("failure %d: %d %q", i, w.Code, w.Body)
		}
	}
	if w := send(handler, headers(id, "x")); w.Code != 429 || w.Header().Get("Retry-After") != "60" {
		t.Errorf("the eleventh: %d %v", w.Code, w.Header())
	}
	for range 20 {
		if w := send(handler, headers(id, secret)); w.Code != 200 || w.Body.String() != id {
			t.Errorf("the right secret: %d %q", w.Code, w.Body)
		}
	}
}

func TestAStoreThatIsAwayIsNoFailureOfTheClient(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	store.block = func(context.Context) error { return errors.New("away") }
	a, _ := testAuthenticator(t, store)
	handler := Middleware(a, NewThrottle(), nil, answer)(whoIs)
	for range failuresAllowed + 5 {
		if w := send(handler, headers("x", "y")); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	}
}

func TestASignedPathEndsWithItsCredential(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, secret := issue(t, store)
	a, clock := testAuthenticator(t, store)
	by, err := a.Authenticate(ctx, somewhere, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(r *http.Request) (string, error) {
		if r.Header.Get("Signature") != "good" {
			return "", backoffice.Errorf(backoffice.Unauthenticated, "bad link")
		}
		return by.Link(), nil
	}
	handler := Admit(a, nil, signed, answer)(whoIs)
	good := http.Header{"Signature": {"good"}}
	if w := send(handler, good); w.Code != 200 || w.Body.String() != id {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if w := send(handler, nil); w.Code != 401 || w.Body.String() != "bad link" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if err := Revoke(ctx, store, id); err != nil {
		t.Fatal(err)
	}
	clock.pass(staleAfter)
	if w := send(handler, good); w.Code != 401 {
		t.Errorf("revoked: %d", w.Code)
	}
}

func FuzzHeaders(f *testing.F) {
	store := newMemoryStore()
	id, secret := issue(f, store)
	a, _ := testAuthenticator(f, store)
	handler := Middleware(a, NewThrottle(), nil, answer)(whoIs)
	f.Add(id, secret)
	f.Add("", "\x00")
	f.Fuzz(func(t *testing.T, gotID, gotSecret string) {
		w := send(handler, headers(gotID, gotSecret))
		if right := gotID == id && gotSecret == secret; right != (w.Code == 200) || !right && w.Code != 401 && w.Code != 429 {
			t.Fatalf("%d for %q %q", w.Code, gotID, gotSecret)
		}
	})
}
