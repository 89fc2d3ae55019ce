package httpserver

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// shed is what is refused before anything is done for it. Much may be, when there is too much to do: each is counted
// like any request, but they have one line a second together.
type shed struct {
	mu      sync.Mutex
	refused int // since the last line
}

// shedPeriod is how often those refusals are logged.
const shedPeriod = time.Second

// Shed answers a request with a refusal that took hardly anything, and counts it for a route. busiest says which pair
// has the most waiting.
func (srv *Server) Shed(w http.ResponseWriter, r *http.Request, route string, refuse http.HandlerFunc, busiest func() string) {
	began := time.Now()
	w.Header()[requestIDHeader] = []string{requestID(r.Header.Get(requestIDHeader))}
	refuse(w, r)
	of := srv.metrics.series(answered{route, methodOf(r.Method), http.StatusServiceUnavailable})
	of.requests.Inc()
	of.durations.Observe(time.Since(began).Seconds())
	srv.metrics.operation(outcome{"none", "UNAVAILABLE"}).Inc()
	srv.shed.mu.Lock()
	defer srv.shed.mu.Unlock()
	if srv.shed.refused++; srv.shed.refused == 1 {
		time.AfterFunc(shedPeriod, func() {
			srv.shed.mu.Lock()
			refused := srv.shed.refused
			srv.shed.refused = 0
			srv.shed.mu.Unlock()
			srv.options.Log.Warn("overloaded: requests were refused before anything was done for them", slog.String("route", route), slog.Int("refused", refused), slog.String("busiest", busiest()))
		})
	}
}
