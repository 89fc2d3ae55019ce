package cache

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// Source is the store below a cache.
type Source interface {
	backoffice.Store

	// NewestChanges queues a read of the change log from a number on: at most limit entries, newest first. The newest
	// entry is always returned. It reads the snapshot of the batch, on the server that answers it.
	NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *store.Query
	// Poll waits for a poll of the change log that begins from now on, on the primary.
	Poll(ctx context.Context) error
	// Listen passes the results of polls to a listener until stop is called.
	Listen(to store.Listener) (stop func())
	// ChangedNouns returns the nouns of the entries after a number, and "" when one names none.
	ChangedNouns(ctx context.Context, after int64) ([]backoffice.Noun, error)
	// RenewSnapshot makes the next read of a context use another snapshot.
	RenewSnapshot(ctx context.Context)
}

type Options struct {
	Bytes int  // the approximate size, keys and overhead included
	Check bool // every entry found is read as well and compared; the store's answer counts
	Log   *slog.Logger
}

// Store is a backoffice.Store whose reads are answered from memory where that can't be distinguished from the store's
// own answer. Rows that it returns are shared and must not be changed. Close closes the store below.
type Store struct {
	below
	backoffice.ByName
	readers   map[backoffice.Noun]any
	memory    *otter.Cache[key, *entry]
	admission *admission
	log       log
	stop      func()
	check     bool
	within    func(context.Context) restricted
	logger    *slog.Logger

	further atomic.Int64 // how often queries lately made another round trip after the first; out of always

	hits, misses, filled, polls, dropped, differences, moved, behind atomic.Int64
}

// below is a Source whose readers are replaced.
type below struct{ Source }

var _ backoffice.Store = (*Store)(nil)

// New puts a cache in front of a store.
func New(source Source, o Options) (*Store, error) {
	memory, err := newMemory(o.Bytes)
	if err != nil {
		return nil, err
	}
	s := &Store{below: below{source}, readers: map[backoffice.Noun]any{}, memory: memory,
		check: o.Check, within: restrictedIn, logger: o.Log}
	room := max(o.Bytes/leastEntry, 64)
	s.admission = &admission{bits: make([]atomic.Uint64, room*bitsEach/64), room: int64(room), hits: &s.hits}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	s.log.touched = map[key]int64{}
	s.From = s
	s.keepReaders()
	s.stop = source.Listen(s)
	return s, nil
}

func (s *Store) BeginPoll() (from int64, behind *store.Statement,
	heard func(context.Context, []*backoffice.Change, error)) {
	s.polls.Add(1)
	from, _ = s.log.next()
	return from, nil, func(ctx context.Context, entries []*backoffice.Change, err error) {
		switch {
		case err != nil:
		case from != 0 && len(entries) > store.MostNew:
			s.advanceFar(ctx, from, entries)
		default:
			s.advance(entries, from)
		}
	}
}

// advanceFar is advance for more entries than are read one by one.
func (s *Store) advanceFar(ctx context.Context, from int64, entries []*backoffice.Change) {
	last, err := s.Changes(ctx, from-1, 1)
	if err == nil && len(last) == 1 {
		var nouns []backoffice.Noun
		if nouns, err = s.ChangedNouns(ctx, from); err == nil && s.dropNouns(last[0], nouns, entries[0]) {
			return
		}
	}
	s.advance(entries, from) // drops everything
}

// Bytes is its approximate maximum size.
func (s *Store) Bytes() int { return int(s.memory.GetMaximum()) }

// Differences are the answers that differed from the store's, as Options.Check found.
func (s *Store) Differences() int64 { return s.differences.Load() }

func (s *Store) Drop() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.dropAll(s.log.last)
	s.log.known = false
}

func (s *Store) Gauges() []backoffice.Gauge {
	var gauges []backoffice.Gauge
	if known, ok := s.Source.(interface{ Gauges() []backoffice.Gauge }); ok {
		gauges = known.Gauges()
	}
	add := func(name string, read func() int64, help string) {
		gauges = append(gauges, backoffice.Gauge{Name: name, Help: help, Read: read})
	}
	add("cache_hits_total", s.hits.Load, "Rows, lists and totals served from memory.")
	add("cache_misses_total", s.misses.Load, "Rows, lists and totals read from the store.")
	add("cache_looks_total", s.polls.Load, "Polls of the end of the change log, shared by requests.")
	add("cache_dropped_total", s.dropped.Load, "Entries dropped because of changes.")
	add("cache_moved_total", s.moved.Load,
		"Queries restarted because cached data they used had changed.")
	add("cache_behind_total", s.behind.Load,
		"Replica reads repeated on the primary because their data had changed.")
	add("cache_differences_total", s.differences.Load,
		"Cached answers that differed from the store, found by --cache-check.")
	add("cache_bytes", func() int64 { return int64(s.memory.WeightedSize()) }, "Approximate bytes in the cache.")
	return gauges
}

// Stop detaches the cache from the store below, which stays open.
func (s *Store) Stop() { s.stop() }

func (s *Store) Close() error {
	s.Stop()
	return s.Source.Close()
}
