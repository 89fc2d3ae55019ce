package gateway

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/limits"
)

// gated is a gate before an endpoint; what passes it is noted and read.
func gated(t *testing.T) (g *gate, pair [2]string, passed *int, read *string) {
	t.Helper()
	o := openOffice(t)
	bounds := limits.Defaults()
	bounds.Together, bounds.Waiting, bounds.Wait = 4_000, 4_000, time.Minute
	s, end, err := newServer(o.Backend, Config{Limits: bounds, Log: quiet(bounds).Log}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	admission := bounds.NewAdmission()
	endpoint := s.graphql(s.schema(), admission, auth.NewThrottle())
	pair, passed, read = o.pair(t), new(int), new(string)
	g = s.newGate(admission, endpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*passed++
		var text strings.Builder
		buffer := make([]byte, 7) // as it comes
		for {
			n, err := r.Body.Read(buffer)
			text.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		*read = text.String()
	}))
	return g, pair, passed, read
}

const (
	wide   = `{ customers(first: 500) { nodes { id displayName email } } }`
	narrow = `{ customers(first: 1) { nodes { id } } }`
)

func TestWhoIsRefusedForWantOfRoomIsRefusedBeforeAnythingIsDoneForIt(t *testing.T) {
	t.Parallel()
	g, pair, passed, read := gated(t)
	body := func(query string) string {
		text, _ := json.Marshal(map[string]string{"query": query})
		return string(text)
	}
	ask := func(r *http.Request) *httptest.ResponseRecorder {
		*passed = 0
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	of := func(pair [2]string, query string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body(query)))
		r.Header.Set("X-Client-Id", pair[0])
		r.Header.Set("X-Client-Secret", pair[1])
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	if ask(of(pair, wide)); *passed != 1 || *read != body(wide) {
		t.Errorf("a document that nobody knows was not handed on whole: %d, %q", *passed, *read)
	}
	for _, query := range []string{wide, narrow, `query($n: Int!) { customers(first: $n) { nodes { id displayName } } }`} {
		planned := of(pair, query)
		planned.Header.Set("X-Explain", "plan")
		w := httptest.NewRecorder()
		if g.endpoint.ServeHTTP(w, planned.WithContext(auth.WithPrincipal(planned.Context(), &backoffice.Principal{ClientID: pair[0]}))); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}

	if ask(of(pair, wide)); *passed != 1 {
		t.Error("a request was refused when nobody waits")
	}
	cost, _ := g.endpoint.KnownCost([]byte(body(wide)))
	for range 64 * runtime.NumCPU() {
		go func() {
			for t.Context().Err() == nil {
				if _, err := g.admission.Enter(t.Context(), pair[0], cost); err == nil {
					return // it never leaves
				}
				time.Sleep(time.Millisecond)
			}
		}()
	}
	var running, waiting int64
	for still := 0; still < 10; time.Sleep(20 * time.Millisecond) { // until none of them begins any more
		nowRunning, nowWaiting := g.admission.Stats()
		if still++; nowRunning != running || nowWaiting != waiting || nowWaiting == 0 {
			running, waiting, still = nowRunning, nowWaiting, 0
		}
	}

	refused := ask(of(pair, wide))
	if *passed != 0 || refused.Code != http.StatusServiceUnavailable || refused.Header().Get("Retry-After") != "1" || refused.Header().Get("X-Request-Id") == "" ||
		!strings.Contains(refused.Body.String(), `"code":"UNAVAILABLE"`) {
		t.Errorf("one more of the pair: handed on %d times; %d %v %s", *passed, refused.Code, refused.Header(), refused.Body)
	}
	for what, r := range map[string]*http.Request{
		"a small one of the pair":          of(pair, narrow),
		"another pair":                     of([2]string{"other", "secret"}, wide),
		"a cost that depends on variables": of(pair, `query($n: Int!) { customers(first: $n) { nodes { id displayName } } }`),
		"a page of another origin": func() *http.Request {
			r := of(pair, wide)
			r.Header.Set("Origin", "https://example.org")
			return r
		}(),
		"one that asks what it costs": func() *http.Request {
			r := of(pair, wide)
			r.Header.Set("X-Explain", "true")
			return r
		}(),
	} {
		if ask(r); *passed != 1 || !strings.HasPrefix(*read, `{"query":`) {
			t.Errorf("%s: handed on %d times, with %q", what, *passed, *read)
		}
	}
}
