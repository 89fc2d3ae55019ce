package gateway

import (
	"context"

	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/loaders"
)

// The executor knows what an operation selects, and the loaders what to read for it; this connects the two.

// selectedFields are the fields that an operation selects of the rows that a field returns.
func selectedFields(selection execute.Selection) any { return loaders.NewFields(selection.Names()) }

func withSelectedFields(ctx context.Context, fields any) context.Context {
	return loaders.WithFields(ctx, fields.(*loaders.Fields))
}
