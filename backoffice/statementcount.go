package backoffice

import (
	"context"
	"sync/atomic"
)

// StatementCount counts the statements that a store was asked to run for a request.
type StatementCount struct{ n atomic.Int64 }

func (c *StatementCount) Count() int               { return int(c.n.Load()) }
func (c *StatementCount) Add(part *StatementCount) { c.n.Add(part.n.Load()) }

func WithStatementCount(ctx context.Context) (context.Context, *StatementCount) {
	calls := &StatementCount{}
	return WithRequest(ctx, func(r *Request) { r.Statements = calls }), calls
}

// StatementCountOf returns the counter of a context, nil for none.
func StatementCountOf(ctx context.Context) *StatementCount { return RequestOf(ctx).Statements }

func CountStatement(ctx context.Context) {
	if calls := StatementCountOf(ctx); calls != nil {
		calls.n.Add(1)
	}
}
