package cache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// Source is the store that a cache stands before.
type Source interface {
	backoffice.Store

	// NewestChanges queues the reading of the change log from a number on, at most limit entries, the newest first; the
	// newest is read in any case. It sees the moment of the batch, on the server that answers it.
	NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *store.Query
	// NewestDurableChanges is that of what was durable when it was asked, on the server that takes writes.
	NewestDurableChanges(ctx context.Context, from int64, limit int, each func(*backoffice.Change)) error
	// ChangedNouns are those that the entries behind a number name; "" is among them when one does not tell what was done.
	ChangedNouns(ctx context.Context, after int64) ([]backoffice.Noun, error)
	// RenewSnapshot lets what a context reads next be of another moment.
	RenewSnapshot(ctx context.Context)
	// DataVersion is another number after each commit of anybody; 0 where that can't be told for less than reading the log takes.
	DataVersion(ctx context.Context) int64
}

// Options are how a cache is made.
type Options struct {
	Bytes int  // how much it holds, keys and what it takes itself included, roughly
	Check bool // everything that was found is read as well and compared; the store's answer counts
	Log   *slog.Logger
}

// Store is a backoffice.Store whose reads are answered from memory where that can't be told from the store's own answer.
// Rows that it returns are shared and not to be changed. Close closes the store below.
type Store struct {
	Source
	readers
	memory *otter.Cache[place, *kept]
	log    log
	looks  store.Looks
	// version is the number of the data when the log was last read, which one look does at a time; 0 is unknown.
	version int64
	check   bool
	logger  *slog.Logger
	work    sync.WaitGroup
	closed  atomic.Bool

	hits, misses, looked, dropped, differences, moved, behind atomic.Int64
}

var _ backoffice.Store = (*Store)(nil)

var errClosed = errors.New("the cache is closed")

// New puts a cache before a store.
func New(source Source, o Options) (*Store, error) {
	memory, err := newMemory(o.Bytes)
	if err != nil {
		return nil, err
	}
	s := &Store{Source: source, memory: memory, check: o.Check, logger: o.Log}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	s.log.touched = map[place]int64{}
	s.looks = store.Looks{Do: s.look, Begin: s.begin, Closed: errClosed}
	s.readers = s.newReaders()
	return s, nil
}

// lookTime is how long a look may take.
const lookTime = 2 * time.Second

// look asks the server that takes writes how far the log has come.
func (s *Store) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	s.looked.Add(1)
	from, limit := s.log.next()
	version := s.DataVersion(ctx) // what is committed from here on makes the next one another
	if from != 0 && version != 0 && version == s.version {
		return nil
	}
	var entries []*backoffice.Change
	err := s.NewestDurableChanges(ctx, from, limit, func(c *backoffice.Change) { entries = append(entries, c) })
	if err != nil {
		return err
	}
	if from != 0 && len(entries) == limit {
		s.advanceFar(ctx, from, entries)
	} else {
		s.advance(entries, from)
	}
	s.version = version
	return nil
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
	s.advance(entries, from) // which drops everything
}

func (s *Store) begin(work func()) bool {
	if s.closed.Load() {
		return false
	}
	s.work.Go(work)
	return true
}

// Differences are the answers that were not those of the store, as Options.Check found.
func (s *Store) Differences() int64 { return s.differences.Load() }

// Drop forgets everything.
func (s *Store) Drop() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	s.dropAll(s.log.last)
	s.log.known = false
}

// Gauges are those of the cache and of the store below.
func (s *Store) Gauges() []backoffice.Gauge {
	var gauges []backoffice.Gauge
	if known, ok := s.Source.(interface{ Gauges() []backoffice.Gauge }); ok {
		gauges = known.Gauges()
	}
	return append(gauges,
		backoffice.Gauge{Name: "cache_hits_total", Help: "Rows, lists and totals that were answered from memory.", Read: s.hits.Load},
		backoffice.Gauge{Name: "cache_misses_total", Help: "Rows, lists and totals that the store was asked for.", Read: s.misses.Load},
		backoffice.Gauge{Name: "cache_looks_total", Help: "Looks at the end of the change log that requests shared.", Read: s.looked.Load},
		backoffice.Gauge{Name: "cache_dropped_total", Help: "Entries that were dropped because they were changed.", Read: s.dropped.Load},
		backoffice.Gauge{Name: "cache_moved_total", Help: "Queries that began anew because something they had taken from memory was changed.", Read: s.moved.Load},
		backoffice.Gauge{Name: "cache_behind_total", Help: "Answers of replicas that were asked again of the primary, because something in them had been changed.", Read: s.behind.Load},
		backoffice.Gauge{Name: "cache_differences_total", Help: "Answers that were not those of the store, found by --cache-check.", Read: s.differences.Load},
		backoffice.Gauge{Name: "cache_bytes", Help: "What the cache holds, roughly.", Read: func() int64 { return int64(s.memory.WeightedSize()) }},
	)
}

// Stop ends what the cache does by itself, and leaves the store below open.
func (s *Store) Stop() {
	s.closed.Store(true)
	s.work.Wait()
}

// Close implements backoffice.Store.
func (s *Store) Close() error {
	s.Stop()
	return s.Source.Close()
}
