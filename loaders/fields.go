package loaders

import (
	"context"
	"slices"
	"sync"

	"example.org/backoffice/backoffice"
)

// Fields are the GraphQL fields that an operation selects of the rows that one of its fields returns. They are made
// once per plan and shared by every request that runs it; the columns for them are computed once per noun.
type Fields struct {
	names []string
	known sync.Map // of backoffice.Columns by backoffice.Noun
}

// NewFields takes names that may repeat.
func NewFields(names []string) *Fields { return &Fields{names: names} }

type fieldsKey struct{}

// WithFields sets which fields of the rows loaded in this context are shown: no others are read. Without it, all are.
func WithFields(ctx context.Context, fields *Fields) context.Context {
	return context.WithValue(ctx, fieldsKey{}, fields)
}

// Selects reports whether a field of the rows that are loaded in this context will be shown.
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
