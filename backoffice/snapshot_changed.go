package backoffice

import (
	"context"
	"errors"
)

// ErrSnapshotChanged is the cause if rows from memory changed before the next read. Read again from the start,
// WithoutCache.
var ErrSnapshotChanged = errors.New("cached data was changed before the query's next read")

// SnapshotChanged is the error of such a read: Unavailable, for callers that do not read again.
func SnapshotChanged() error {
	return &Error{Kind: Unavailable, Message: "the data changed while being read; try again", Cause: ErrSnapshotChanged}
}

func WithoutCache(ctx context.Context) context.Context {
	return WithRequest(ctx, func(r *Request) { r.WithoutCache = true })
}
