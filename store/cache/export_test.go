package cache

import (
	"context"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// EndEarly has the store's snapshot of each query end with the first trip, as where most queries need no other, until
// stop is called.
func (s *Store) EndEarly() (stop func()) {
	over := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			s.further.Store(0)
			select {
			case <-over:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	})
	return func() { close(over); work.Wait() }
}

// Forgetting has the store's questions about customers and transcripts depend on none of some other nouns
// It is for a store that nobody reads yet.
func (s *Store) Forgetting(nouns ...backoffice.Noun) {
	var of nounSet
	for _, noun := range nouns {
		of |= 1 << noun.Index()
	}
	keep(s, backoffice.CustomerTable, *forgetting(customerRules, of))
	counting := s.Transcripts().(*transcriptReader)
	counting.reader = keep(s, backoffice.TranscriptTable, *forgetting(transcriptRules, of))
	s.readers[backoffice.NounTranscript] = counting
}

func forgetting[C comparable](of rules[C], nouns nounSet) *rules[C] {
	beside, ranked := of.beside, of.ranked
	of.beside = func(under backoffice.Parent, c C) nounSet { return beside(under, c) &^ nouns }
	of.ranked = map[backoffice.OrderKey]nounSet{}
	for key, by := range ranked {
		of.ranked[key] = by &^ nouns
	}
	return &of
}

// ForgettingInView has what restricted callers are answered depend on none of some nouns. It is for a store that
// nobody reads yet.
func (s *Store) ForgettingInView(nouns ...backoffice.Noun) {
	s.within = func(ctx context.Context) restricted {
		r := restrictedIn(ctx)
		for _, noun := range nouns {
			r.goes &^= 1 << noun.Index()
		}
		return r
	}
}

// SharingAnswers has all restricted callers share what is kept. It is for a store that nobody reads yet.
func (s *Store) SharingAnswers() {
	one := backoffice.Restriction{}
	s.within = func(ctx context.Context) restricted {
		r := restrictedIn(ctx)
		if r.isSet() {
			if !one.IsSet() {
				one = r.to
			}
			r.to = one
		}
		return r
	}
}

// Filled is how many entries were cached so far.
func Filled(s *Store) int64 { return s.filled.Load() }

// Evict evicts now what does not fit, which otter otherwise does beside, and late on a busy machine.
func Evict(s *Store) { s.memory.CleanUp() }
