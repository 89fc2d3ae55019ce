package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// snapshot is a query's reading: all of it is of one moment. At first nothing is known of which. Then either a look
// tells, when all was found in memory, or the first statement of the trip in which the rest is read. What the query
// had taken from memory before must be good as of that moment; from there on the store's own snapshot stands there,
// and what memory holds is used when it was read as of then or before, and was not dropped since.
//
// Where most queries need one trip, the store's snapshot ends with it, so that no connection waits for a query that
// finds the rest in memory. One that does not begins another trip, as of whose moment all that it has must be good.
type snapshot struct {
	of    *Store
	reads backoffice.Snapshot // of the store
	alone bool                // of one batch

	mu      sync.Mutex
	looked  bool
	as      moment  // when looked
	inStore bool    // the store's own snapshot has begun, as of that moment
	replica bool    // a replica answers in it
	over    bool    // the last batch was sent
	past    bool    // memory is left out
	once    bool    // what is read is not worth keeping, unless it was asked for before
	used    []*kept // what was taken from memory, until the store's own snapshot has begun
	read    []*pass // what was read in trips whose snapshot has ended
	trips   int     // to the store, if there may be others behind
}

func (q *snapshot) Unwrap() backoffice.Snapshot { return q.reads }

func (s *Store) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	r, reads := backoffice.RequestOf(ctx), s.Source.BeginSnapshot(ctx)
	return &snapshot{
		of: s, reads: reads, past: r.WithoutMemory, once: r.ReadOnce, used: *usedBefore.Get().(*[]*kept),
	}
}

func (q *snapshot) Close() {
	q.reads.Close()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.of.noteTrips(q.trips)
	q.forget(0)
	if used := q.used; cap(used) <= mostUsed {
		usedBefore.Put(&used)
	}
	q.used, q.read = nil, nil
}

// usedBefore are lists of what was taken that are used again, if they are not too long.
var usedBefore = sync.Pool{New: func() any { return new([]*kept) }}

const mostUsed = 1 << 14

// forget leaves the first of what was taken from memory.
func (q *snapshot) forget(first int) {
	first = min(first, len(q.used))
	clear(q.used[first:])
	q.used = q.used[:first]
}

// noteTrips learns from a query that could have needed more than one trip.
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

// always is what Store.further is where every query goes on to the store.
const always = 1 << 20

// ends reports whether the store's snapshot is to end with a trip: with the first one, when most of the latest queries
// needed no other. What memory has nothing of can't be shown to be good later.
func (p *pass) ends() bool {
	if p.trips > 1 || p.past || p.of.check || p.of.further.Load() > always/2 {
		return false
	}
	for _, read := range p.reads {
		if _, past := read.(interface{ passes() }); past {
			return false
		}
	}
	return true
}

// Write implements backoffice.Store. What the context reads from then on sees the write, and goes past memory.
func (s *Store) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	if q := backoffice.SnapshotOf[*snapshot](ctx); q != nil {
		q.mu.Lock()
		q.looked, q.inStore, q.over, q.past, q.read = false, false, false, true, nil
		q.forget(0)
		q.mu.Unlock()
	}
	return s.Source.Write(ctx, do)
}

func (s *Store) Send(ctx context.Context, b *backoffice.Batch) error {
	q := backoffice.SnapshotOf[*snapshot](ctx)
	if q == nil || q.of != s {
		r := backoffice.RequestOf(ctx)
		q = &snapshot{of: s, alone: true, past: r.WithoutMemory, once: r.ReadOnce}
	}
	return q.send(ctx, b)
}

type asked interface {
	backoffice.Queued
	// look takes from memory what is there, and queues the reading of the rest.
	look(p *pass)
	// settle hands over what was found and what was read, and keeps that. It is called once, after the last look.
	settle(p *pass)
	// stands reports whether nothing that the store was asked is changed behind the moment of its answer.
	stands(p *pass) bool
	// fail notes why there is no answer.
	fail(err error)
}

// pass is one way of answering a batch.
type pass struct {
	*snapshot
	ctx    context.Context
	reads  []asked
	memory bool              // what is there may be used
	own    bool              // the rows are to be the caller's own
	as     moment            // as of which memory is asked
	first  int               // of the snapshot's used that were taken in this pass
	needed bool              // the store is to be asked
	batch  *backoffice.Batch // what it is asked
	idle   *backoffice.Batch // what asks nothing, such as who can match nothing
	then   moment            // as of which the store answered
	within restricted
	sound  bool // what was taken from memory is good as of then; it is compared by check
}

