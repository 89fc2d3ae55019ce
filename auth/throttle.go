package auth

import (
	"maps"
	"net/netip"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	failuresAllowed = 10 // in failuresWindow
	failuresWindow  = time.Minute
	throttleSize    = 1 << 16 // networks counted at a time, about 10 MB
)

// Throttle counts failed sign-ins per client network: an IPv4 address, or an IPv6 /64, which usually is one client. It
// never delays a right secret. Its memory is bounded: when too many networks fail within a minute, the further ones
// share one count. Safe for concurrent use.
type Throttle struct {
	now func() time.Time

	mu      sync.Mutex
	clients map[netip.Prefix]*failures
	crowd   failures // of all networks that did not fit
	failed  int64
	swept   time.Time // when quiet ones were last removed
}

// failures is a ring of the times of the last failed sign-ins.
type failures struct {
	at   [failuresAllowed]time.Time
	next int
}

func NewThrottle() *Throttle {
	return &Throttle{now: time.Now, clients: map[netip.Prefix]*failures{}}
}

// Failed records a failed sign-in and returns 0; after 10 in the last minute it only returns how long to wait.
func (t *Throttle) Failed(client netip.Addr) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed++
	now := t.now()
	return t.of(backoffice.NetworkOf(client), now).note(now)
}

func (t *Throttle) FailedSignIns() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// of returns the failures of a client, or makes room for them. The caller holds mu.
func (t *Throttle) of(client netip.Prefix, now time.Time) *failures {
	if known, ok := t.clients[client]; ok {
		return known
	}
	if now.Sub(t.swept) >= failuresWindow {
		t.swept = now
		maps.DeleteFunc(t.clients, func(_ netip.Prefix, f *failures) bool { return f.quiet(now) })
	}
	if len(t.clients) >= throttleSize {
		return &t.crowd
	}
	made := &failures{}
	t.clients[client] = made
	return made
}

func (f *failures) note(now time.Time) (wait time.Duration) {
	oldest := f.at[f.next]
	if !oldest.IsZero() && now.Sub(oldest) < failuresWindow {
		return failuresWindow - now.Sub(oldest)
	}
	f.at[f.next] = now
	f.next = (f.next + 1) % failuresAllowed
	return 0
}

func (f *failures) quiet(now time.Time) bool {
	newest := f.at[(f.next+failuresAllowed-1)%failuresAllowed]
	return now.Sub(newest) >= failuresWindow
}
