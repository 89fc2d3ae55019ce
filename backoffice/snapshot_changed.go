package backoffice

import (
	"context"
	"errors"
)

// ErrSnapshotChanged is the cause if rows from memory changed before the next read. Read anew with ForRetry.
var ErrSnapshotChanged = errors.New("cached data was changed before the query's next read")

// SnapshotChanged is the error of such a read: Unavailable, for callers that do not read again.
func SnapshotChanged() error {
	return &Error{Kind: Unavailable, Message: "the data changed while being read; try again", Cause: ErrSnapshotChanged}
}

// ForRetry returns the context in which a query reads again, without the cache. What it consulted before is not
// answered, so the ledger forgets it. Not for mutations: what they compare with stays consulted.
func ForRetry(ctx context.Context) context.Context {
	if ledger := RequestOf(ctx).Ledger; ledger != nil {
		ledger.Forget()
	}
	return WithRequest(ctx, func(r *Request) { r.WithoutCache = true })
}
