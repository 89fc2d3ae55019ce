package gateway

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
	"testing"
	"time"

	"example.org/backoffice/store/cache"
)

// serveConfigured serves what is open, and closes it at the end.
func serveConfigured(t testing.TB, b *Backend, c Config) *office {
	t.Helper()
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return serveOpen(t, b, c)
}

// serveOpen serves what is open as the program does, and leaves it open. Requests go to the handler without a network.
func serveOpen(t testing.TB, b *Backend, c Config) *office {
	t.Helper()
	o := &office{Backend: b, before: b.Store, metrics: c.Server.Metrics}
	if source, ok := b.Store.(cache.Source); ok && c.Cache.Cache > 0 {
		before, err := cache.New(source, cache.Options{Bytes: int(c.Cache.Cache), Check: c.Cache.Check, Log: c.Log})
		if err != nil {
			t.Fatal(err)
		}
		o.before, c.Cache = before, CacheSettings{}
	}
	served := *b // the tests write to the store itself, as another process does
	served.Store = o.before
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
	case o.handler = <-found:
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	o.stop = stop
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

// finder is a log that finds the handler of a server: net/http has the server in the context of a request.
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

// measured is a configuration with metrics.
func measured(t testing.TB, c Config) Config {
	t.Helper()
	c.Server.Metrics = freeAddress(t)
	return c
}

// tuned has memory collected as the program does, until the benchmark ends.
func tuned(b *testing.B) {
	b.Helper()
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(percent)
	b.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	TuneFor(0)
}

// freeAddress is an address of this machine at which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// measures are the metrics of an office that serves them.
func (o *office) measures(t testing.TB) string {
	t.Helper()
	response, err := http.Get("http://" + o.metrics + "/metrics")
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

// measure is one of the metrics, by its name.
func (o *office) measure(t testing.TB, name string) int {
	t.Helper()
	_, line, found := strings.Cut(o.measures(t), "\n"+name+" ")
	value, _, _ := strings.Cut(line, "\n")
	n, err := strconv.Atoi(value)
	if err != nil || !found {
		t.Errorf("the metrics have no %s: %v", name, err)
	}
	return n
}

// followers are how many follow the change feed.
func (o *office) followers(t testing.TB) int { return o.measure(t, "backoffice_change_streams") }
