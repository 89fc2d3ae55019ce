package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// snapshot is the reading of a query, all in one version. At first the version is unknown. It is set by a poll, when
// everything was found in memory, or by the first statement of the round trip that reads the rest. What the query took
// from memory before must be valid at that version. From there on the store's own snapshot is fixed to it, and cache
// entries are used if they were read at that version or before, and were not evicted since.
//
// Where most queries need one round trip, the store's snapshot ends with it, so that no connection waits for a query
// that finds the rest in memory. Another round trip is at another version, at which all of the query must be valid.
type snapshot struct {
	of    *Store
	reads backoffice.Snapshot // of the store
	alone bool                // of one batch

	mu         sync.Mutex
	polled     bool
	as         version    // of the poll
	inStore    bool       // the store's own snapshot has begun, at that version
	replica    bool       // a replica answers in it
	over       bool       // the last batch was sent
	bypass     bool       // memory is bypassed
	once       bool       // what is read is not worth caching, unless it was asked for before
	used       []*entry   // what was taken from memory, until the store's own snapshot has begun
	read       []*attempt // what was read in round trips whose snapshot has ended
	roundTrips int        // round trips to the store, if more may follow
	trace      *Trace     // of the query; nil when nobody asks
}

func (q *snapshot) Unwrap() backoffice.Snapshot { return q.reads }

func (s *Store) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	r, reads := backoffice.RequestOf(ctx), s.Source.BeginSnapshot(ctx)
	return &snapshot{
		of: s, reads: reads, bypass: r.WithoutCache, once: r.ReadOnce, used: *usedBefore.Get().(*[]*entry),
	}
}

func (q *snapshot) Close() {
	q.reads.Close()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.of.noteTrips(q.roundTrips)
	q.forget(0)
	if used := q.used; cap(used) <= mostUsed {
		usedBefore.Put(&used)
	}
	q.used, q.read = nil, nil
}

// usedBefore are slices of used for reuse, if they are not too long.
var usedBefore = sync.Pool{New: func() any { return new([]*entry) }}

const mostUsed = 1 << 14

// forget drops what was taken from memory, except the first entries.
func (q *snapshot) forget(first int) {
	first = min(first, len(q.used))
	clear(q.used[first:])
	q.used = q.used[:first]
}

// noteTrips learns from a query that could have needed more than one round trip.
func (s *Store) noteTrips(n int) {
	if n == 0 {
		return
	}
	others := int64(0)
	if n > 1 {
		others = always
	}
	for {
		known := s.further.Load()
		if s.further.CompareAndSwap(known, known+(others-known)/16) {
			return
		}
	}
}

// always is the value of Store.further when every query makes another round trip.
const always = 1 << 20

// ends reports whether the store's snapshot ends with a round trip: with the first one, when most of the latest queries
// needed no other. What is not cached can't be proved valid later.
func (p *attempt) ends() bool {
	if p.roundTrips > 1 || p.bypass || p.of.check || p.of.further.Load() > always/2 {
		return false
	}
	for _, read := range p.reads {
		if _, is := read.(interface{ direct() }); is {
			return false
		}
	}
	return true
}

// Write implements backoffice.Store. Later reads of the context see the write, and bypass memory.
func (s *Store) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	if q := backoffice.SnapshotOf[*snapshot](ctx); q != nil {
		q.mu.Lock()
		q.trace.end()
		q.polled, q.inStore, q.over, q.bypass, q.read = false, false, false, true, nil
		q.forget(0)
		q.mu.Unlock()
	}
	return s.Source.Write(ctx, do)
}

func (s *Store) Send(ctx context.Context, b *backoffice.Batch) error {
	q := backoffice.SnapshotOf[*snapshot](ctx)
	if q == nil || q.of != s {
		r := backoffice.RequestOf(ctx)
		q = &snapshot{of: s, alone: true, bypass: r.WithoutCache, once: r.ReadOnce}
	}
	return q.send(ctx, b)
}

