package main

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// way leads to a cluster that is some distance away.
type way struct {
	cluster *cluster
	proxy   *toxiproxy.Proxy // nil: right beside it
}

// delay is toxiproxy's latency, which knows whole milliseconds only.
type delay struct {
	Microseconds int64 `json:"microseconds"`
}

func (d *delay) Pipe(stub *toxics.ToxicStub) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				stub.Close()
				return
			}
			// Go's own timers wake up to a millisecond late while nothing else runs; the system's are as exact as is
			// needed.
			left := syscall.NsecToTimespec(max(time.Until(chunk.Timestamp.Add(time.Duration(d.Microseconds)*time.Microsecond)), 0).Nanoseconds())
			_ = syscall.Nanosleep(&left, nil)
			stub.Output <- chunk
		}
	}
}

// GetBufferSize implements toxics.BufferedToxic: so many chunks may be on their way.
func (d *delay) GetBufferSize() int { return 1024 }

func init() { toxics.Register("delay", new(delay)) }

// behind is a way to the cluster on which each trip takes so much longer, there and back.
func (c *cluster) behind(trip time.Duration) (*way, error) {
	w := &way{cluster: c}
	if trip == 0 {
		return w, nil
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	w.proxy = toxiproxy.NewProxy(server, "postgresql", "127.0.0.1:0", c.Address())
	if err := w.proxy.Start(); err != nil {
		return nil, err
	}
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"name": %q, "type": "delay", "stream": %q, "attributes": {"microseconds": %d}}`, stream, stream, trip.Microseconds()/2)
		if _, err := w.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

// url leads to a database.
func (w *way) url(database string) string {
	if w.proxy == nil {
		return w.cluster.url(database)
	}
	return w.cluster.URL(w.proxy.Listen, database)
}

// limited is a line to a server that carries so many kB a second in each direction.
func limited(server string, rate int) (line *toxiproxy.Proxy, address string, err error) {
	line = toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "line", "127.0.0.1:0", server)
	if err := line.Start(); err != nil {
		return nil, "", err
	}
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"name": %q, "type": "bandwidth", "stream": %q, "attributes": {"rate": %d}}`, stream, stream, rate)
		if _, err := line.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			line.Stop()
			return nil, "", err
		}
	}
	return line, line.Listen, nil
}

func (w *way) close() {
	if w.proxy != nil {
		w.proxy.Stop()
	}
}
