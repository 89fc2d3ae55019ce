package backoffice

import (
	"context"
	"sync"
)

// Session is the credential pair on whose behalf a request asks the store. With it a store of several servers shows
// callers their own writes, and answers one request on one server.
type Session struct {
	ClientID string
	Person   *Person // nil for a pair

	mu     sync.Mutex
	server int // 0 is not chosen
}

// Primary is the number of the server that takes writes. Replicas have higher ones.
const Primary = 1

// Server is the number of the server that answers this request's reads; choose is called at the first one. Others of
// the same request wait meanwhile.
func (c *Session) Server(choose func() int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == 0 {
		c.server = choose()
	}
	return c.server
}

// StayOnPrimary keeps the rest of the request's reads on the primary. Nobody's, a nil session's, are there anyway.
func (c *Session) StayOnPrimary() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = Primary
}

func NewSession(of *Principal) *Session { return &Session{ClientID: of.ClientID, Person: of.Person} }

// SessionOf returns the caller of a context, nil for none: its reads then see what was durable when asked.
func SessionOf(ctx context.Context) *Session { return RequestOf(ctx).Session }
