package loaders

import (
	"context"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// Fields are the GraphQL fields that an operation selects of the rows that one of its fields returns. They are made
// once per plan and used by every request that runs it; each noun's columns for them are worked out once.
type Fields struct {
	names []string
	known sync.Map // of backoffice.Columns by backoffice.Noun
}

// NewFields takes the names, each once or more.
func NewFields(names []string) *Fields { return &Fields{names: names} }

type fieldsKey struct{}

// WithFields tells the loaders which fields of the rows that are asked for in this context will be shown, so that they
// read no others. Without it, all are read.
func WithFields(ctx context.Context, fields *Fields) context.Context {
	return context.WithValue(ctx, fieldsKey{}, fields)
}

// Selects reports whether a field of the rows that are asked for in this context will be shown.
func Selects(ctx context.Context, field string) bool {
	fields, told := ctx.Value(fieldsKey{}).(*Fields)
	return !told || slices.Contains(fields.names, field)
}

func (f *Fields) columns(noun backoffice.Noun, columnsOf func([]string) backoffice.Columns) backoffice.Columns {
	if known, ok := f.known.Load(noun); ok {
		return known.(backoffice.Columns)
	}
	columns := columnsOf(f.names)
	f.known.Store(noun, columns)
	return columns
}
