package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/backoffice"
)

const number = "85010112345"

// lines is a log that a test can read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// last is the last line, as an object.
func (l *lines) last(t *testing.T) map[string]any {
	t.Helper()
	all := strings.Split(strings.TrimSpace(l.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(all[len(all)-1]), &line); err != nil {
		t.Fatalf("%v: %q", err, all)
	}
	return line
}

// mounted is a process on a router with the given routes.
func mounted(settings Settings, options Options, routes func(chi.Router, *Server)) (http.Handler, *Server, *lines) {
	log := &lines{}
	options.Log = slog.New(slog.NewJSONHandler(log, nil))
	p := New(settings, options)
	r := chi.NewRouter()
	p.Mount(r)
	if routes != nil {
		routes(r, p)
	}
	return r, p, log
}

func ask(handler http.Handler, method, target string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func with(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestTheIDOfAProxyIsTakenOnlyWhenItIsSafe(t *testing.T) {
	t.Parallel()
	handler, _, _ := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, backoffice.RequestOf(r.Context()).ID)
		})
	})
	for sent, taken := range map[string]bool{
		"abc-1_2.3":                            true,
		"0190b7a4-1234-7abc-8def-123456789012": true,
		strings.Repeat("a", 64):                true,
		strings.Repeat("a", 65):                false,
		"":                                     false,
		number:                                 false,
		"id-" + number:                         false,
		"85.01.01-123.45":                      false,
		"id_85-01-01_123.45":                   false,
		"2026-11-22_case.12345":                true,
		"a b":                                  false,
		"a\nb":                                 false,
		`a"b`:                                  false,
	} {
		w := ask(handler, "GET", "/", with("X-Request-Id", sent))
		id := w.Header().Get("X-Request-Id")
		if (id == sent) != taken || id == "" || id != w.Body.String() {
			t.Errorf("%q became %q", sent, id)
		}
	}
	if a, b := ask(handler, "GET", "/"), ask(handler, "GET", "/"); a.Body.String() == b.Body.String() {
		t.Error("two requests have the same id")
	}
}

func TestAPanicCostsOneRequest(t *testing.T) {
	t.Parallel()
	handler, p, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/panic", func(http.ResponseWriter, *http.Request) { panic("number " + number) })
		r.Get("/fault", func(_ http.ResponseWriter, r *http.Request) { _ = []int{}[len(r.URL.Path)] })
		r.Get("/late", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "half"); panic("late") })
		r.Get("/fine", func(http.ResponseWriter, *http.Request) {})
	})
	for _, path := range []string{"/panic", "/fault"} {
		w := ask(handler, "GET", path)
		var problem struct {
			Title, RequestID string
			Status           int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code != 500 || problem.Title != "internal error" ||
			problem.RequestID != w.Header().Get("X-Request-Id") || problem.Status != 500 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), number) || !strings.Contains(log.String(), "index out of range") {
		t.Errorf("%s", log)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	if response, err := server.Client().Get(server.URL + "/late"); err == nil {
		if _, err = io.ReadAll(response.Body); err == nil {
			t.Error("half an answer looks whole")
		}
		response.Body.Close()
	}
	if w := ask(handler, "GET", "/fine"); w.Code != 200 {
		t.Errorf("after the panics: %d", w.Code)
	}
	if w := ask(p.Metrics(), "GET", "/metrics"); !strings.Contains(w.Body.String(), "backoffice_http_panics_total 3\n") {
		t.Error("the panics are not counted")
	}
}

func TestTheProcessTellsWhetherItLivesAndIsReady(t *testing.T) {
	t.Parallel()
	var sick error
	handler, p, log := mounted(Settings{}, Options{Ready: func(ctx context.Context) error {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a check without a bound")
		}
		return sick
	}}, nil)
	check := func(path string, want int) {
		t.Helper()
		if w := ask(handler, "GET", path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	check("/livez", 200)
	check("/readyz", 200)
	if log.String() != "" {
		t.Errorf("health is logged: %s", log)
	}
	sick = errors.New("the database is away")
	check("/livez", 200)
	check("/readyz", 503)
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, `"level":"WARN","msg":"not ready"`) {
		t.Errorf("a server that is not ready says: %s", said)
	}
	sick = nil
	p.stopping.Store(true)
	before := log.String()
	check("/livez", 200)
	check("/readyz", 503)
	if said := strings.TrimPrefix(log.String(), before); said != "" {
		t.Errorf("an orderly stop says: %s", said)
	}
}

func TestARequestHasADeadlineAndADownloadHasNone(t *testing.T) {
	t.Parallel()
	handler, _, _ := mounted(Settings{}, Options{Time: time.Hour}, func(r chi.Router, p *Server) {
		r.With(p.Deadline).Post("/", func(_ http.ResponseWriter, r *http.Request) {
			if _, bounded := r.Context().Deadline(); !bounded {
				t.Error("no deadline")
			}
		})
		r.With(p.Stream).Get("/download", func(_ http.ResponseWriter, r *http.Request) {
			if _, bounded := r.Context().Deadline(); bounded {
				t.Error("a download has a deadline")
			}
		})
	})
	ask(handler, "POST", "/")
	ask(handler, "GET", "/download")
}

func TestEveryAnswerForbidsToGuessItsType(t *testing.T) {
	t.Parallel()
	plain, _, _ := mounted(Settings{}, Options{}, nil)
	secure, _, _ := mounted(Settings{Certificate: "chain.pem"}, Options{}, nil)
	for handler, encrypted := range map[http.Handler]bool{plain: false, secure: true} {
		for _, path := range []string{"/livez", "/readyz", "/nowhere"} {
			header := ask(handler, "GET", path).Header()
			if header.Get("X-Content-Type-Options") != "nosniff" || (header.Get("Strict-Transport-Security") != "") != encrypted {
				t.Errorf("%s: %v", path, header)
			}
		}
	}
}

