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
	// Ready says why requests cannot be answered now, nil when they can. Without it a server is always ready.
	Ready func(context.Context) error
	// Alarms are what an operator has to look at though requests are answered, a sentence each that anyone may read.
	// They are in the answer of /readyz, which stays 200, and counted by the metrics.
	Alarms func() []string
	// Time is how long a request may take; 0 is no bound.
	Time time.Duration
	// Log takes the lines; slog.Default() without.
	Log *slog.Logger
}

// Server holds what requests have in common. Make one with New, Mount it on the router and Run it.
type Server struct {
	settings Settings
	options  Options
	metrics  *metrics
	stopping atomic.Bool
}

// New makes a server; its settings have to pass Check.
func New(settings Settings, options Options) *Server {
	if options.Log == nil {
		options.Log = slog.Default()
	}
	return &Server{settings: settings, options: options, metrics: newMetrics(options.Alarms)}
}

// Mount puts the server's middlewares and its own routes, /livez and /readyz, on a router that has no routes yet.
func (srv *Server) Mount(r chi.Router) {
	r.Use(srv.observe, srv.recover, srv.secure, middleware.GetHead)
	if len(srv.settings.Origins) == 0 {
		r.Use(refusePreflight)
	} else {
		r.Use(cors.Handler(cors.Options{
			AllowedOrigins: srv.settings.Origins,
			AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
			AllowedHeaders: []string{"Accept", "Authorization", "Content-Digest", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Range", "X-Access-Purpose",
				"X-Client-Id", "X-Client-Secret", "X-Explain", "X-Request-Id"},
			ExposedHeaders: []string{"Changes-After", "Content-Disposition", "ETag", "Location", "RateLimit", "RateLimit-Policy", "Repr-Digest", "Retry-After", "X-Request-Id"},
			MaxAge:         600,
		}))
	}
	bounded := r.With(srv.Deadline)
	bounded.Get("/livez", srv.live)
	bounded.Get("/readyz", srv.ready)
}

// secure sets the headers that every answer has.
func (srv *Server) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if srv.settings.Certificate != "" {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// refusePreflight answers what a browser asks before it lets another origin's page ask, by allowing nothing. Such a
// request never has credentials: taken for a sign-in it would count as a failed one.
func refusePreflight(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// MayConnect reports whether a page of the request's origin may open a WebSocket, which no preflight asks for: one of
// this server's own, or of an origin that may ask. What is no page has no origin.
func (srv *Server) MayConnect(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(srv.settings.Origins, origin) {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && from.Host != "" && strings.EqualFold(from.Host, r.Host)
}

// Deadline bounds the time of a request and of the writing of its answer, but for downloads, which Stream is for.
func (srv *Server) Deadline(next http.Handler) http.Handler {
	if srv.options.Time <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), srv.options.Time)
		defer cancel()
		answer := &sender{w, http.NewResponseController(w), time.Now().Add(srv.options.Time + limits.AnswerTime)}
		_ = answer.control.SetWriteDeadline(answer.end) // a writer without deadlines is a test's
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

func (srv *Server) live(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "live") }

// ready tells a load balancer whether to send requests here, and people why not; the cause is in the log.
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
			var known *backoffice.Error
			if errors.As(err, &known) {
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
