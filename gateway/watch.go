package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphqlhttp"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/tracing"
)

// watched is an operation whose timeline is kept.
type watched struct {
	began   time.Time
	outcome graphqlhttp.Outcome // zero until it is told
}

type watchedKey struct{}

// watch keeps the timeline of an operation for which somebody will ask when it has ended; report tells them, and is
// nil when nobody will.
func (s server) watch(ctx context.Context) (_ context.Context, report func()) {
	span := s.tracer.Begin(ctx)
	if s.slow <= 0 && span == nil {
		return ctx, nil
	}
	return s.watching(ctx, span)
}

func (s server) watching(ctx context.Context, span *tracing.Operation) (_ context.Context, report func()) {
	if backoffice.TimelineOf(ctx) == nil {
		ctx, _ = backoffice.WithTimeline(ctx)
	}
	w := &watched{began: time.Now()}
	ctx = context.WithValue(ctx, watchedKey{}, w)
	return ctx, func() {
		if took := time.Since(w.began); s.slow > 0 && took >= s.slow && w.outcome.Type != "" {
			s.logSlow(ctx, took, &w.outcome)
		}
		if span != nil {
			span.End(tracing.Outcome{
				Type: w.outcome.Type, Document: cmp.Or(w.outcome.Document, w.outcome.Shape), Cost: w.outcome.Cost, Codes: w.outcome.Codes,
				Failed: w.outcome.Status >= http.StatusInternalServerError,
			}, backoffice.TimelineOf(ctx).Levels())
		}
	}
}

func noteOutcome(ctx context.Context, o graphqlhttp.Outcome) {
	if w, ok := ctx.Value(watchedKey{}).(*watched); ok {
		w.outcome = o
	}
}

// logSlow tells of an operation that took long where its time went. The document is told by its digest, and nothing of
// what it says.
func (s server) logSlow(ctx context.Context, took time.Duration, o *graphqlhttp.Outcome) {
	levels := graphqlhttp.Levels(backoffice.TimelineOf(ctx))
	statements := 0
	for _, level := range levels {
		for _, statement := range level.Statements {
			statements += statement.Times
		}
	}
	client := ""
	if principal := auth.From(ctx); principal != nil {
		client = principal.ClientID
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "slow operation",
		slog.String("request", httpserver.RequestID(ctx)), slog.String("client", client), slog.String("type", o.Type), slog.String("document", o.Document),
		slog.String("shape", o.Shape), slog.Int("cost", o.Cost), slog.Float64("milliseconds", float64(took.Microseconds())/1_000),
		slog.Int("statements", statements), slog.Any("levels", levels))
}
