package limits

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

// Admission bounds the memory of running and of waiting requests. A request enters with its cost, an estimate of its
// memory, and takes more where it must. An answer counts as running until it is sent. Requests without room wait a
// short time: credentials take turns, cheap requests first. Small requests have reserved room. When too much waits, the
// most expensive request of the credential with the most waiting is rejected at once.
type Admission struct {
	most     int64 // cost that may run
	waitMost int64 // cost that may wait
	waitTime time.Duration

	mu          sync.Mutex
	running     int64
	sized       [large + 1]int64 // running, by size
	over        *Grant           // the one request that may take more than there is
	waiting     int64
	credentials map[string]*credential
	clock       float64 // virtual time: cost admitted from the queue, per credential that waited
	throughput  throughput
	costs       float64 // of recently executed requests
	seconds     float64 // that these took
	slices      timeSlices
	queued      atomic.Bool // a request waits
}

// credential is what a credential has running and waiting.
type credential struct {
	id      string
	running [large + 1]int64 // by size
	users   int              // requests, running or waiting
	waiting int64
	queue   []*waiter // sorted by finish
	served  float64   // virtual time up to which it has had its share
}

type waiter struct {
	of     *credential
	weight int64
	came   time.Time
	finish float64       // virtual time of arrival plus weight: expensive requests wait longer, not forever
	done   chan struct{} // closed when grant or failed is set
	grant  *Grant
	failed error
}

// Grant is a running request's part of the bound.
type Grant struct {
	of         *Admission
	credential *credential
	weight     int64
	size       size
	left       bool
	slice      *timeSlice // nil while it waits, and if it needs none
	waits      int        // how many things it waits for
	executed   bool
	since      time.Time // when it began to execute, or last resumed
	took       time.Duration
	charged    float64 // to its credential, until its time is known
}

// size is a class of weights. Each class has a bound, which leaves room for smaller requests.
type size uint8

const (
	tiny size = iota // such as an object with its neighbours: the answer fits into the socket's buffer
	small
	large
)

const (
	bytesOfOne  = 4 << 10 // memory of one unit of cost: rows and answer
	tinyPart    = 1000    // a tiny request has at most 1/1000 of the bound
	smallPart   = 100
	leastWeight = 500 // of a waiting request: waiting takes memory too
)

// NewAdmission returns an admission with the settings' bounds, which are per processor.
func (s Settings) NewAdmission() *Admission {
	processors := int64(backoffice.Processors)
	most := int64(max(s.Together, 1)) * processors
	return &Admission{
		most: most, waitMost: int64(max(s.Waiting, 0)) * processors, waitTime: s.Wait,
		credentials: make(map[string]*credential), throughput: newThroughput(most, s.Wait),
		slices: timeSlices{most: [...]int{small: smallSlices * backoffice.Processors, large: backoffice.Processors}},
	}
}

func (a *Admission) sizeOf(weight int64) size {
	switch {
	case weight <= max(a.most/tinyPart, 1):
		return tiny
	case weight <= a.most/smallPart:
		return small
	}
	return large
}

// reserved is the room for tiny requests, and as much again for small ones.
func (a *Admission) reserved() int64 { return a.most / 8 }

// largest is the largest weight: all room that is not reserved. Requests that cost more weigh the same.
func (a *Admission) largest() int64 { return a.most - 2*a.reserved() }

func (a *Admission) Stats() (running, waiting int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running, a.waiting
}

// fits reports whether a request has room now. One that overtakes others gets only reserved room.
func (a *Admission) fits(weight int64, passing bool) bool {
	total, s := a.running+weight, a.sizeOf(weight)
	switch {
	case !a.slices.free(s, time.Now()):
		return false
	case s == large:
		return total <= a.most && a.sized[large]+weight <= a.largest()
	case s == tiny && a.sized[tiny]+weight <= a.reserved(): // even if over has taken it
		return true
	case passing:
		return total <= a.most && a.sized[s]+weight <= max(a.reserved(), 1)
	case s == small:
		return total <= a.most-a.reserved()
	}
	return total <= a.most
}

// hasPart reports whether a credential already has its part of the room for requests of this size.
func (a *Admission) hasPart(p *credential, weight int64) bool {
	s := a.sizeOf(weight)
	return p.running[s] > 0 && p.running[s]+weight > a.part(s)
}

// part is what one credential may run of a size in several requests. The rest is for others.
func (a *Admission) part(s size) int64 {
	return [...]int64{tiny: a.reserved() / 2, small: a.reserved(), large: a.most * 2 / 3}[s]
}

