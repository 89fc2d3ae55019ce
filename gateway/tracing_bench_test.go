package gateway_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver/tracing"
)

// BenchmarkTracing measures what traces cost Q1 through the whole handler: the processor's time of this process, the
// sending of spans and the collector that takes them included. Servers without traces and with, by how many of a
// hundred operations are sampled, take turns over one store; two are without, so that the difference between them
// tells what is noise.
func BenchmarkTracing(b *testing.B) {
	gatewaytest.Tuned(b)
	const text = `{ customers(first: 50) { nodes { id displayName responsible { firstName lastName } relations(first: 10) { edges { otherCustomer { displayName } node { kind } } } transcripts(first: 10) { nodes { id status checklist { name } financialYear { startDate } } } } } }`
	body, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		b.Fatal(err)
	}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	b.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	log := slog.New(slog.DiscardHandler)
	for engine, fresh := range gatewaytest.Engines {
		b.Run(engine, func(b *testing.B) {
			e := openEndpoint(b, fresh(b))
			with := func(ratio string) http.Handler {
				c := gateway.Config{Limits: limits.Defaults(), Cache: gatewaytest.TestedCache, Webhooks: gateway.WebhookSettings{Off: true}, Log: log}
				if ratio != "" {
					b.Setenv("OTEL_TRACES_SAMPLER_ARG", ratio)
					tracer, err := tracing.FromEnvironment(b.Context(), "v1.2.3", log)
					if err != nil {
						b.Fatal(err)
					}
					b.Cleanup(func() { _ = tracer.Close(b.Context()) })
					c.Tracer = tracer
				}
				return gatewaytest.ServeOpen(b, e.backend, c).Handler
			}
			servers := []struct {
				name    string
				handler http.Handler
				took    time.Duration
			}{{name: "off", handler: with("")}, {name: "off-again", handler: with("")}, {name: "1-%", handler: with("0.01")}, {name: "100-%", handler: with("1")}}
			for i := range b.N {
				for turn := range servers {
					s := &servers[(turn+i)%len(servers)] // nobody is always behind the same
					e.handler = s.handler
					start := gatewaytest.ProcessorTime(b)
					e.whole(b, body)
					s.took += gatewaytest.ProcessorTime(b) - start
				}
			}
			b.ReportMetric(float64(servers[0].took.Microseconds())/float64(b.N), "cpu-µs-off")
			for _, s := range servers[1:] {
				b.ReportMetric(float64(s.took)/float64(servers[0].took), "×-"+s.name)
			}
		})
	}
}
