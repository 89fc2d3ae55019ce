package limits

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
)

// Admission bounds what all requests together have in memory and what waits for it. A request enters with its cost, as
// an estimate of the memory that it will take; while it runs it takes more where it must, and what is not sent yet
// counts as running.
//
// Requests without room wait for a short time: pairs take turns, cheap requests come first. Small requests have room of
// their own. When too much waits, the most expensive request of the pair with the most waiting is refused at once.
type Admission struct {
	most     int64 // cost of what runs
	waitMost int64 // cost of what waits
	waitTime time.Duration

	mu      sync.Mutex
	running int64
	sized   [large + 1]int64 // of it, by size
	over    *Share           // the one that may take more than there is
	waiting int64
	pairs   map[string]*pair
	clock   float64 // virtual time: the cost that was admitted from the queue, for each pair that waited
	pace    pace
	costs   float64 // of what was executed lately, and the seconds that it took
	seconds float64
	turns   turns
	queued  atomic.Bool // somebody waits
}

// pair is what a credential pair has running and waiting.
type pair struct {
	id      string
	running [large + 1]int64 // by size
	users   int              // requests of it, running or waiting
	waiting int64
	queue   []*waiter // by turn
	served  float64   // virtual time up to which it has had its share
}

// waiter is a request that waits for its turn.
type waiter struct {
	of     *pair
	weight int64
	came   time.Time
	turn   float64       // virtual time at which it asked, and its weight: so the dear ones come later, but they come
	done   chan struct{} // closed when share or refused is set
	share  *Share
	failed error
}

// Share is what a running request has of the bound.
type Share struct {
	of       *Admission
	pair     *pair
	weight   int64
	size     size
	left     bool
	turn     *turn // nil while it waits, and when it needs none
	waits    int   // for how many things it waits
	executed bool
	since    time.Time // it is executed, or has its turn again
	took     time.Duration
	charged  float64 // to its pair, until it is known what it took
}

// size tells requests apart by weight: each takes room up to a bound, so that some is left for smaller ones.
type size uint8

const (
	tiny size = iota // an object with its neighbours: its answer is in the socket's buffer at once
	small
	large
)

const (
	bytesOfOne  = 4 << 10 // that one unit of cost stands for, rows and answer together
	tinyPart    = 1000    // of the bound is a tiny request's weight, at most
	smallPart   = 100
	leastWeight = 500 // of one that waits: it takes memory by waiting
)

