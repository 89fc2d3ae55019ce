package cache

import (
	"context"
	"hash/maphash"
	"slices"

	"example.org/backoffice/backoffice"
)

// slots is the size of the striped clock. Keys share slots, so a change may invalidate more than it touched.
const slots = 1 << 16

func (k key) slot() uint16 { return uint16(maphash.Comparable(seed, k) % slots) }

// Trace is what a query has read: the slots of its keys in the clock, its nouns, and a version such that a change which
// the query did not see came later. Reads without a key end it: then nothing can be proved of the query.
type Trace struct {
	store *Store
	of    *snapshot // until it is closed
	as    version
	nouns nounSet
	slots []uint16
	began bool
	ended bool
}

// Follow traces the query of a context, before its first read; nil when its store has no cache.
func Follow(ctx context.Context) *Trace {
	q := backoffice.SnapshotOf[*snapshot](ctx)
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.trace = &Trace{store: q.of, of: q}
	return q.trace
}

// on is called under the snapshot's mu, like add and end.
func (t *Trace) on(at key, depends nounSet) bool {
	t.nouns |= depends
	if depends == 0 {
		t.slots = append(t.slots, at.slot())
	}
	return true
}

// add adds an answered batch. Its rows are of the version at which memory was asked or of that of the store, or later.
func (t *Trace) add(p *attempt) {
	if t == nil || t.ended {
		return
	}
	if p.memory {
		t.since(p.as)
	}
	if p.needed {
		t.since(p.readAt)
	}
	for _, read := range p.reads {
		if !read.eachDep(p, t.on) {
			t.end()
			return
		}
	}
}

func (t *Trace) since(as version) {
	switch {
	case !t.began:
		t.as, t.began = as, true
	case t.as.history != as.history:
		t.end()
	default:
		t.as.at = min(t.as.at, as.at)
	}
}

func (t *Trace) end() {
	if t != nil {
		t.ended, t.slots = true, nil
	}
}

// Close ends the trace with what was read so far, and reports whether it is all that the query depends on.
func (t *Trace) Close() bool {
	q := t.of
	q.mu.Lock()
	defer q.mu.Unlock()
	whole := t.began && !t.ended
	q.trace, t.of, t.ended = nil, nil, true
	slices.Sort(t.slots)
	t.slots = slices.Clip(slices.Compact(t.slots))
	return whole
}

// Bytes is the size of a closed trace.
func (t *Trace) Bytes() int { return 2*len(t.slots) + overhead }

// Valid reports whether no known change affects what a closed trace has read.
func (t *Trace) Valid() bool {
	l := &t.store.log
	l.mu.RLock()
	defer l.mu.RUnlock()
	if t.as.history != l.now.history || t.as.at < l.whole || l.changedSince(t.nouns, t.as.at) {
		return false
	}
	for _, slot := range t.slots {
		if l.clock[slot] > t.as.at {
			return false
		}
	}
	return true
}

// StillValid reports whether a closed trace is valid at a poll that begins now: executing again would read the same.
func (t *Trace) StillValid(ctx context.Context) bool {
	return t.Valid() && t.store.wait(ctx) == nil && t.Valid()
}