type asked interface {
	backoffice.Queued
	// readMemory takes from memory what is there, and queues reads of the rest.
	readMemory(p *attempt)
	// complete completes the reads and caches what was read. It is called once, after the last readMemory.
	complete(p *attempt)
	// eachDep calls a function with the keys and the nouns that the store's answer depends on, until it returns false.
	// It reports whether it named all of them; some reads have none.
	eachDep(p *attempt, on func(key, nounSet) bool) bool
	fail(err error)
}

// attempt is one attempt to answer a batch.
type attempt struct {
	*snapshot
	ctx    context.Context
	reads  []asked
	memory bool              // entries may be used
	own    bool              // the rows must be the caller's own
	as     version           // at which memory is asked
	first  int               // of the snapshot's used that were taken in this attempt
	needed bool              // the store must be asked
	batch  *backoffice.Batch // the reads for the store
	idle   *backoffice.Batch // reads that ask nothing, such as those that can match nothing
	readAt version           // at which the store answered
	within restricted
	sound  bool // what was taken from memory is valid then; check compares it
}

func (q *snapshot) send(ctx context.Context, b *backoffice.Batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over { // a query that goes on begins another snapshot, as in the store
		q.polled, q.inStore, q.over, q.read = false, false, false, nil
		q.forget(0)
	}
	reads, unknown := readsOf(b)
	fail := func(err error) error {
		q.trace.end()
		for _, a := range reads {
			if !unknown { // else all of them fail, with an error that no single read reports
				a.fail(err)
			}
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return fail(backoffice.Fault(err, "reading"))
	}
	if unknown { // they are asked once, so nothing found later may require asking again
		backoffice.SessionOf(ctx).StayOnPrimary()
	}
	last := b.Last || q.alone
	for memory := !q.bypass && !unknown; ; memory = false {
		p := q.attempt(ctx, memory)
		p.reads = reads
		p.own = !b.Pooled
		if p.batch.Pooled = b.Pooled && (q.once || q.of.admission.churns.Load()); p.batch.Pooled { // the cache copies
			b.Borrow(p.batch)
		}
		for _, a := range reads {
			a.readMemory(p)
		}
		again, err := q.answer(p, last)
		if again || err != nil || q.alone || q.inStore {
			q.forget(p.first) // nothing of it must be proved any more
		}
		switch {
		case again && unknown:
			err = p.snapshotChanged()
		case again:
			continue
		}
		if err != nil {
			return fail(err)
		}
		for _, a := range reads {
			a.complete(p)
		}
		q.trace.add(p)
		return b.Err()
	}
}

func (q *snapshot) attempt(ctx context.Context, memory bool) *attempt {
	p := &attempt{snapshot: q, ctx: ctx, first: len(q.used), as: q.as, within: q.of.within(ctx),
		batch: &backoffice.Batch{}, idle: &backoffice.Batch{}}
	now := q.of.log.position()
	if !q.polled {
		p.as = now
	}
	p.memory = memory && p.as.history == now.history
	return p
}

// answer gets what is missing, and determines the version of everything; again if none exists: memory is then bypassed.
func (q *snapshot) answer(p *attempt, last bool) (again bool, err error) {
	s := q.of
	if len(p.taken()) > 0 && s.log.position().history != p.as.history {
		return true, nil // another history began while memory was asked
	}
	if len(p.idle.Queued()) > 0 {
		_ = s.Source.Send(p.ctx, p.idle) // asks nothing; each read has its own error
	}
	if !p.needed {
		if len(p.taken()) == 0 || q.polled {
			return false, nil
		}
		if err := s.wait(p.ctx); err != nil {
			return false, err
		}
		now := s.log.position()
		if !s.log.good(p.taken(), p.as, now) {
			return true, nil
		}
		q.polled, q.as = true, now
		return false, nil
	}
	if q.roundTrips > 0 || !last {
		q.roundTrips++
	}
	if q.inStore {
		p.readAt = q.as
		p.batch.Last = last
		_ = s.Source.Send(p.ctx, p.batch)
		p.sound = true
		q.inStore, q.over = !last, last
		if q.replica && !p.valid() {
			return false, p.snapshotChanged()
		}
		return false, nil
	}
	ends := last || p.ends()
	if err := p.ask(ends); err != nil {
		return false, err
	}
	proved := p.readAt
	if q.replica {
		proved = s.log.position()
	}
	if p.readAt == (version{}) || q.replica && !p.valid() {
		if q.replica {
			s.behind.Add(1)
		}
		p.leaveReplica()
		return true, nil
	}
	if before := q.used[:p.first]; !s.log.good(before, q.as, proved) || !q.readsValid(p.readAt) {
		return false, p.snapshotChanged()
	}
	p.sound = s.log.good(p.taken(), p.as, proved)
	q.polled, q.as, q.inStore = true, p.readAt, !ends
	if !p.sound && !s.check {
		if ends {
			q.polled = p.first > 0 || len(q.read) > 0
		}
		return true, nil
	}
	if q.over = last; ends && !last {
		q.read = append(q.read, p)
		return false, nil
	}
	q.read = nil
	q.forget(0)
	return false, nil
}

// readsValid reports whether what was read in earlier round trips is valid at a later version.
func (q *snapshot) readsValid(readAt version) bool {
	for _, p := range q.read {
		if readAt.history != p.readAt.history || readAt.at < p.readAt.at || !p.valid() {
			return false
		}
	}
	return true
}

// ask asks the store, which first returns how far the log has come. It sets readAt, to none for a lost history.
func (p *attempt) ask(last bool) error {
	s := p.of
	from, limit := s.log.next()
	var entries []*backoffice.Change
	batch := &backoffice.Batch{Last: last}
	latest := s.NewestChanges(batch, from, limit, func(c *backoffice.Change) { entries = append(entries, c) })
	for _, read := range p.batch.Queued() {
		batch.Queue(read)
	}
	_ = s.Source.Send(p.ctx, batch)
	if err := latest.Err(); err != nil {
		return err
	}
	if from != 0 && len(entries) == limit { // a poll learns more of that
		if err := s.wait(p.ctx); err != nil {
			return err
		}
	}
	p.replica = latest.Replica
	readAt, behind := s.advance(entries, 0)
	if behind { // only the primary knows whether that is of another history
		if err := s.wait(p.ctx); err != nil {
			return err
		}
		var newest backoffice.Change
		if len(entries) > 0 {
			newest = *entries[0]
		}
		readAt = s.log.versionOf(&newest)
	}
	p.readAt = readAt
	return nil
}

var errSilent = errors.New("the change log was not read in time")

// wait waits for a poll that begins now, but leaves time before the deadline to report that the store is gone.
func (s *Store) wait(ctx context.Context) error {
	waiting := ctx
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		bounded, cancel := context.WithTimeout(ctx, left-min(answerTime, left/4))
		defer cancel()
		waiting = bounded
	}
	err := s.Poll(waiting)
	var known *backoffice.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return backoffice.Fault(ctx.Err(), "polling the change log")
	case waiting.Err() != nil, backoffice.KindOf(err) == backoffice.Timeout:
		err = errSilent
	case errors.As(err, &known):
		return err
	}
	return store.Unavailable(err)
}

// answerTime is the part of a request's time that is reserved for its answer.
const answerTime = 500 * time.Millisecond

// take records what is taken from memory: its validity must be proved.
func (p *attempt) take(e *entry) {
	p.used = append(p.used, e)
	if p.trace != nil && e.kind != 0 {
		p.trace.on(e.key, e.depends)
	}
}

func (p *attempt) taken() []*entry { return p.used[p.first:] }
