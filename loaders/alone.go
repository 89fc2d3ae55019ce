package loaders

import (
	"context"
	"errors"
	"sync/atomic"

	"example.org/backoffice/backoffice"
)

// What a request reads with one statement is of one moment by itself, and a snapshot would cost a trip for nothing. The
// executor knows when one resolver is all that it will call; nearly all resolvers ask their loaders once.

type aloneKey struct{}

// alone counts what the only resolver of a request has asked.
type alone struct{ asked atomic.Bool }

// Alone is the context for the only resolver of a request.
func Alone(ctx context.Context) context.Context {
	return context.WithValue(ctx, aloneKey{}, &alone{})
}

// AsksAgain is the context for a resolver that asks more than once.
func AsksAgain(ctx context.Context) context.Context {
	return context.WithValue(ctx, aloneKey{}, (*alone)(nil))
}

var errAsksAgain = errors.New("a resolver that asks again has not said so with loaders.AsksAgain")

// isAlone tells whether what is asked is all that the request reads. It fails when something was asked before: the two
// would be of different moments.
func isAlone(ctx context.Context) (bool, error) {
	a, _ := ctx.Value(aloneKey{}).(*alone)
	if a != nil && a.asked.Swap(true) {
		return false, backoffice.Fault(errAsksAgain, "reading at one moment")
	}
	return a != nil, nil
}
