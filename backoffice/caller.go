package backoffice

import (
	"context"
	"sync"
)

// Caller is the credential pair on whose behalf a request asks the store. With it a store of several servers shows
// callers their own writes, and answers one request on one server.
type Caller struct {
	ClientID string

	mu     sync.Mutex
	server int // 0 is not chosen
}

// Primary is the number of the server that takes writes. Replicas have higher ones.
const Primary = 1

// Server is the number of the server that answers this request's reads; choose is called at the first one. Others of the
// same request wait meanwhile.
func (c *Caller) Server(choose func() int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server == 0 {
		c.server = choose()
	}
	return c.server
}

// StayOnPrimary keeps the rest of the request's reads on the primary.
func (c *Caller) StayOnPrimary() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.server = Primary
}

type callerKey struct{}

// WithCaller begins a request of a pair: what its context asks the store sees all that the pair wrote before.
func WithCaller(ctx context.Context, clientID string) context.Context {
	return context.WithValue(ctx, callerKey{}, &Caller{ClientID: clientID})
}

// CallerOf returns the caller of a context, nil when a request has none: then its reads see what was durable when they
// were asked.
func CallerOf(ctx context.Context) *Caller {
	caller, _ := ctx.Value(callerKey{}).(*Caller)
	return caller
}
