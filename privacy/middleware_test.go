package privacy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

func answer(w http.ResponseWriter, _ *http.Request, err error) {
	status := map[backoffice.Kind]int{backoffice.BadInput: 400, backoffice.Unavailable: 503}[backoffice.KindOf(err)]
	http.Error(w, err.Error(), status)
}

// serve sends one request through the middleware of a vault.
func serve(t *testing.T, vault *Vault, purpose string, handler http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	viewer := func(context.Context) *backoffice.Principal { return reader }
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if purpose != "" {
		r.Header.Set("x-access-purpose", purpose)
	}
	w := httptest.NewRecorder()
	w.Header().Set("X-Request-Id", "r1")
	vault.Middleware(viewer, answer)(handler).ServeHTTP(w, r)
	return w
}

// waysToAnswer are the ways in which a handler's first byte can leave.
var waysToAnswer = map[string]func(w http.ResponseWriter, text string){
	"write": func(w http.ResponseWriter, text string) { _, _ = io.WriteString(w, text) },
	"write header": func(w http.ResponseWriter, text string) {
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, text)
	},
	"copy": func(w http.ResponseWriter, text string) {
		_, _ = io.Copy(w, struct{ io.Reader }{strings.NewReader(text)})
	},
	"flush": func(w http.ResponseWriter, text string) { w.Header().Set("X-Text", text); w.(http.Flusher).Flush() },
	"controller": func(w http.ResponseWriter, text string) {
		w.Header().Set("X-Text", text)
		_ = http.NewResponseController(w).Flush()
	},
	"headers alone": func(w http.ResponseWriter, text string) { w.Header().Set("X-Text", text) },
}

func TestTheEntryIsDurableBeforeTheFirstByteLeaves(t *testing.T) {
	t.Parallel()
	for name, write := range waysToAnswer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := testKeys(t), newMemoryStore()
			w := serve(t, NewVault(keys, store), "tax return", func(w http.ResponseWriter, r *http.Request) {
				got, err := Reveal(r.Context(), []SealedNumber{sealed(t, keys, "a", backoffice.RegistrationNumber)})
				if err != nil || store.appends != 0 {
					t.Error(err)
				}
				write(w, *got[0])
			})
			if !strings.Contains(w.Body.String()+w.Header().Get("X-Text"), number) {
				t.Errorf("answered %d %q", w.Code, w.Body)
			}
			if got := store.lines(); len(got) != 1 || store.appends != 1 || got[0] != "READ a [REGISTRATION_NUMBER] credential-1 Reader for tax return" {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhatCannotBeEnteredDoesNotLeave(t *testing.T) {
	t.Parallel()
	for name, write := range waysToAnswer {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, store := testKeys(t), newMemoryStore()
			store.fail = func(string) error { return errors.New("disk full") }
			w := serve(t, NewVault(keys, store), "", func(w http.ResponseWriter, r *http.Request) {
				got, err := Reveal(r.Context(), []SealedNumber{sealed(t, keys, "a", backoffice.RegistrationNumber)})
				if err != nil {
					t.Error(err)
				}
				w.Header().Set("ETag", *got[0])
				write(w, *got[0])
				_, _ = io.WriteString(w, *got[0])
			})
			result := w.Result()
			if result.StatusCode != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), number) || strings.Contains(w.Body.String(), "disk") {
				t.Errorf("answered %d %q", w.Code, w.Body)
			}
			for key, values := range result.Header {
				if strings.Contains(strings.Join(values, ","), number) {
					t.Errorf("the number left in the header %s", key)
				}
			}
			if result.Header.Get("X-Request-Id") != "r1" {
				t.Error("what others had set is lost")
			}
		})
	}
}

func TestTheHandlerIsNotReachedWithABadPurpose(t *testing.T) {
	t.Parallel()
	w := serve(t, NewVault(testKeys(t), newMemoryStore()), "85073003328", func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	if w.Code != 400 || strings.Contains(w.Body.String(), "85073003328") {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

func TestAnEarlyHintWaitsForTheEntry(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	w := serve(t, NewVault(keys, store), "", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusNoContent)
		if _, _, err := http.NewResponseController(w).Hijack(); !errors.Is(err, http.ErrNotSupported) {
			t.Errorf("hijacked: %v", err)
		}
	})
	if w.Code != 204 {
		t.Errorf("%d", w.Code)
	}
}
