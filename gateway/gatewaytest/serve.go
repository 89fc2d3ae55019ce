package gatewaytest

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/gateway"
	"example.org/backoffice/store/cache"
)

// ProcessorTime is the processor time of this process so far, that of the kernel included.
func ProcessorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// ServeConfig serves an open backend, and closes it when the test ends.
func ServeConfig(t testing.TB, b *gateway.Backend, c gateway.Config) *Office {
	t.Helper()
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return ServeOpen(t, b, c)
}

// ServeOpen serves an open backend by its Serve, as the program does, and leaves it open. Requests reach the handler
// without a network.
func ServeOpen(t testing.TB, b *gateway.Backend, c gateway.Config) *Office {
	t.Helper()
	o := &Office{Backend: b, Before: b.Store, metricsAddress: c.Server.Metrics}
	if source, ok := b.Store.(cache.Source); ok && c.Cache.Cache > 0 {
		before, err := cache.New(source, cache.Options{Bytes: int(c.Cache.Cache), Check: c.Cache.Check, Log: c.Log})
		if err != nil {
			t.Fatal(err)
		}
		o.Before, c.Cache.Cache = before, 0
	}
	served := *b // the tests write to the store itself, as another process does
	served.Store = o.Before
	if c.Server.StopTime == 0 {
		c.Server.StopTime = time.Second
	}
	found := make(chan http.Handler, 1)
	c.Log = slog.New(finder{c.Log.Handler(), found})
	asks, answers := net.Pipe()
	listener := &onePipe{conns: make(chan net.Conn, 1)}
	listener.conns <- answers
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- served.Serve(ctx, listener, c, func() {}) }()
	go func() {
		_, _ = io.WriteString(asks, "GET /livez HTTP/1.0\r\n\r\n")
		_, _ = io.Copy(io.Discard, asks)
		_ = asks.Close()
	}()
	select {
	case o.Handler = <-found:
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	o.Stop = stop
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return o
}

// onePipe is a listener with one connection.
type onePipe struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *onePipe) Accept() (net.Conn, error) {
	if conn, open := <-l.conns; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l *onePipe) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (*onePipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// finder is a log that finds the handler of a server. net/http puts the server into the context of a request, and the
// log gets that context.
type finder struct {
	slog.Handler
	found chan<- http.Handler
}

func (f finder) Enabled(ctx context.Context, level slog.Level) bool {
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok {
		select {
		case f.found <- server.Handler:
		default:
		}
	}
	return f.Handler.Enabled(ctx, level)
}

// Measured serves metrics, too, on a free port.
func Measured(t testing.TB, c gateway.Config) gateway.Config {
	t.Helper()
	c.Server.Metrics = freeAddress(t)
	return c
}

// Tuned tunes the garbage collector as the program does, until the benchmark ends.
func Tuned(b *testing.B) {
	b.Helper()
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(percent)
	b.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	gateway.TuneFor(0)
}

// freeAddress is a free port of this machine.
func freeAddress(t testing.TB) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// Metrics are the metrics of a Measured office.
func (o *Office) Metrics(t testing.TB) string {
	t.Helper()
	response, err := http.Get("http://" + o.metricsAddress + "/metrics")
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Error(response.Status, err)
	}
	return string(text)
}

// Metric is the value of one metric.
func (o *Office) Metric(t testing.TB, name string) int {
	t.Helper()
	_, line, found := strings.Cut(o.Metrics(t), "\n"+name+" ")
	value, _, _ := strings.Cut(line, "\n")
	n, err := strconv.Atoi(value)
	if err != nil || !found {
		t.Errorf("the metrics have no %s: %v", name, err)
	}
	return n
}

// Streams is how many clients follow the feed.
func (o *Office) Streams(t testing.TB) int { return o.Metric(t, "backoffice_change_streams") }
