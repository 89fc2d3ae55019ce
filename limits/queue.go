package limits

import (
	"slices"
	"time"
)

// enqueue makes a request wait, and refuses it at once when it would wait in vain; when too much waits, the dearest request
// of the pair that has the most waiting goes.
func (a *Admission) enqueue(w *waiter) {
	if a.waiting == 0 {
		a.drained, a.since = 0, time.Now()
	}
	p := w.of
	at, _ := slices.BinarySearchFunc(p.queue, w.turn, func(other *waiter, turn float64) int {
		if other.turn <= turn { // behind those that asked earlier
			return -1
		}
		return 1
	})
	p.queue = slices.Insert(p.queue, at, w)
	p.waiting += w.counts()
	a.waiting += w.counts()
	if a.sizeOf(w.weight) != tiny && float64(a.before(w)) > a.rate()*a.waitTime.Seconds() {
		a.refuse(w, busy())
		return
	}
	for a.waiting > a.waitMost {
		a.refuse(a.dearest(), busy())
	}
	a.dispatch()
}

// counts is what a request counts for while it waits.
func (w *waiter) counts() int64 { return max(w.weight, leastWeight) }

// before is the cost that is admitted before a request, as pairs take turns.
func (a *Admission) before(w *waiter) (cost int64) {
	own := int64(0)
	for _, other := range w.of.queue {
		own += other.weight
		if other == w {
			break
		}
	}
	for _, p := range a.pairs {
		if p != w.of {
			cost += min(p.waiting, own)
		}
	}
	return cost + own - w.weight
}

// dearest is the request with the largest weight of the pair that has the most waiting; of several the last.
func (a *Admission) dearest() *waiter {
	var most *pair
	for _, p := range a.pairs {
		if most == nil || p.waiting > most.waiting {
			most = p
		}
	}
	var found *waiter
	for _, w := range most.queue {
		if found == nil || w.weight >= found.weight {
			found = w
		}
	}
	return found
}

// refuse takes a request out of the queue.
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
}

// dispatch admits those whose turn it is. When the next one does not fit yet, only smaller requests pass it, in the room
// that is kept for them.
func (a *Admission) dispatch() {
	for most := large; a.waiting > 0; {
		next := a.next(most)
		switch {
		case next == nil:
			return
		case a.fits(next.weight, most != large):
			a.dequeue(next)
			next.of.served = max(next.of.served, a.clock) + float64(next.weight)
			a.clock += float64(next.weight) / float64(max(a.queues(), 1))
			next.share = a.admit(next.of, next.weight)
			close(next.done)
		case a.sizeOf(next.weight) == tiny:
			return
		default:
			most = a.sizeOf(next.weight) - 1
		}
	}
}

// next is the request whose turn it is among those up to a size: the first of the pair that has had the least, its own
// weight included. A pair that has its part already is passed over.
func (a *Admission) next(most size) (next *waiter) {
	var earliest float64
	for _, p := range a.pairs {
		for _, w := range p.queue {
			s := a.sizeOf(w.weight)
			if s > most {
				continue
			}
			if a.hasPart(p, w.weight) {
				if w = p.first(a, small); w == nil { // smaller ones of the pair may go
					break
				}
			}
			if turn := max(p.served, a.clock) + float64(w.weight); next == nil || turn < earliest || turn == earliest && w.turn < next.turn {
				next, earliest = w, turn
			}
			break
		}
	}
	return next
}

// first is the pair's first request up to a size.
func (p *pair) first(a *Admission, most size) *waiter {
	for _, w := range p.queue {
		if a.sizeOf(w.weight) <= most {
			return w
		}
	}
	return nil
}

// queues counts the pairs that wait.
func (a *Admission) queues() (n int) {
	for _, p := range a.pairs {
		if len(p.queue) > 0 {
			n++
		}
	}
	return n
}
