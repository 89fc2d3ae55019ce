package httpserver

import (
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// acceptLog logs why connections cannot be accepted: without file descriptors the server would retry in silence.
type acceptLog struct {
	net.Listener
	log      *slog.Logger
	failures prometheus.Counter
	logged   atomic.Int64 // time in milliseconds
}

const acceptLogPeriod = 10 * time.Second // at most one line per period

func (l *acceptLog) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) {
		return connection, err
	}
	l.failures.Inc()
	now := time.Now().UnixMilli()
	if last := l.logged.Load(); now-last >= acceptLogPeriod.Milliseconds() && l.logged.CompareAndSwap(last, now) {
		l.log.Error("cannot accept connections; raise the limit of open files (ulimit -n)", "cause", err)
	}
	return nil, err
}
