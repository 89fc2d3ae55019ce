package backoffice

import "context"

// Request is what a context carries of the request that it belongs to: who asks, within which bounds, and who counts.
// It is replaced as a whole, and never changed.
type Request struct {
	Principal   *Principal // nil when nobody is signed in
	Session     *Session
	Restriction Restriction
	Budget      *Budget
	Timeline    *Timeline
	Statements  *StatementCount
	act         *Act
	drawings    *drawings

	WithoutMemory bool // a snapshot that begins reads from the store alone
	ReadOnce      bool // a snapshot that begins leaves no lists in memory, and records only that were asked for before
}

type requestKey struct{}

var noRequest Request

// RequestOf is the request of a context, never nil: an empty one where there is none.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &noRequest
}

// WithRequest gives a context its request with some of it set.
func WithRequest(ctx context.Context, set func(*Request)) context.Context {
	r := *RequestOf(ctx)
	set(&r)
	return context.WithValue(ctx, requestKey{}, &r)
}
