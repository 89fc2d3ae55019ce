package backoffice

import "context"

// Request is a context with the state of its request. It is never changed, only replaced: see WithRequest.
type Request struct {
	context.Context
	ID           string     // in the log
	Principal    *Principal // nil when nobody is signed in
	Session      *Session
	Restriction  Restriction
	Budget       *Budget
	Timeline     *Timeline
	Statements   *StatementCount
	Snapshot     Snapshot            // nil: each read has its own
	Ledger       Ledger              // nil: no registration number is disclosed
	CostBudget   CostBudget          // nil: no budget
	Written      func(answer []byte) // gets what is written of a GraphQL answer; may be nil
	act          *Act
	drawings     *drawings
	WithoutCache bool // new snapshots read only from the store
	ReadOnce     bool // new snapshots leave no lists in memory, and only records that were asked for before
}

// Snapshot is the version of the data that a context reads, as one layer of stores knows it.
type Snapshot interface {
	Unwrap() Snapshot // that of the next layer, nil in the last
	Close()
}

// SnapshotOf finds a layer by its type, nil for none.
func SnapshotOf[Layer Snapshot](ctx context.Context) (layer Layer) {
	for at := RequestOf(ctx).Snapshot; at != nil; at = at.Unwrap() {
		if found, ok := at.(Layer); ok {
			return found
		}
	}
	return layer
}

// BeginSnapshot begins a snapshot of a store. All reads in the returned context are of it, until end is called.
func BeginSnapshot(ctx context.Context, of interface {
	BeginSnapshot(ctx context.Context) Snapshot
}) (at context.Context, end func()) {
	snapshot := of.BeginSnapshot(ctx)
	return WithRequest(ctx, func(r *Request) { r.Snapshot = snapshot }), snapshot.Close
}

// Ledger has the registration numbers that a request has consulted.
type Ledger interface {
	// Commit makes it durable.
	Commit(ctx context.Context) error
	// CheckPurpose rejects a caller who may see the numbers and gives no purpose, where one is required.
	CheckPurpose() error
	// Forget drops what was consulted since the last Commit.
	Forget()
}

// CommitLedger makes the ledger durable before any of the answer is sent. After an error nothing may be sent. Errors:
// Unavailable, also on each later call, or why the caller lost its rights.
func CommitLedger(ctx context.Context) error {
	if err := EndOfRights(ctx); err != nil {
		return err
	}
	if ledger := RequestOf(ctx).Ledger; ledger != nil {
		return ledger.Commit(ctx)
	}
	return nil
}

// CheckPurpose returns BadInput for a request that may read registration numbers and gives no purpose, where one is
// required. Call it before doing anything, because the answer could not be shown.
func CheckPurpose(ctx context.Context) error {
	if ledger := RequestOf(ctx).Ledger; ledger != nil {
		return ledger.CheckPurpose()
	}
	return nil
}

// CostBudget is the cost that a caller may spend. Remaining is what is left, as clients see it.
type CostBudget interface{ Remaining() any }

type requestKey struct{}

func (r *Request) Value(key any) any {
	if key == (requestKey{}) {
		return r
	}
	return r.Context.Value(key)
}

var noRequest Request

// RequestOf returns the request of a context; an empty one, never nil, if it has none.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &noRequest
}

// WithRequest returns a context with a changed copy of its request.
func WithRequest(ctx context.Context, set func(*Request)) context.Context {
	r := *RequestOf(ctx)
	if _, itself := ctx.(*Request); !itself {
		r.Context = ctx
	}
	set(&r)
	return &r
}