func TestReadinessSaysWhyNotAndNeverTheCause(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"not ready: the disk is full\n": &backoffice.Error{Kind: backoffice.Unavailable, Message: "the disk is full", Cause: errors.New("cause " + number)},
		"not ready\n":                   backoffice.Fault(errors.New("cause "+number), "asking"),
	} {
		handler, _, log := mounted(Settings{}, Options{Ready: func(context.Context) error { return err }}, nil)
		if w := ask(handler, "GET", "/readyz"); w.Code != 503 || w.Body.String() != want {
			t.Errorf("%d %q, want %q", w.Code, w.Body, want)
		}
		if !strings.Contains(log.String(), "cause") {
			t.Errorf("no cause in the log: %s", log)
		}
	}
}

func TestOnlyListedOriginsMayAsk(t *testing.T) {
	t.Parallel()
	routes := func(r chi.Router, _ *Server) { r.Post("/graphql", func(http.ResponseWriter, *http.Request) {}) }
	closed, _, _ := mounted(Settings{}, Options{}, routes)
	open, _, _ := mounted(Settings{Origins: []string{"https://office.example"}}, Options{}, routes)
	for _, c := range []struct {
		handler http.Handler
		origin  string
		allowed bool
	}{{closed, "https://office.example", false}, {open, "https://office.example", true}, {open, "https://elsewhere.example", false}, {open, "null", false}} {
		preflight := ask(c.handler, "OPTIONS", "/graphql", with("Origin", c.origin), with("Access-Control-Request-Method", "POST"),
			with("Access-Control-Request-Headers", "content-disposition,content-type,if-range,last-event-id,mcp-protocol-version,prefer,x-access-purpose,x-client-id,x-client-secret"))
		request := ask(c.handler, "POST", "/graphql", with("Origin", c.origin))
		for _, w := range []*httptest.ResponseRecorder{preflight, request} {
			if got := w.Header().Get("Access-Control-Allow-Origin"); (got == c.origin) != c.allowed || got == "*" {
				t.Errorf("%s: %q", c.origin, got)
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Error("cookies are allowed")
			}
		}
		shown := request.Header().Get("Access-Control-Expose-Headers")
		for _, name := range []string{"Accept-Ranges", "Content-Range", "Etag"} { // a page that may send Range has to see them
			if strings.Contains(shown, name) != c.allowed {
				t.Errorf("%s: a page sees %s", c.origin, shown)
			}
		}
	}
}

func TestRequestsAreCountedByRouteAndOperationsByCode(t *testing.T) {
	t.Parallel()
	handler, p, _ := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.Post("/graphql", func(w http.ResponseWriter, r *http.Request) {
			backoffice.CountStatement(r.Context())
			var codes []string
			if code := r.Header.Get("Code"); code != "" {
				codes = []string{code}
			}
			if r.Header.Get("Prefer") == "wait=30" {
				w.Header().Set("Preference-Applied", "wait")
			}
			NoteOperation(r.Context(), Operation{Type: "query", Cost: 3, Codes: codes})
		})
	})
	ask(handler, "POST", "/graphql")
	ask(handler, "POST", "/graphql", with("Code", "FORBIDDEN"))
	ask(handler, "POST", "/graphql", with("Prefer", "wait=30")) // however long it waits
	ask(handler, "GET", "/"+number)
	w := ask(p.Metrics(), "GET", "/metrics")
	for _, line := range []string{
		`backoffice_http_requests_total{method="POST",route="/graphql",status="200"} 3`,
		`backoffice_http_requests_total{method="GET",route="none",status="404"} 1`,
		`backoffice_graphql_operations_total{code="OK",type="query"} 2`,
		`backoffice_graphql_operations_total{code="FORBIDDEN",type="query"} 1`,
		// An alert sees a counter rise, not begin with 1.
		`backoffice_graphql_operations_total{code="INTERNAL_SERVER_ERROR",type="query"} 0`,
		`backoffice_graphql_operations_total{code="INTERNAL_SERVER_ERROR",type="none"} 0`,
		`backoffice_store_calls_total{route="/graphql"} 3`,
		`backoffice_http_requests_in_flight 0`,
		`backoffice_http_request_seconds_count{route="/graphql"} 2`,
	} {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(w.Body.String(), number) {
		t.Error("the number is in the metrics")
	}
}

func TestSettingsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	good := Settings{Metrics: "127.0.0.1:0", StopTime: time.Second}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for sentence, change := range map[string]func(*Settings){
		"metrics for everyone":          func(s *Settings) { s.Metrics = "0.0.0.0:9464" },
		"metrics on every address":      func(s *Settings) { s.Metrics = ":9464" },
		"metrics on a public address":   func(s *Settings) { s.Metrics = "192.0.2.1:9464" },
		"a certificate without a key":   func(s *Settings) { s.Certificate = "a.pem" },
		"a key without a certificate":   func(s *Settings) { s.Key = "a.pem" },
		"every origin":                  func(s *Settings) { s.Origins = []string{"*"} },
		"an origin with a path":         func(s *Settings) { s.Origins = []string{"https://office.example/"} },
		"a pattern of origins":          func(s *Settings) { s.Origins = []string{"https://*.example"} },
		"a stop that ends before it is": func(s *Settings) { s.StopDelay = time.Minute },
	} {
		s := good
		if change(&s); s.Check() == nil {
			t.Errorf("accepted: %s", sentence)
		}
	}
}

// listen gives a listener on a free port.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}
