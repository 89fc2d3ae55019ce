package backoffice

import (
	"context"
	"sync"
)

// Caller is the credential pair on whose behalf a request asks the store. With it a store whose reads can be answered in
// several places shows callers their own writes, and answers one request in one place.
type Caller struct {
	ClientID string

	mu    sync.Mutex
	place any
}

// Place returns where the store answers this request's reads: choose is told what was noted before, nil the first time,
// and its answer is noted. Others of the same request wait meanwhile.
func (c *Caller) Place(choose func(noted any) any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.place = choose(c.place)
	return c.place
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
