// Package tracing sends spans of GraphQL operations over OTLP, configured by the standard OTEL_… variables of the
// environment; without them it does nothing. A span is made of an operation's timeline when it has ended, so an
// operation that is not sampled costs almost nothing. It must not see a document, a variable or anything else that a
// client writes: only our own names, numbers and codes.
package tracing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"example.org/backoffice/backoffice"
)

// Tracer makes spans. A nil Tracer traces nothing.
type Tracer struct {
	spans    trace.Tracer
	provider *sdktrace.TracerProvider
}

// where are the variables that configure where spans go; without any of them nothing is traced.
var where = []string{"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// FromEnvironment makes the configured tracer, nil for none. Close it. Unsent spans are logged once a minute, and lost.
func FromEnvironment(ctx context.Context, version string, log *slog.Logger) (*Tracer, error) {
	wanted := ""
	for _, name := range where {
		wanted = cmp.Or(wanted, os.Getenv(name))
	}
	if wanted == "" || wanted == "none" || os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return nil, nil
	}
	exporter, err := newExporter(ctx)
	if err != nil {
		return nil, err
	}
	of, err := resource.New(ctx,
		resource.WithAttributes(
			attribute.String("service.name", "backoffice"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv()) // the last one wins
	if err != nil {
		return nil, errors.Join(fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err), exporter.Shutdown(ctx))
	}
	otel.SetErrorHandler(&failures{log: log})
	// Sampled as OTEL_TRACES_SAMPLER configures.
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(of))
	return &Tracer{provider.Tracer("example.org/backoffice/httpserver/tracing"), provider}, nil
}

// newExporter reads the protocol from OTEL_EXPORTER_OTLP_…; its libraries read the rest of these variables.
func newExporter(ctx context.Context) (*otlptrace.Exporter, error) {
	if name := os.Getenv("OTEL_TRACES_EXPORTER"); name != "" && name != "otlp" {
		return nil, errors.New("OTEL_TRACES_EXPORTER must be otlp or none")
	}
	switch cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL")) {
	case "", "http/protobuf":
		return otlptracehttp.New(ctx)
	case "grpc":
		return otlptracegrpc.New(ctx)
	}
	return nil, errors.New("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or grpc")
}

type failures struct {
	log    *slog.Logger
	logged atomic.Int64 // time in nanoseconds
}

func (f *failures) Handle(err error) {
	now, last := time.Now().UnixNano(), f.logged.Load()
	if now-last > int64(time.Minute) && f.logged.CompareAndSwap(last, now) {
		f.log.Warn("cannot send spans", "cause", backoffice.MaskDigits(err.Error()))
	}
}

func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// TakeOver continues a request's trace (W3C's traceparent). It drops the tracestate: a client's free text.
func (t *Tracer) TakeOver(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Traceparent"] != nil {
			ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
			parent := trace.SpanContextFromContext(ctx).WithTraceState(trace.TraceState{})
			r = r.WithContext(trace.ContextWithRemoteSpanContext(ctx, parent))
		}
		next.ServeHTTP(w, r)
	})
}

// Operation is the span of a sampled operation. End it.
type Operation struct {
	tracer *Tracer
	ctx    context.Context
	span   trace.Span
}

// Begin starts the span of an operation; nil when it is not sampled.
func (t *Tracer) Begin(ctx context.Context) *Operation {
	if t == nil {
		return nil
	}
	ctx, span := t.spans.Start(ctx, "operation", trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return nil
	}
	return &Operation{t, ctx, span}
}

// Outcome is what a span reports of an operation besides its levels.
type Outcome struct {
	Type     string // query, mutation or subscription; "" for a part of an answer
	Document string // its digest, or another unreadable identifier
	Cost     int
	Codes    []string // of its errors
	Failed   bool     // for a reason of ours
}

// End ends the span, with a child per level; each level has a child per name of a statement.
func (o *Operation) End(of Outcome, levels []backoffice.Level) {
	statements := 0
	for i := range levels {
		statements += o.level(&levels[i])
	}
	o.span.SetName(cmp.Or(of.Type, "part"))
	o.span.SetAttributes(
		attribute.String("graphql.operation.type", of.Type), attribute.String("backoffice.document", of.Document),
		attribute.Int("backoffice.cost", of.Cost), attribute.Int("backoffice.statements", statements),
		attribute.StringSlice("backoffice.errors", of.Codes))
	if of.Failed {
		o.span.SetStatus(codes.Error, "")
	}
	o.span.End()
}

func (o *Operation) level(l *backoffice.Level) (statements int) {
	ctx, span := o.tracer.spans.Start(o.ctx, "level", trace.WithTimestamp(l.Began))
	for i := range l.Statements {
		s := &l.Statements[i]
		statements += s.Times
		_, of := o.tracer.spans.Start(ctx, cmp.Or(s.Name, "statement"), trace.WithTimestamp(s.Began),
			trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
				attribute.Int("backoffice.times", s.Times), attribute.Int("backoffice.rows", s.Rows),
				attribute.Float64("backoffice.wait_milliseconds", float64(s.Waited.Microseconds())/1_000),
				attribute.String("backoffice.server", server(s.Replica))))
		of.End(trace.WithTimestamp(s.Ended))
	}
	span.SetAttributes(attribute.Int("backoffice.fields", l.Fields), attribute.Int("backoffice.rows", l.Rows()),
		attribute.Int("backoffice.statements", statements))
	span.End(trace.WithTimestamp(l.Ended))
	return statements
}

func server(replica bool) string {
	if replica {
		return "replica"
	}
	return "primary"
}
