package httpserver

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what Prometheus reads. Every label has few values: routes by pattern, methods and codes that exist.
type metrics struct {
	registry       *prometheus.Registry
	requests       *prometheus.CounterVec
	durations      *prometheus.HistogramVec
	inFlight       prometheus.Gauge
	panics         prometheus.Counter
	acceptFailures prometheus.Counter
	operations     *prometheus.CounterVec
	costs          prometheus.Histogram
	calls          *prometheus.CounterVec
	known          sync.Map // what was found: of series by answered, of prometheus.Counter by outcome
}

// answered is what requests are counted by, and outcome what operations are; they have few values.
type answered struct {
	route, method string
	status        int
}

type outcome struct{ kind, code string }

// series are the counters of one kind of answer, found once: to look them up by their labels takes longer than to count.
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

func newMetrics(alarms func() []string) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "backoffice_http_requests_total", Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "backoffice_http_request_seconds", Help: "How long requests took, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "backoffice_http_requests_in_flight", Help: "Requests being answered now.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "backoffice_http_panics_total", Help: "Requests that ended in a panic.",
		}),
		acceptFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "backoffice_http_accept_failures_total", Help: "Connections that could not be accepted, for want of file descriptors most of all.",
		}),
		operations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "backoffice_graphql_operations_total", Help: "GraphQL operations, by type and once for each code among their errors; OK without any.",
		}, []string{"type", "code"}),
		costs: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "backoffice_graphql_cost", Help: "Cost of GraphQL operations.",
			Buckets: []float64{1, 10, 50, 100, 500, 1_000, 5_000, 10_000, 25_000, 50_000},
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "backoffice_store_calls_total", Help: "Statements that requests asked the store to run, by route.",
		}, []string{"route"}),
	}
	m.registry.MustRegister(m.requests, m.durations, m.inFlight, m.panics, m.acceptFailures, m.operations, m.costs, m.calls,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if alarms != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "backoffice_register_alarms", Help: "What this process has noticed that shows that the register of consultations was tampered with; 0 is as it should be.",
		}, func() float64 { return float64(len(alarms())) }))
	}
	return m
}

// Count adds a counter that the program keeps itself, such as backoffice_sign_ins_failed_total.
func (p *Server) Count(name, help string, read func() int64) {
	p.metrics.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read()) }))
}

// Gauge adds a gauge that the program reads itself, with labels as name, value, name, value.
func (p *Server) Gauge(name, help string, read func() int64, labels ...string) {
	constant := prometheus.Labels{}
	for i := 0; i+1 < len(labels); i += 2 {
		constant[labels[i]] = labels[i+1]
	}
	p.metrics.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: constant}, func() float64 { return float64(read()) }))
}

func (m *metrics) operation(of outcome) prometheus.Counter {
	if found, ok := m.known.Load(of); ok {
		return found.(prometheus.Counter)
	}
	found, _ := m.known.LoadOrStore(of, m.operations.WithLabelValues(of.kind, of.code))
	return found.(prometheus.Counter)
}

func (m *metrics) count(s seen) {
	of := m.series(answered{s.route, s.method, s.status})
	of.requests.Inc()
	of.durations.Observe(s.took.Seconds())
	of.calls.Add(float64(s.calls))
	_, operation := s.noted()
	if operation == nil {
		return
	}
	kind := operation.Type
	if kind == "" {
		kind = "none"
	}
	if len(operation.Codes) == 0 {
		m.operation(outcome{kind, "OK"}).Inc()
	}
	for _, code := range operation.Codes {
		m.operation(outcome{kind, code}).Inc()
	}
	m.costs.Observe(float64(operation.Cost))
}

// Metrics answers /metrics; Run serves it on the address of the settings.
func (p *Server) Metrics() http.Handler { return p.metrics.handler() }

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
