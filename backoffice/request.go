package backoffice

import "context"

// Request is a context with what it carries of the request that it belongs to: who asks, within which bounds, at which
// moment, and who counts. It is replaced as a whole, and never changed.
type Request struct {
	context.Context
	ID            string     // by which it is logged
	Principal     *Principal // nil when nobody is signed in
	Session       *Session
	Restriction   Restriction
	Budget        *Budget
	Timeline      *Timeline
	Statements    *StatementCount
	Snapshot      Snapshot            // nil for reads that are each of their own moment
	Ledger        Ledger              // nil discloses no registration number
	CostBudget    CostBudget          // nil for a caller without one
	Written       func(answer []byte) // is shown what is written of an answer of GraphQL, if it is set
	act           *Act
	drawings      *drawings
	WithoutMemory bool // a snapshot that begins reads from the store alone
	ReadOnce      bool // a snapshot that begins leaves no lists in memory, and records only that were asked for before
}

// Snapshot is the moment at which all of a context is read, as one layer of what reads knows it.
type Snapshot interface {
	Unwrap() Snapshot // as the next layer knows it, nil for the last one
	Close()
}

// SnapshotOf finds a layer by its type, nil where there is none.
func SnapshotOf[Layer Snapshot](ctx context.Context) (layer Layer) {
	for at := RequestOf(ctx).Snapshot; at != nil; at = at.Unwrap() {
		if found, ok := at.(Layer); ok {
			return found
		}
	}
	return layer
}

// BeginSnapshot begins a moment of a store, at which all is read in the context that it returns, until end is called.
func BeginSnapshot(ctx context.Context, of interface {
	BeginSnapshot(ctx context.Context) Snapshot
}) (at context.Context, end func()) {
	snapshot := of.BeginSnapshot(ctx)
	return WithRequest(ctx, func(r *Request) { r.Snapshot = snapshot }), snapshot.Close
}

// Ledger is what a request has consulted of registration numbers.
type Ledger interface {
	// Commit makes it durable.
	Commit(ctx context.Context) error
	// CheckPurpose rejects a caller who may see the numbers and does not say why, where that is asked.
	CheckPurpose() error
}

// CommitLedger makes durable what a request has consulted, before anything of its answer leaves. An error keeps all
// of it back: Unavailable, every later time too, or the reason for which the caller may not go on.
func CommitLedger(ctx context.Context) error {
	if err := EndOfRights(ctx); err != nil {
		return err
	}
	if ledger := RequestOf(ctx).Ledger; ledger != nil {
		return ledger.Commit(ctx)
	}
	return nil
}

// CheckPurpose rejects a request that would be told registration numbers and does not say why, where that is asked, so
// that nothing is done whose answer could not be shown: BadInput.
func CheckPurpose(ctx context.Context) error {
	if ledger := RequestOf(ctx).Ledger; ledger != nil {
		return ledger.CheckPurpose()
	}
	return nil
}

// CostBudget is what a caller may spend on costs; Remaining is what is left of it, as clients are shown it.
type CostBudget interface{ Remaining() any }

type requestKey struct{}

// Value implements context.Context.
func (r *Request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

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
	if _, itself := ctx.(*Request); !itself {
		r.Context = ctx
	}
	set(&r)
	return &r
}
