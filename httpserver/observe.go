package httpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"example.org/backoffice/backoffice"
)

func (srv *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		known, calls := &record{id: requestID(r.Header.Get(requestIDHeader))}, backoffice.StatementCountOf(r.Context())
		if calls == nil {
			calls = &backoffice.StatementCount{}
		}
		ctx := context.WithValue(r.Context(), recordKey{}, known)
		ctx = backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.ID, r.Statements = known.id, calls })
		w.Header()[requestIDHeader] = []string{known.id}
		wrapped := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		srv.metrics.inFlight.Add(1)
		defer func() {
			srv.metrics.inFlight.Add(-1)
			status := cmp.Or(wrapped.Status(), http.StatusOK) // nothing written is an empty 200
			left := errors.Is(ctx.Err(), context.Canceled)
			if left && status >= http.StatusInternalServerError {
				status = statusLeft // the answer that it missed is not counted
			}
			seen := seen{
				record: known, left: left, method: methodOf(r.Method), status: status,
				route: cmp.Or(chi.RouteContext(ctx).RoutePattern(), "none"), // no path: it is never logged
				bytes: wrapped.BytesWritten(), calls: calls.Count(), took: time.Since(started),
			}
			of := srv.metrics.count(seen)
			if status != http.StatusSwitchingProtocols && wrapped.Header().Get("Preference-Applied") == "" &&
				!strings.HasPrefix(wrapped.Header().Get("Content-Type"), "text/event-stream") {
				of.durations.Observe(seen.took.Seconds()) // not how long a client waits for events
			}
			srv.line(ctx, seen)
		}()
		next.ServeHTTP(wrapped, r.WithContext(ctx))
	})
}

// statusLeft is logged and counted for a client that left before there was an answer, as other servers do.
const statusLeft = 499

type seen struct {
	*record
	left          bool // the client did not wait for the answer, or not for all of it
	method, route string
	status, bytes int
	calls         int
	took          time.Duration
}

// line logs a request. Health checks, and requests for parts of a page, are only logged when they fail. Not being ready
// is no failure: its reason has a line of its own, unless the server stops.
func (srv *Server) line(ctx context.Context, s seen) {
	level := slog.LevelInfo
	if s.status >= http.StatusInternalServerError &&
		(s.route != "/readyz" || s.status != http.StatusServiceUnavailable) {
		level = slog.LevelError
	} else if s.route == "/livez" || s.route == "/readyz" || s.quiet {
		level = slog.LevelDebug
	}
	if !srv.options.Log.Enabled(ctx, level) {
		return
	}
	attributes := append(make([]slog.Attr, 0, 12),
		slog.String("request", s.id), slog.String("method", s.method), slog.String("route", s.route),
		slog.Int("status", s.status), slog.Float64("milliseconds", milliseconds(s.took)),
		slog.Int("bytes", s.bytes), slog.Int("storeCalls", s.calls))
	if s.client != "" {
		attributes = append(attributes, slog.String("client", s.client))
	}
	if s.subject != "" {
		attributes = append(attributes, slog.String("subject", backoffice.MaskDigits(s.subject)))
	}
	if s.tool != "" {
		attributes = append(attributes, slog.String("tool", s.tool))
	}
	if s.operation != nil {
		attributes = s.operation.attributes(attributes)
	}
	text := "request"
	if s.left {
		text = "client left"
	}
	srv.log(ctx, level, text, attributes)
}

// CountOperation logs and counts one of several operations of a request.
func (srv *Server) CountOperation(ctx context.Context, operation Operation) {
	srv.metrics.countOperation(&operation)
	if known := recordOf(ctx); srv.options.Log.Enabled(ctx, slog.LevelInfo) {
		attributes := []slog.Attr{slog.String("request", known.id), slog.String("client", known.client)}
		if known.subject != "" {
			attributes = append(attributes, slog.String("subject", backoffice.MaskDigits(known.subject)))
		}
		srv.log(ctx, slog.LevelInfo, "operation", operation.attributes(attributes))
	}
}

func (o *Operation) attributes(to []slog.Attr) []slog.Attr {
	to = append(to, slog.String("operation", backoffice.ShownName(o.Name)),
		slog.String("document", o.Document), slog.Int("cost", o.Cost))
	if len(o.Codes) > 0 {
		to = append(to, slog.String("codes", strings.Join(o.Codes, " ")))
	}
	return to
}

func (srv *Server) log(ctx context.Context, level slog.Level, text string, attributes []slog.Attr) {
	// Without the source position, which would always be this one.
	line := slog.NewRecord(time.Now(), level, text, 0)
	line.AddAttrs(attributes...)
	_ = srv.options.Log.Handler().Handle(ctx, line) // slog ignores it, too
}

// methodOf limits methods to those that exist: a client may send any word.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, "QUERY":
		return method
	}
	return "OTHER"
}
