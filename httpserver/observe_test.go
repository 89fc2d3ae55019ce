package httpserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

func TestALineTellsOfARequestWhatIsSafeToTell(t *testing.T) {
	t.Parallel()
	handler, _, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.With(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				next.ServeHTTP(w, r.WithContext(auth.WithPrincipal(r.Context(), &backoffice.Principal{ClientID: "credential-1"})))
			})
		}, Client).Post("/customers/{id}", func(w http.ResponseWriter, r *http.Request) {
			NoteOperation(r.Context(), Operation{Name: "Of" + number, Type: "query", Document: "0123456789abcdef", Cost: 12, Codes: []string{"FORBIDDEN"}})
			backoffice.CountStatement(r.Context())
			backoffice.CountStatement(r.Context())
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, number)
		})
	})
	w := ask(handler, http.MethodPost, "/customers/"+number+"?registrationNumber="+number, with("X-Request-Id", "r-1"), with("User-Agent", number))
	if w.Code != http.StatusAccepted || w.Header().Get("X-Request-Id") != "r-1" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if strings.Contains(log.String(), number) {
		t.Errorf("the number is in the log: %s", log)
	}
	line := log.last(t)
	for key, want := range map[string]any{
		"request": "r-1", "method": "POST", "route": "/customers/{id}", "status": 202.0, "bytes": 11.0, "storeCalls": 2.0,
		"client": "credential-1", "operation": "Of#", "document": "0123456789abcdef", "cost": 12.0, "codes": "FORBIDDEN",
	} {
		if line[key] != want {
			t.Errorf("%s is %v, want %v", key, line[key], want)
		}
	}
	if took, ok := line["milliseconds"].(float64); !ok || took < 0 || took > 60_000 {
		t.Errorf("it took %v milliseconds", line["milliseconds"])
	}
}

func TestTheLineMasksANumberInAnOperationsNameHoweverItIsDivided(t *testing.T) {
	t.Parallel()
	handler, _, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/", func(_ http.ResponseWriter, r *http.Request) {
			NoteOperation(r.Context(), Operation{Name: "Of85_01_01_123_45x", Type: "query"})
		})
	})
	ask(handler, "GET", "/")
	if got := log.last(t)["operation"]; got != "Of#x" {
		t.Errorf("the line names the operation %v", got)
	}
}

func TestAPathWithoutARouteIsNotLogged(t *testing.T) {
	t.Parallel()
	handler, _, log := mounted(Settings{}, Options{}, nil)
	for _, target := range []string{"/" + number, "/x/" + number + "/y"} {
		ask(handler, "GET", target)
		ask(handler, "N"+number, target)
	}
	if strings.Contains(log.String(), number) {
		t.Errorf("%s", log)
	}
}

func TestPartsOfAPageAreLoggedAtDebugOnly(t *testing.T) {
	t.Parallel()
	handler, _, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.With(Quiet).Get("/page/*", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "broken") {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
	})
	if ask(handler, "GET", "/page/a.js"); log.String() != "" {
		t.Errorf("an asset is logged: %s", log)
	}
	if ask(handler, "GET", "/page/broken"); !strings.Contains(log.String(), `"status":500`) {
		t.Errorf("a fault is not logged: %s", log)
	}
}

func TestTheLogHasTheLevelAndFormatOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{}, `^\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","level":"INFO","msg":"info"\}\n\{[^\n]*"msg":"error"\}\n$`},
		{Settings{LogLevel: "error", LogFormat: "json"}, `^\{[^\n]*"msg":"error"\}\n$`},
		{Settings{LogLevel: "error", LogFormat: "text"}, `^time=\S+Z level=ERROR msg=error\n$`},
		{Settings{LogLevel: "debug", LogFormat: "text"}, `level=DEBUG msg=debug\n`},
	} {
		text := &lines{}
		log := c.settings.NewLog(text)
		log.Debug("debug")
		log.Info("info")
		log.Error("error")
		if !regexp.MustCompile(c.want).MatchString(text.String()) {
			t.Errorf("%+v: %s", c.settings, text)
		}
	}
}

func TestAClientThatLeftIsLoggedAsThatAndNotAsAnError(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]float64{"/fails": 499, "/streams": 200} {
		begun := make(chan struct{})
		handler, _, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
			r.Get("/fails", func(w http.ResponseWriter, r *http.Request) {
				close(begun)
				<-r.Context().Done()
				w.WriteHeader(http.StatusGatewayTimeout)
			})
			r.Get("/streams", func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, "begun")
				close(begun)
				<-r.Context().Done()
			})
		})
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		go func() { <-begun; leave() }()
		handler.ServeHTTP(httptest.NewRecorder(), r)
		if line := log.last(t); line["msg"] != "client left" || line["level"] != "INFO" || line["status"] != status || line["route"] != path {
			t.Errorf("%s: %v", path, line)
		}
	}
	handler, _, log := mounted(Settings{}, Options{}, func(r chi.Router, _ *Server) {
		r.Get("/late", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) })
	})
	if ask(handler, http.MethodGet, "/late"); log.last(t)["msg"] != "request" || log.last(t)["level"] != "ERROR" {
		t.Errorf("without leaving: %v", log.last(t))
	}
}
