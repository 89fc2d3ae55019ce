package loaders

import (
	"context"
	"sync/atomic"

	"example.org/backoffice/backoffice"
)

// Fields are the GraphQL fields that an operation selects of the rows that one of its fields returns. They are made
// once per plan and used by every request that runs it; each noun's columns for them are worked out once.
type Fields struct {
	names []string
	known [16]atomic.Uint64 // by noun: columns, and the top bit that says that they are known
}

const columnsKnown = 1 << 63

// NewFields takes the names, each once or more.
func NewFields(names []string) *Fields { return &Fields{names: names} }

type fieldsKey struct{}

// WithFields tells the loaders which fields of the rows that are asked for in this context will be shown, so that they
// read no others. Without it, all are read.
func WithFields(ctx context.Context, fields *Fields) context.Context {
	return context.WithValue(ctx, fieldsKey{}, fields)
}

func (f *Fields) columns(noun int, columnsOf func([]string) backoffice.Columns) backoffice.Columns {
	if known := f.known[noun].Load(); known != 0 {
		return backoffice.Columns(known &^ columnsKnown)
	}
	columns := columnsOf(f.names)
	f.known[noun].Store(uint64(columns) | columnsKnown)
	return columns
}
