package backoffice

import (
	"context"
	"sync/atomic"
)

// Calls counts the statements that a store was asked to run on behalf of a request.
type Calls struct{ n atomic.Int64 }

// Count is how many there were so far.
func (c *Calls) Count() int { return int(c.n.Load()) }

type callsKey struct{}

// WithCalls returns a context in which a store's statements are counted.
func WithCalls(ctx context.Context) (context.Context, *Calls) {
	calls := &Calls{}
	return context.WithValue(ctx, callsKey{}, calls), calls
}

// CallsOf returns the counter of a context, nil when nothing counts.
func CallsOf(ctx context.Context) *Calls {
	calls, _ := ctx.Value(callsKey{}).(*Calls)
	return calls
}

// CountCall counts one statement; a store calls it.
func CountCall(ctx context.Context) {
	if calls := CallsOf(ctx); calls != nil {
		calls.n.Add(1)
	}
}
