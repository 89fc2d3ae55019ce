package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// sizes caches the number of records of each noun, for prices, for keepSizes.
type sizes struct {
	store backoffice.Store
	keep  time.Duration
	mu    sync.Mutex
	known atomic.Pointer[map[backoffice.Noun]int]
	read  time.Time
}

const keepSizes = 5 * time.Second

// rows are the counts that price operations of the context's credential: a restricted one's omit what it does not see.
func (s *sizes) rows(ctx context.Context) limits.Rows {
	principal := auth.From(ctx)
	if principal != nil && principal.Restriction.IsSet() {
		return limits.Nominal
	}
	return limits.Rows{Of: func(noun backoffice.Noun) int {
		if !principal.HasRequired(noun.RequiredScope()) {
			return 0
		}
		return s.of(noun)
	}}
}

func (s *sizes) of(noun backoffice.Noun) int {
	if known := s.known.Load(); known == nil {
		s.mu.Lock()
	} else if !s.mu.TryLock() {
		return (*known)[noun]
	}
	defer s.mu.Unlock()
	if time.Since(s.read) >= s.keep {
		s.read = time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // not within the request's statements
		defer cancel()
		if rows, err := s.store.Rows(ctx); err == nil { // else the old ones stay
			s.known.Store(&rows)
		}
	}
	if known := s.known.Load(); known != nil {
		return (*known)[noun]
	}
	return limits.Nominal.Of(noun)
}
