package httpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/cors"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

type Options struct {
	// Ready returns why requests cannot be answered now, nil when they can. A server without it is always ready.
	Ready func(context.Context) error
	// Alarms returns what an operator must look at although requests are answered: sentences that anyone may read.
	// /readyz includes them but stays 200.
	Alarms func() []string
	// Time limits a request; 0 is no limit.
	Time time.Duration
	// Log is slog.Default() if nil.
	Log *slog.Logger
}

// Server holds what requests share. Make one with New, Mount it on the router and Run it.
type Server struct {
	settings Settings
	options  Options
	metrics  *metrics
	stopping atomic.Bool
}

// New makes a server from settings that pass Check.
func New(settings Settings, options Options) *Server {
	options.Log = cmp.Or(options.Log, slog.Default())
	return &Server{settings: settings, options: options, metrics: newMetrics()}
}

// Mount adds the server's middlewares and its own routes, /livez and /readyz, to a router without routes.
func (srv *Server) Mount(r chi.Router) {
	r.Use(srv.observe, srv.recover, srv.secure, routeUnknown, middleware.GetHead)
	if len(srv.settings.Origins) == 0 {
		r.Use(refusePreflight)
	} else {
		r.Use(cors.Handler(cors.Options{
			AllowedOrigins: srv.settings.Origins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
				http.MethodDelete, "QUERY"},
			AllowedHeaders: []string{"Accept", "Authorization", "Content-Digest", "Content-Disposition",
				"Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range", "Last-Event-ID",
				"Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Prefer", "Range", "Traceparent",
				"X-Access-Purpose", "X-Client-Id", "X-Client-Secret", "X-Explain", "X-Request-Id"},
			ExposedHeaders: []string{"Accept-Ranges", "Backoffice-Position", "Changes-After", "Content-Disposition",
				"Content-Range", "ETag", "Location", "Mirrored-At", "Preference-Applied", "RateLimit",
				"RateLimit-Policy", "Repr-Digest", "Retry-After", "Www-Authenticate", "X-Request-Id"},
			MaxAge: 600,
		}))
	}
	bounded := r.With(srv.Deadline)
	bounded.Get("/livez", srv.live)
	bounded.Get("/readyz", srv.ready)
}

// routeUnknown routes methods that the router does not know, so that handlers of all methods tell which are right.
func routeUnknown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if methodOf(r.Method) == "OTHER" {
			chi.RouteContext(r.Context()).RouteMethod = http.MethodTrace
		}
		next.ServeHTTP(w, r)
	})
}

func (srv *Server) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if srv.settings.Certificate != "" {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// refusePreflight allows nothing. A preflight never has credentials: it would count as a failed sign-in.
func refusePreflight(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
			r.Header.Get("Access-Control-Request-Method") != "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// MayConnect reports whether a page of the request's origin may open a WebSocket, which has no preflight: one of this
// server's own, or of an allowed origin. A client that is no page has no origin.
func (srv *Server) MayConnect(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	isIt := func(allowed string) bool { return strings.EqualFold(allowed, origin) }
	if origin == "" || slices.ContainsFunc(srv.settings.Origins, isIt) {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && from.Host != "" && strings.EqualFold(from.Host, r.Host)
}

// Deadline limits the time of a request and of writing its answer, except for downloads: see Stream.
func (srv *Server) Deadline(next http.Handler) http.Handler {
	if srv.options.Time <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), srv.options.Time)
		defer cancel()
		answer := &sender{w, http.NewResponseController(w), time.Now().Add(srv.options.Time + limits.AnswerTime)}
		_ = answer.control.SetWriteDeadline(answer.end) // only writers of tests have no deadlines
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

func (srv *Server) live(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "live") }

// ready reports to load balancers whether to send requests here, and to people why not; the cause is in the log.
func (srv *Server) ready(w http.ResponseWriter, r *http.Request) {
	if srv.stopping.Load() {
		say(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	if srv.options.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if err := srv.options.Ready(ctx); err != nil {
			word, cause := "not ready", err
			if known, ok := errors.AsType[*backoffice.Error](err); ok {
				if known.Kind != backoffice.Internal {
					word += ": " + known.Message
				}
				cause = cmp.Or(known.Cause, cause)
			}
			srv.options.Log.WarnContext(ctx, "not ready", "cause", cause)
			say(w, http.StatusServiceUnavailable, word)
			return
		}
	}
	var word strings.Builder
	word.WriteString("ready")
	if srv.options.Alarms != nil {
		for _, alarm := range srv.options.Alarms() {
			word.WriteString("\nalarm: " + alarm)
		}
	}
	say(w, http.StatusOK, word.String())
}

func say(w http.ResponseWriter, status int, word string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(word + "\n"))
}
