package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Listener receives what polls of the change log find.
type Listener interface {
	// BeginLook is called when a poll begins, unless nobody has committed since. It returns the number from which to
	// read the log, 0 when nothing of it is known; what else to read, after the log and in the same round trip, or nil;
	// and what takes the answer: entries as NewestChanges returns them, from that number or a lower one on.
	BeginLook() (from int64, behind *Statement, heard func(context.Context, []*backoffice.Change, error))
}

// Listening is an Engine that may want to receive polls, and to have them run: one with replicas.
type Listening interface {
	// Listener receives every poll of look; nil when it needs none.
	Listener(look func(ctx context.Context) error) Listener
}

// MostNew is how many entries one poll reads; with one more, others in between may be missing.
const MostNew = 10_000

const lookTime = 2 * time.Second

// looking polls for the latest commits, of any process.
type looking struct {
	store *Store
	looks Looks
	work  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listeners []Listener

	version int64 // of the data when the log was last read, by one poll at a time; 0 is unknown
}

var errClosed = errors.New("the store is closed")

func newLooking(s *Store) *looking {
	l := &looking{store: s}
	l.looks = Looks{Do: l.look, Begin: l.begin, Closed: errClosed}
	return l
}

// Look waits for a poll that begins from now on, and may share it; listeners have its result when Look returns.
func (s *Store) Look(ctx context.Context) error {
	defer backoffice.Waits(ctx)()
	return s.looking.looks.Wait(ctx)
}

// Listen passes the results of polls to a listener until stop is called.
func (s *Store) Listen(to Listener) (stop func()) {
	l := s.looking
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, to)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listeners = slices.DeleteFunc(slices.Clone(l.listeners), func(other Listener) bool { return other == to })
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

// look asks the primary for new entries of the log, for all listeners.
func (l *looking) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	l.mu.Lock()
	listeners := l.listeners
	l.mu.Unlock()
	version := l.store.dataVersion(ctx) // later commits change the version again
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

// read reads the log from a number on, and what listeners ask for after it, on the primary.
func (l *looking) read(ctx context.Context, from int64, behind []*Statement) (entries []*backoffice.Change, err error) {
	limit := 1
	if from != 0 {
		limit = MostNew + 1
	}
	log := &Statement{Text: newestChanges + strconv.Itoa(limit), Args: []any{from},
		Each: eachNewest(func(c *backoffice.Change) { entries = append(entries, c) })}
	all := append([]*Statement{log}, behind...)
	l.store.engine.Primary().Send(ctx, all...)
	for _, s := range all {
		if s.Err != nil {
			return nil, s.Err
		}
	}
	return entries, nil
}

// dataVersion changes with each commit, of any process; 0 is unknown.
func (s *Store) dataVersion(ctx context.Context) int64 {
	if e, ok := s.engine.(Versioned); ok {
		if version, err := e.DataVersion(ctx); err == nil {
			return version
		}
	}
	return 0
}
