package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/httpserver/tracing"
)

// report records a finished operation in the log of slow ones, and in traces.
func (o *execution) report(of *graphqlhttp.Outcome) {
	if took := time.Since(o.began); o.of.slow > 0 && took >= o.of.slow && of.Type != "" {
		o.of.logSlow(o.ctx, took, of)
	}
	if o.span != nil {
		o.span.End(tracing.Outcome{
			Type: of.Type, Document: cmp.Or(of.Document, of.Shape), Cost: of.Cost, Codes: of.Codes,
			Failed: of.Status >= http.StatusInternalServerError,
		}, backoffice.TimelineOf(o.ctx).Levels())
	}
}

// logSlow logs where a slow operation spent its time. It logs the document's digest, and none of its contents.
func (s server) logSlow(ctx context.Context, took time.Duration, o *graphqlhttp.Outcome) {
	levels := graphqlhttp.Levels(backoffice.TimelineOf(ctx))
	statements := 0
	for _, level := range levels {
		for _, statement := range level.Statements {
			statements += statement.Times
		}
	}
	s.log.LogAttrs(ctx, slog.LevelWarn, "slow operation",
		slog.String("request", backoffice.RequestOf(ctx).ID), slog.String("client", clientOf(ctx)),
		slog.String("type", o.Type), slog.String("document", o.Document), slog.String("shape", o.Shape),
		slog.Int("cost", o.Cost), slog.Float64("milliseconds", float64(took.Microseconds())/1_000),
		slog.Int("statements", statements), slog.Any("levels", levels))
}