// Enter waits until a request may run. Unavailable when too much waits, or it for too long; ctx's error. Leave once.
func (a *Admission) Enter(ctx context.Context, clientID string, cost int) (*Grant, error) {
	a.mu.Lock()
	weight := min(max(int64(cost), 1), a.largest())
	p := a.credentials[clientID]
	if p == nil {
		p = &credential{id: clientID, served: a.clock}
	}
	others := a.waiting > 0
	if (!others || a.sizeOf(weight) == tiny) && a.fits(weight, others) && !a.hasPart(p, weight) {
		a.hold(p)
		grant := a.admit(p, weight)
		a.mu.Unlock()
		return grant, nil
	}
	may, inPlaceOf := a.mayQueue(p, weight)
	if !may {
		a.mu.Unlock()
		return nil, Busy()
	}
	a.hold(p)
	if inPlaceOf != nil {
		a.refuse(inPlaceOf, Busy())
	}
	w := &waiter{of: p, weight: weight, came: time.Now(), finish: a.clock + float64(weight), done: make(chan struct{})}
	a.enqueue(w)
	a.mu.Unlock()
	return a.wait(ctx, w)
}

func (a *Admission) hold(p *credential) {
	a.credentials[p.id] = p
	p.users++
}

func (a *Admission) admit(p *credential, weight int64) *Grant {
	grant := &Grant{of: a, credential: p, weight: weight, size: a.sizeOf(weight), since: time.Now()}
	a.running += weight
	a.sized[grant.size] += weight
	p.running[grant.size] += weight
	grant.slice = a.slices.take(grant.size, time.Now())
	return grant
}

func (a *Admission) wait(ctx context.Context, w *waiter) (*Grant, error) {
	timer := time.NewTimer(a.waitTime)
	defer timer.Stop()
	var late error
	select {
	case <-w.done:
		return w.grant, w.failed
	case <-timer.C:
		late = Busy()
	case <-ctx.Done():
		late = ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.grant != nil || w.failed != nil { // in the meantime
		return w.grant, w.failed
	}
	a.refuse(w, late)
	a.dispatch() // those after it
	return nil, late
}

// Busy is the error of a request without room: Unavailable.
func Busy() error {
	return backoffice.Errorf(backoffice.Unavailable, "the server is overloaded; try again later")
}

// Grow records how many bytes the request takes now. Unavailable when that has no room, or exceeds its credential's
// part. One request at a time may take more than there is, so that one always finishes.
func (s *Grant) Grow(bytes int64) error {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	more := bytes/bytesOfOne - s.weight
	if more <= 0 || s.left {
		return nil
	}
	own := s.credential.running[large]
	if s.size != large {
		own += s.weight
	}
	if own > s.weight && own+more > a.part(large) { // its credential has other requests
		return Busy()
	}
	if a.running+more > a.most-a.reserved() && a.over != s {
		if a.over != nil {
			return Busy()
		}
		a.over = s
	}
	s.resize(s.weight + more)
	return nil
}

// Executed returns the room that an executed request no longer needs: all but that of its unsent bytes.
func (s *Grant) Executed(unsent int) {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.left {
		s.shrink(min(s.weight, max(1, int64(unsent)/bytesOfOne)))
	}
	s.endSlice()
}

// Large reports whether the request is large. It may have become so.
func (s *Grant) Large() bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.size == large
}

func (s *Grant) Leave() {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.left {
		return
	}
	s.shrink(0)
	s.left = true
	if a.over == s {
		a.over = nil
	}
	a.release(s.credential)
	s.endSlice()
}

// shrink charges the request, once, and gives room back.
func (s *Grant) shrink(weight int64) {
	s.charge()
	s.of.drain(s.weight - weight)
	s.resize(weight)
}

func (s *Grant) resize(weight int64) {
	s.of.running += weight - s.weight
	s.of.sized[s.size] -= s.weight
	s.credential.running[s.size] -= s.weight
	s.weight = weight
	s.size = max(s.size, s.of.sizeOf(weight)) // a size never shrinks
	s.of.sized[s.size] += weight
	s.credential.running[s.size] += weight
}

// release removes a request of a credential. While others wait, one that had more than its share is remembered.
func (a *Admission) release(p *credential) {
	if p.users--; p.users == 0 && (a.waiting == 0 || p.served <= a.clock) {
		delete(a.credentials, p.id)
	}
}

func (a *Admission) drain(weight int64) {
	if a.waiting > 0 {
		a.throughput.count(weight, time.Now())
	}
}