func (q *snapshot) send(ctx context.Context, b *backoffice.Batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over { // whoever goes on begins another moment, as in the store
		q.looked, q.inStore, q.over, q.read = false, false, false, nil
		q.forget(0)
	}
	reads, unknown := readsOf(b)
	fail := func(err error) error {
		for _, a := range reads {
			if !unknown { // else it is an error of all of them, as one that none tells itself
				a.fail(err)
			}
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return fail(backoffice.Fault(err, "reading"))
	}
	if unknown { // they are asked once, so nothing may turn out for which all is asked again
		backoffice.SessionOf(ctx).StayOnPrimary()
	}
	last := b.Last || q.alone
	for memory := !q.past && !unknown; ; memory = false {
		p := q.pass(ctx, memory)
		p.reads = reads
		p.own = !b.Pooled
		if p.batch.Pooled = q.once && b.Pooled; p.batch.Pooled { // what is kept is copied
			b.Lend(p.batch)
		}
		for _, a := range reads {
			a.look(p)
		}
		again, err := q.answer(p, last)
		if again || err != nil || q.alone || q.inStore {
			q.forget(p.first) // nothing of it has to be proved any more
		}
		switch {
		case again && unknown:
			err = p.readAgain()
		case again:
			continue
		}
		if err != nil {
			return fail(err)
		}
		for _, a := range reads {
			a.settle(p)
		}
		return b.Err()
	}
}

func (q *snapshot) pass(ctx context.Context, memory bool) *pass {
	p := &pass{snapshot: q, ctx: ctx, first: len(q.used), as: q.as, within: q.of.within(ctx), batch: &backoffice.Batch{}, idle: &backoffice.Batch{}}
	now := q.of.log.position()
	if !q.looked {
		p.as = now
	}
	p.memory = memory && p.as.history == now.history
	return p
}

// answer gets what is missing, and finds out as of which moment everything is. again says that this can't be: then it
// is tried without memory.
func (q *snapshot) answer(p *pass, last bool) (again bool, err error) {
	s := q.of
	if len(p.taken()) > 0 && s.log.position().history != p.as.history {
		return true, nil // while memory was asked another history began
	}
	if len(p.idle.Queued()) > 0 {
		_ = s.Source.Send(p.ctx, p.idle) // asks nothing; each read has its own error
	}
	if !p.needed {
		if len(p.taken()) == 0 || q.looked {
			return false, nil
		}
		if err := s.wait(p.ctx); err != nil {
			return false, err
		}
		now := s.log.position()
		if !s.log.good(p.taken(), p.as, now) {
			return true, nil
		}
		q.looked, q.as = true, now
		return false, nil
	}
	if q.trips > 0 || !last {
		q.trips++
	}
	if q.inStore {
		p.then = q.as
		p.batch.Last = last
		_ = s.Source.Send(p.ctx, p.batch)
		p.sound = true
		q.inStore, q.over = !last, last
		if q.replica && !p.stands() {
			return false, p.readAgain()
		}
		return false, nil
	}
	ends := last || p.ends()
	if err := p.ask(ends); err != nil {
		return false, err
	}
	proved := p.then
	if q.replica {
		proved = s.log.position()
	}
	if p.then == (moment{}) || q.replica && !p.stands() {
		if q.replica {
			s.behind.Add(1)
		}
		p.leaveReplica()
		return true, nil
	}
	if before := q.used[:p.first]; !s.log.good(before, q.as, proved) || !q.readStands(p.then) {
		return false, p.readAgain()
	}
	p.sound = s.log.good(p.taken(), p.as, proved)
	q.looked, q.as, q.inStore = true, p.then, !ends
	if !p.sound && !s.check {
		if ends {
			q.looked = p.first > 0 || len(q.read) > 0
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

// readStands reports whether what was read in trips before is good as of a later moment.
func (q *snapshot) readStands(then moment) bool {
	for _, p := range q.read {
		if then.history != p.then.history || then.at < p.then.at || !p.stands() {
			return false
		}
	}
	return true
}

// ask asks the store, which tells first how far the log has come. It sets then, to none for a history that was lost.
func (p *pass) ask(last bool) error {
	s := p.of
	from, limit := s.log.next()
	var entries []*backoffice.Change
	batch := &backoffice.Batch{Last: last}
	looked := s.NewestChanges(batch, from, limit, func(c *backoffice.Change) { entries = append(entries, c) })
	for _, read := range p.batch.Queued() {
		batch.Queue(read)
	}
	_ = s.Source.Send(p.ctx, batch)
	if err := looked.Err(); err != nil {
		return err
	}
	if from != 0 && len(entries) == limit { // a look tells more of that
		if err := s.wait(p.ctx); err != nil {
			return err
		}
	}
	p.replica = looked.Replica
	then, behind := s.advance(entries, 0)
	if behind { // only the server that takes writes knows whether that is of another history
		if err := s.wait(p.ctx); err != nil {
			return err
		}
		var newest backoffice.Change
		if len(entries) > 0 {
			newest = *entries[0]
		}
		then = s.log.momentOf(&newest)
	}
	p.then = then
	return nil
}

var errSilent = errors.New("the change log was not read in time")

// wait waits for a look that begins now, but not to the end of the request's time: a store that does not answer is not
// available, and there has to be time to say so.
func (s *Store) wait(ctx context.Context) error {
	waiting := ctx
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		bounded, cancel := context.WithTimeout(ctx, left-min(answerTime, left/4))
		defer cancel()
		waiting = bounded
	}
	err := s.Look(waiting)
	var known *backoffice.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return backoffice.Fault(ctx.Err(), "looking at the change log")
	case waiting.Err() != nil, backoffice.KindOf(err) == backoffice.Timeout:
		err = errSilent
	case errors.As(err, &known):
		return err
	}
	return &backoffice.Error{Kind: backoffice.Unavailable, Message: "the store is not available", Cause: err}
}

// answerTime is what a request is left of its time to be answered in.
const answerTime = 500 * time.Millisecond

// take notes what is taken from memory: that it is good has to be proved.
func (p *pass) take(e *kept) { p.used = append(p.used, e) }

func (p *pass) taken() []*kept { return p.used[p.first:] }
