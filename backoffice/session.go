package backoffice

import (
	"context"
	"sync"
)

// Session is the caller for whom a request reads the store. With it a store of several servers answers the request on
// one of them, and shows callers their own writes.
type Session struct {
	ClientID string
	Person   *Person // nil for a credential

	mu     sync.Mutex
	server int // 0: not chosen yet
}

// Primary is the number of the server that takes writes. Replicas have higher ones.
const Primary = 1

// Server returns the number of the server for this request's reads. The first read calls choose; others wait for it.
func (c *Session) Server(choose func() int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == 0 {
		c.server = choose()
	}
	return c.server
}

// StayOnPrimary keeps the rest of the request's reads on the primary. Without a session they are there anyway.
func (c *Session) StayOnPrimary() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = Primary
}

func NewSession(of *Principal) *Session { return &Session{ClientID: of.ClientID, Person: of.Person} }

// SessionOf returns the session of a context, nil for none: reads then see what was durable when they were made.
func SessionOf(ctx context.Context) *Session { return RequestOf(ctx).Session }
