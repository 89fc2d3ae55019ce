package backoffice

import (
	"context"
	"sync"
)

// Lent is the memory of the rows that are read for one request. It is used again when the request is over, because the
// rows of an answer are most of what a request allocates. Texts are never lent: whoever keeps a text of a row keeps it
// for good.
type Lent struct {
	mu   sync.Mutex
	lent []Memory
}

// Memory is a piece of memory that was lent.
type Memory interface {
	// TakeBack erases it and lets others have it.
	TakeBack()
}

type lentKey struct{}

// WithLent lets readers put rows into memory that TakeBack takes back.
func WithLent(ctx context.Context, lent *Lent) context.Context {
	return context.WithValue(ctx, lentKey{}, lent)
}

// LentIn is what is lent to the reads of a context; nil when rows are the caller's own.
func LentIn(ctx context.Context) *Lent {
	lent, _ := ctx.Value(lentKey{}).(*Lent)
	return lent
}

// Lend notes what is to be taken back.
func (l *Lent) Lend(m Memory) {
	l.mu.Lock()
	l.lent = append(l.lent, m)
	l.mu.Unlock()
}

// TakeBack takes all of it back. No row that was read may be looked at afterwards, and no read may still run.
func (l *Lent) TakeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.lent {
		m.TakeBack()
	}
	clear(l.lent)
	l.lent = l.lent[:0]
}
