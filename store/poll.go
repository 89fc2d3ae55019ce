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
	// BeginPoll is called when a poll begins, unless nobody has committed since. It returns the number from which to
	// read the log, 0 when nothing of it is known; what else to read, after the log and in the same round trip, or nil;
	// and what takes the answer: entries as NewestChanges returns them, from that number or a lower one on.
	BeginPoll() (from int64, behind *Statement, heard func(context.Context, []*backoffice.Change, error))
}

// Listening is an Engine that may want to receive polls, and to have them run: one with replicas.
type Listening interface {
	// Listener receives every poll; nil when it needs none.
	Listener(poll func(ctx context.Context) error) Listener
}

// MostNew is how many entries one poll reads; with one more, others in between may be missing.
const MostNew = 10_000

const pollTime = 2 * time.Second

// poller polls for the latest commits, of any process.
type poller struct {
	store *Store
	polls Polls
	work  sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listeners []Listener

	version int64 // of the data when the log was last read, by one poll at a time; 0 is unknown
}

// ErrClosed is the cause when a store is asked that was closed.
var ErrClosed = errors.New("the store is closed")

func newPoller(s *Store) *poller {
	l := &poller{store: s}
	l.polls = Polls{Do: l.poll, Begin: l.begin, Closed: ErrClosed}
	return l
}

// Poll waits for a poll that begins from now on, and may share it; listeners have its result when Poll returns.
func (s *Store) Poll(ctx context.Context) error {
	defer backoffice.Waits(ctx)()
	return s.poller.polls.Wait(ctx)
}

// Listen passes the results of polls to a listener until stop is called.
func (s *Store) Listen(to Listener) (stop func()) {
	l := s.poller
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, to)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.listeners = slices.DeleteFunc(slices.Clone(l.listeners), func(other Listener) bool { return other == to })
	}
}

func (l *poller) begin(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.work.Go(work)
	return true
}

func (l *poller) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.work.Wait()
}

// poll asks the primary for new entries of the log, for all listeners.
func (l *poller) poll() error {
	ctx, cancel := context.WithTimeout(context.Background(), pollTime)
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
		number, also, hears := listener.BeginPoll()
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
func (l *poller) read(ctx context.Context, from int64, behind []*Statement) (entries []*backoffice.Change, err error) {
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
