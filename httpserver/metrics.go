package httpserver

import (
	"cmp"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are read by Prometheus. Every label has few values: routes by pattern, methods and codes that exist.
type metrics struct {
	registry       *prometheus.Registry
	requests       *prometheus.CounterVec
	durations      *prometheus.HistogramVec
	inFlight       atomic.Int64
	panics         prometheus.Counter
	acceptFailures prometheus.Counter
	operations     *prometheus.CounterVec
	costs          prometheus.Histogram
	calls          *prometheus.CounterVec
	tools          *prometheus.CounterVec
	known          sync.Map // cache: series by answered, prometheus.Counter by outcome
}

// answered is the key of requests, outcome that of operations; both have few values.
type answered struct {
	route, method string
	status        int
}

type outcome struct{ kind, code string }

// series are the counters of one kind of answer, found once: looking them up by labels takes longer than counting.
type series struct {
	requests, calls prometheus.Counter
	durations       prometheus.Observer
}

func (m *metrics) series(kind answered) *series {
	if found, ok := m.known.Load(kind); ok {
		return found.(*series)
	}
	found, _ := m.known.LoadOrStore(kind, &series{
		requests:  m.requests.WithLabelValues(kind.route, kind.method, strconv.Itoa(kind.status)),
		calls:     m.calls.WithLabelValues(kind.route),
		durations: m.durations.WithLabelValues(kind.route),
	})
	return found.(*series)
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	factory := promauto.With(registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		registry: registry,
		requests: counter("backoffice_http_requests_total",
			"Requests answered, by route, method and status.", "route", "method", "status"),
		durations: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "backoffice_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		panics: factory.NewCounter(prometheus.CounterOpts{
			Name: "backoffice_http_panics_total", Help: "Requests that ended in a panic."}),
		acceptFailures: factory.NewCounter(prometheus.CounterOpts{
			Name: "backoffice_http_accept_failures_total",
			Help: "Connections that could not be accepted, mostly for lack of file descriptors.",
		}),
		operations: counter("backoffice_graphql_operations_total",
			"GraphQL operations, by type and error code, once per code; OK without errors.", "type", "code"),
		costs: factory.NewHistogram(prometheus.HistogramOpts{
			Name: "backoffice_graphql_cost", Help: "Cost of GraphQL operations.",
			Buckets: []float64{1, 10, 50, 100, 500, 1_000, 5_000, 10_000, 25_000, 50_000},
		}),
		calls: counter("backoffice_store_calls_total",
			"Statements that requests ran in the store, by route.", "route"),
		tools: counter("backoffice_tool_calls_total", "Calls of tools by agents, by tool.", "tool"),
	}
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "backoffice_http_requests_in_flight", Help: "Requests in flight.",
	}, func() float64 { return float64(m.inFlight.Load()) })
	for _, kind := range []string{"query", "mutation", "subscription", "none"} { // else the first error is no rise
		m.operations.WithLabelValues(kind, "INTERNAL_SERVER_ERROR")
	}
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Count adds a counter that the caller maintains, such as backoffice_sign_ins_failed_total.
func (srv *Server) Count(name, help string, read func() int64) {
	promauto.With(srv.metrics.registry).NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read()) })
}

// Gauge adds a gauge that the caller reads, with labels as name, value, name, value.
func (srv *Server) Gauge(name, help string, read func() int64, labels ...string) {
	constant := prometheus.Labels{}
	for i := 0; i+1 < len(labels); i += 2 {
		constant[labels[i]] = labels[i+1]
	}
	promauto.With(srv.metrics.registry).NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: constant}, func() float64 { return float64(read()) })
}

func (m *metrics) operation(of outcome) prometheus.Counter {
	if found, ok := m.known.Load(of); ok {
		return found.(prometheus.Counter)
	}
	found, _ := m.known.LoadOrStore(of, m.operations.WithLabelValues(of.kind, of.code))
	return found.(prometheus.Counter)
}

func (m *metrics) count(s seen) (of *series) {
	of = m.series(answered{s.route, s.method, s.status})
	of.requests.Inc()
	of.calls.Add(float64(s.calls))
	if s.tool != "" {
		m.tools.WithLabelValues(s.tool).Inc()
	}
	if s.operation != nil {
		m.countOperation(s.operation)
	}
	return of
}

func (m *metrics) countOperation(operation *Operation) {
	kind := cmp.Or(operation.Type, "none")
	if len(operation.Codes) == 0 {
		m.operation(outcome{kind, "OK"}).Inc()
	}
	for _, code := range operation.Codes {
		m.operation(outcome{kind, code}).Inc()
	}
	m.costs.Observe(float64(operation.Cost))
}

// Metrics answers /metrics; Run serves it on the address of the settings.
func (srv *Server) Metrics() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(srv.metrics.registry, promhttp.HandlerOpts{}))
	return mux
}
