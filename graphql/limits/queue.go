package limits

import (
	"maps"
	"slices"
	"time"
)

const youngest = 25 * time.Millisecond

// mayQueue reports whether a request may wait. It may not if it would wait too long at this throughput, or if the queue
// is full and its credential has its part of it, unless inPlaceOf, a more expensive one of the credential, is rejected.
// Credentials with less than their part may wait beyond the bound.
func (a *Admission) mayQueue(p *credential, weight int64) (may bool, inPlaceOf *waiter) {
	now := time.Now()
	w := &waiter{of: p, weight: weight, finish: a.clock + float64(weight)}
	if a.sizeOf(weight) != tiny && a.waiting > 0 &&
		float64(a.running+a.before(w)) > a.throughput.rate(now)*a.waitTime.Seconds() {
		return false, nil
	}
	if a.waiting+w.counts() <= a.waitMost {
		return true, nil
	}
	credentials := int64(a.queues())
	if len(p.queue) == 0 {
		credentials++
	}
	if p.waiting+w.counts() <= a.waitMost/credentials {
		return true, nil
	}
	if dearer := p.newest(now); dearer != nil && dearer.weight > weight {
		return true, dearer
	}
	return false, nil
}

// mostWaiting is the most that may wait if credentials arrived one after the other.
func (a *Admission) mostWaiting() int64 { return a.waitMost * 3 / 2 }
func (a *Admission) Crowded() bool      { return a.queued.Load() }

// enqueue makes a request wait. When too much waits, it rejects the victim.
func (a *Admission) enqueue(w *waiter) {
	if a.waiting == 0 {
		a.throughput.begin(time.Now())
	}
	p := w.of
	at := p.place(w)
	p.queue = slices.Insert(p.queue, at, w)
	p.waiting += w.counts()
	a.waiting += w.counts()
	a.queued.Store(true)
	for a.waiting > a.mostWaiting() {
		a.refuse(a.victim(), Busy())
	}
	a.dispatch()
}

func (p *credential) place(w *waiter) int {
	at, _ := slices.BinarySearchFunc(p.queue, w.finish, func(other *waiter, finish float64) int {
		if other.finish <= finish { // after those that asked earlier
			return -1
		}
		return 1
	})
	return at
}

func (w *waiter) counts() int64 { return max(w.weight, leastWeight) }

// before is the cost that is admitted before a new request, as credentials take turns.
func (a *Admission) before(w *waiter) (cost int64) {
	own := w.weight
	for _, other := range w.of.queue[:w.of.place(w)] {
		own += other.weight
	}
	for _, p := range a.credentials {
		if p != w.of {
			cost += min(p.waiting, own)
		}
	}
	return cost + own - w.weight
}

// victim is, of the credential with the most waiting, the most expensive request that just arrived, otherwise the last.
func (a *Admission) victim() *waiter {
	var most *credential
	for _, p := range a.credentials {
		if most == nil || p.waiting > most.waiting {
			most = p
		}
	}
	if found := most.newest(time.Now()); found != nil {
		return found
	}
	return slices.MaxFunc(most.queue, func(w, other *waiter) int { return w.came.Compare(other.came) })
}

// newest is the most expensive request of the credential that just arrived, of several the last; nil for none.
func (p *credential) newest(now time.Time) (found *waiter) {
	for _, w := range p.queue {
		if now.Sub(w.came) < youngest && (found == nil || w.weight >= found.weight) {
			found = w
		}
	}
	return found
}

func (a *Admission) refuse(w *waiter, why error) {
	w.failed = why
	a.dequeue(w)
	a.release(w.of)
	close(w.done)
}

func (a *Admission) dequeue(w *waiter) {
	p := w.of
	at := slices.Index(p.queue, w)
	p.queue = slices.Delete(p.queue, at, at+1)
	p.waiting -= w.counts()
	a.waiting -= w.counts()
	a.queued.Store(a.waiting > 0)
	if a.waiting == 0 {
		maps.DeleteFunc(a.credentials, func(_ string, p *credential) bool { return p.users == 0 })
	}
}

// dispatch admits requests in turn. Only smaller ones overtake one that does not fit yet, into their reserved room.
func (a *Admission) dispatch() {
	defer a.watch()
	a.slices.free(tiny, time.Now()) // also when none that waits may have one
	for most := large; a.waiting > 0; {
		next := a.next(most)
		switch {
		case next == nil:
			return
		case a.fits(next.weight, most != large):
			a.dequeue(next)
			next.of.served = max(next.of.served, a.clock) + float64(next.weight)
			a.clock += float64(next.weight) / float64(max(a.queues(), 1))
			next.grant = a.admit(next.of, next.weight)
			next.grant.charged = float64(next.weight)
			close(next.done)
		case a.sizeOf(next.weight) == tiny:
			return
		default:
			most = a.sizeOf(next.weight) - 1
		}
	}
}

// next is the request, up to a size, after which its credential has had least, unless it has its part already.
func (a *Admission) next(most size) (next *waiter) {
	var earliest float64
	for _, p := range a.credentials {
		for _, w := range p.queue {
			if a.sizeOf(w.weight) > most || a.hasPart(p, w.weight) {
				continue
			}
			finish := max(p.served, a.clock) + float64(w.weight)
			if next == nil || finish < earliest || finish == earliest && w.precedes(next) {
				next, earliest = w, finish
			}
			break
		}
	}
	return next
}

// precedes orders requests whose credentials have had as much: by finish, then by arrival.
func (w *waiter) precedes(other *waiter) bool {
	return w.finish < other.finish || w.finish == other.finish && w.came.Before(other.came)
}

func (a *Admission) queues() (n int) {
	for _, p := range a.credentials {
		if len(p.queue) > 0 {
			n++
		}
	}
	return n
}
