package forecast

import (
	"context"
	"errors"
	"strconv"

	"example.org/backoffice/backoffice"
)

// world is what is imagined in one run, and what was noticed of it. One batch is sent at a time.
type world struct {
	noun   backoffice.Noun // that every identifier is of, "" for none
	behind bool            // numbered pages lie behind the end of their lists

	rows int // that may still be imagined
	made int // identifiers

	identifiers int  // that were asked for their noun
	numbered    bool // a page with a number was asked for
	looks       int  // questions for whether a list has any row
	failed      error
}

var errTooMany = errors.New("more rows would have to be imagined")

// newID is an identifier that nobody has read before.
func (w *world) newID() string {
	w.made++
	return "imagined-" + strconv.Itoa(w.made)
}

// room says whether so many rows may still be imagined.
func (w *world) room(rows int) bool {
	if w.rows -= rows; w.rows < 0 {
		w.failed = errTooMany
	}
	return w.failed == nil
}

// read is a read of a batch, answered when it is sent. Without an answer nothing is asked.
type read struct {
	answer func()
	err    error
}

// Err implements backoffice.Queued.
func (r *read) Err() error { return r.err }

func queue(b *backoffice.Batch, answer func()) backoffice.Queued {
	return b.Queue(&read{answer: answer})
}

// Send implements backoffice.Sender.
func (w *world) Send(ctx context.Context, b *backoffice.Batch) error {
	for _, queued := range b.Queued() {
		r, ok := queued.(*read)
		if !ok {
			return backoffice.Fault(errForeign, "foretelling")
		}
		if r.answer != nil {
			backoffice.CountStatement(ctx)
			r.answer()
			r.err = w.failed
		}
	}
	return b.Err()
}

var errForeign = errors.New("a read was queued by the reader of another store")

// store is an imagined store. It has what queries read; anything else that a caller may want of a store is not there, and a
// call of it panics.
type store struct {
	backoffice.Store
	*world
	columns backoffice.Readers
}

func newStore(w *world, columns backoffice.Readers) backoffice.Store {
	return &store{world: w, columns: columns}
}

// Send implements backoffice.Sender.
func (s *store) Send(ctx context.Context, b *backoffice.Batch) error { return s.world.Send(ctx, b) }

// BeginSnapshot implements backoffice.Store.
func (s *store) BeginSnapshot(ctx context.Context) (of context.Context, end func()) {
	return ctx, func() {}
}

// Nouns implements backoffice.NounReader.
func (s *store) Nouns(b *backoffice.Batch, ids []string, into []backoffice.Noun) backoffice.Queued {
	return queue(b, func() {
		s.identifiers += len(ids)
		for i := range into {
			into[i] = s.noun
		}
	})
}

// ReadChanges implements backoffice.ChangeReader: each kind of change has occurred once, on something that is still there.
func (s *store) ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery, into *backoffice.ChangePage) backoffice.Queued {
	return queue(b, func() {
		into.History, into.Latest = q.History, max(q.After, 0)
		if q.First == 0 {
			return
		}
		for _, name := range q.Kinds.Names() {
			if name != backoffice.RegistrationNumbers && s.room(1) { // which change with their customers
				into.Latest++
				into.Changes = append(into.Changes, &backoffice.Change{Sequence: into.Latest, Noun: backoffice.Noun(name), ObjectID: s.newID(), Done: backoffice.Created})
			}
		}
	})
}

// TrustedDocuments implements backoffice.TrustedDocumentStore: there are none, which asks no less.
func (s *store) TrustedDocuments(ctx context.Context, _ backoffice.TrustedQuery) ([]*backoffice.TrustedDocument, error) {
	backoffice.CountStatement(ctx)
	return nil, nil
}
