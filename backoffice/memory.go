package backoffice

import (
	"context"
	"errors"
)

// ErrMoved is the cause of a read's error when rows that a query took from memory were changed before its next read:
// the two are not of one snapshot. Read again from the start, in a context WithoutMemory.
var ErrMoved = errors.New("what a query had taken from memory was changed before its next read")

// Moved makes the error of such a read: Unavailable, for those who do not read again.
func Moved() error {
	return &Error{Kind: Unavailable, Message: "the data were changed while they were read; try again", Cause: ErrMoved}
}

func WithoutMemory(ctx context.Context) context.Context {
	return WithRequest(ctx, func(r *Request) { r.WithoutMemory = true })
}
