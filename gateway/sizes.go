package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/limits"
)

// sizes are how many records of each noun there are, for prices. They are read again when an operation is priced by
// them and they are older than keepSizes; those who find that under way go by the old ones.
type sizes struct {
	store counting
	keep  time.Duration
	mu    sync.Mutex
	known atomic.Pointer[map[backoffice.Noun]int]
	read  time.Time
}

type counting interface {
	Rows(ctx context.Context) (map[backoffice.Noun]int, error)
}

const keepSizes = 5 * time.Second

func sizesOf(store backoffice.Store) *sizes {
	counting, _ := store.(counting)
	return &sizes{store: counting, keep: keepSizes}
}

// rows are what the prices of the context's pair go by. The store's own would tell a restricted pair how many records
// there are that it does not see.
func (s *sizes) rows(ctx context.Context) limits.Rows {
	principal := auth.From(ctx)
	if principal != nil && principal.Restriction.IsSet() {
		return limits.Nominal
	}
	return func(noun backoffice.Noun) int {
		if noun == backoffice.NounMinfin && !principal.Has(backoffice.MinfinRead) {
			return 0
		}
		return s.of(noun)
	}
}

func (s *sizes) of(noun backoffice.Noun) int {
	if s.store == nil {
		return 0
	}
	if known := s.known.Load(); known == nil {
		s.mu.Lock()
	} else if !s.mu.TryLock() {
		return (*known)[noun]
	}
	defer s.mu.Unlock()
	if time.Since(s.read) >= s.keep {
		s.read = time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // no statement of the request
		defer cancel()
		if rows, err := s.store.Rows(ctx); err == nil { // else the old ones
			s.known.Store(&rows)
		}
	}
	if known := s.known.Load(); known != nil {
		return (*known)[noun]
	}
	return 0
}
