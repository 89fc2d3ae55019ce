package store

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Listener is told what a look at the change log finds.
type Listener interface {
	// BeginLook is asked when a look begins: from which number on the log is to be read, 0 when nothing of it is
	// known; what else is to be read, behind the log and in the same trip, or nil; and who takes the answer: entries
	// as NewestChanges has them, from that number on or from a lower one. They are not taken when nobody has committed
	// since.
	BeginLook() (from int64, behind *Statement, heard func(ctx context.Context, entries []*backoffice.Change, err error))
}

// Listening is an Engine that may want to hear what looks find, and to have them done: one with replicas.
type Listening interface {
	// Listener is told of every look that look does; nil when there is nothing to hear.
	Listener(look func(ctx context.Context) error) Listener
}

// MostNew is how many entries one look reads; with one more, others may be missing in between.
const MostNew = 10_000

const lookTime = 2 * time.Second

// looking is how a store looks at what was committed last, by whichever process.
type looking struct {
	store *Store
	looks Looks
	work  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listeners []Listener

	version int64 // of the data when the log was last read, which one look does at a time; 0 is unknown
}

var errClosed = errors.New("the store is closed")

func newLooking(s *Store) *looking {
	l := &looking{store: s}
	l.looks = Looks{Do: l.look, Begin: l.begin, Closed: errClosed}
	return l
}

// Look waits for a look that begins from now on, which may be shared; what it finds has been told when Look returns.
func (s *Store) Look(ctx context.Context) error {
	defer backoffice.Waits(ctx)()
	return s.looking.looks.Wait(ctx)
}

// Listen tells a listener what looks find, until stop is called.
func (s *Store) Listen(to Listener) (stop func()) {
	l := s.looking
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, to)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		var others []Listener
		for _, other := range l.listeners {
			if other != to {
				others = append(others, other)
			}
		}
		l.listeners = others
	}
}

func (l *looking) begin(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.work.Go(work)
	return true
}

func (l *looking) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.work.Wait()
}

// look asks the server that takes writes what is new in the log, for everybody who listens.
func (l *looking) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	l.mu.Lock()
	listeners := l.listeners
	l.mu.Unlock()
	version := l.store.dataVersion(ctx) // what is committed from here on makes the next one another
	var from int64
	var behind []*Statement
	var heard []func(context.Context, []*backoffice.Change, error)
	news := version == 0 || version != l.version
	for _, listener := range listeners {
		number, also, hears := listener.BeginLook()
		switch {
		case number == 0:
			news = true
		case from == 0 || number < from:
			from = number
		}
		if also != nil {
			behind = append(behind, also)
		}
		heard = append(heard, hears)
	}
	if !news {
		return nil
	}
	entries, err := l.read(ctx, from, behind)
	for _, hears := range heard {
		hears(ctx, entries, err)
	}
	if err == nil {
		l.version = version
	}
	return err
}

// read reads the log from a number on, and what listeners want to know behind it, on the server that takes writes.
func (l *looking) read(ctx context.Context, from int64, behind []*Statement) (entries []*backoffice.Change, err error) {
	limit := 1
	if from != 0 {
		limit = MostNew + 1
	}
	log := &Statement{Text: newestChanges + strconv.Itoa(limit), Args: []any{from}, Each: eachNewest(func(c *backoffice.Change) { entries = append(entries, c) })}
	all := append([]*Statement{log}, behind...)
	l.store.engine.Primary().Send(ctx, all...)
	for _, s := range all {
		if s.Err != nil {
			return nil, s.Err
		}
	}
	return entries, nil
}

// dataVersion is another number after each commit of anybody, in whichever process; 0 is unknown.
func (s *Store) dataVersion(ctx context.Context) int64 {
	if e, ok := s.engine.(Versioned); ok {
		if version, err := e.DataVersion(ctx); err == nil {
			return version
		}
	}
	return 0
}