// NewAdmission makes an admission with the settings' bounds, for each processor that the program may use.
func (s Settings) NewAdmission() *Admission {
	processors := int64(backoffice.Processors)
	most := int64(max(s.Together, 1)) * processors
	return &Admission{
		most: most, waitMost: int64(max(s.Waiting, 0)) * processors, waitTime: s.Wait,
		pairs: make(map[string]*pair), turns: newTurns(), pace: newPace(most, s.Wait),
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

// kept is the room that is kept for tiny requests, and as much for small ones.
func (a *Admission) kept() int64 { return a.most / 8 }

// largest is the weight of the largest request: all room that is not kept for others. What costs more weighs the same.
func (a *Admission) largest() int64 { return a.most - 2*a.kept() }

// Stats are the costs of what runs and of what waits.
func (a *Admission) Stats() (running, waiting int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running, a.waiting
}

// fits reports whether a request finds room now. One that passes others has the kept room alone.
func (a *Admission) fits(weight int64, passing bool) bool {
	total, s := a.running+weight, a.sizeOf(weight)
	switch {
	case !a.turns.free(s, time.Now()):
		return false
	case s == large:
		return total <= a.most && a.sized[large]+weight <= a.largest()
	case s == tiny && a.sized[tiny]+weight <= a.kept(): // also when the one that may take more has taken it
		return true
	case passing:
		return total <= a.most && a.sized[s]+weight <= max(a.kept(), 1)
	case s == small:
		return total <= a.most-a.kept()
	}
	return total <= a.most
}

// hasPart reports whether a pair has its part of the room for requests of a size already.
func (a *Admission) hasPart(p *pair, weight int64) bool {
	s := a.sizeOf(weight)
	return p.running[s] > 0 && p.running[s]+weight > a.part(s)
}

// part is what one pair may have running of a size, when it has several: others find some as well.
func (a *Admission) part(s size) int64 {
	return [...]int64{tiny: a.kept() / 2, small: a.kept(), large: a.most * 2 / 3}[s]
}

// Enter waits until a request of a pair may run, and fails with Unavailable when too much waits, or it for too long.
// The share is to be left exactly once.
func (a *Admission) Enter(ctx context.Context, pairID string, cost int) (*Share, error) {
	a.mu.Lock()
	weight := min(max(int64(cost), 1), a.largest())
	p := a.pairs[pairID]
	if p == nil {
		p = &pair{id: pairID, served: a.clock}
	}
	others := a.waiting > 0
	if (!others || a.sizeOf(weight) == tiny) && a.fits(weight, others) && !a.hasPart(p, weight) {
		a.hold(p)
		share := a.admit(p, weight)
		a.mu.Unlock()
		return share, nil
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
	w := &waiter{of: p, weight: weight, came: time.Now(), turn: a.clock + float64(weight), done: make(chan struct{})}
	a.enqueue(w)
	a.mu.Unlock()
	return a.wait(ctx, w)
}

func (a *Admission) hold(p *pair) {
	a.pairs[p.id] = p
	p.users++
}

func (a *Admission) admit(p *pair, weight int64) *Share {
	share := &Share{of: a, pair: p, weight: weight, size: a.sizeOf(weight), since: time.Now()}
	a.running += weight
	a.sized[share.size] += weight
	p.running[share.size] += weight
	share.turn = a.turns.take(share.size, time.Now())
	return share
}

func (a *Admission) wait(ctx context.Context, w *waiter) (*Share, error) {
	timer := time.NewTimer(a.waitTime)
	defer timer.Stop()
	var late error
	select {
	case <-w.done:
		return w.share, w.failed
	case <-timer.C:
		late = Busy()
	case <-ctx.Done():
		late = ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w.share != nil || w.failed != nil { // in the meantime
		return w.share, w.failed
	}
	a.refuse(w, late)
	a.dispatch() // who waited behind it
	return nil, late
}

// Busy is the error of a request for which there is no room.
func Busy() error {
	return backoffice.Errorf(backoffice.Unavailable, "the server has too much to do; try again later")
}

// Grow notes how many bytes the request takes by now, and fails with Unavailable when there is no room for that, or its
// pair's part is less. One request at a time may take more, so that there is always one that gets on.
func (s *Share) Grow(bytes int64) error {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	more := bytes/bytesOfOne - s.weight
	if more <= 0 || s.left {
		return nil
	}
	own := s.pair.running[large]
	if s.size != large {
		own += s.weight
	}
	if own > s.weight && own+more > a.part(large) { // what its pair has beside it
		return Busy()
	}
	if a.running+more > a.most-a.kept() && a.over != s {
		if a.over != nil {
			return Busy()
		}
		a.over = s
	}
	s.resize(s.weight + more)
	return nil
}

// Executed gives back what an executed request does not need any more: all but the bytes that are not sent yet.
func (s *Share) Executed(unsent int) {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	s.settle()
	if weight := max(1, int64(unsent)/bytesOfOne); weight < s.weight && !s.left {
		a.drain(s.weight - weight)
		s.resize(weight)
		a.dispatch()
	}
	s.endTurn()
}

// Large reports whether the request is one of those that take turns.
func (s *Share) Large() bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.size == large
}

func (s *Share) Leave() {
	a := s.of
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.left {
		return
	}
	s.settle()
	a.drain(s.weight)
	s.resize(0)
	s.left = true
	if a.over == s {
		a.over = nil
	}
	a.release(s.pair)
	a.turns.end(s.turn)
	a.dispatch()
}

// resize changes a share's weight and the sums that it is part of.
func (s *Share) resize(weight int64) {
	s.of.running += weight - s.weight
	s.of.sized[s.size] -= s.weight
	s.pair.running[s.size] -= s.weight
	s.weight = weight
	s.size = max(s.size, s.of.sizeOf(weight)) // it may have grown; one that shrinks stays what it was
	s.of.sized[s.size] += weight
	s.pair.running[s.size] += weight
}

// release removes a request of a pair. The pair's past share is remembered while others wait.
func (a *Admission) release(p *pair) {
	if p.users--; p.users == 0 && (a.waiting == 0 || p.served <= a.clock) {
		delete(a.pairs, p.id)
	}
}

func (a *Admission) drain(weight int64) {
	if a.waiting > 0 {
		a.pace.count(weight, time.Now())
	}
}
