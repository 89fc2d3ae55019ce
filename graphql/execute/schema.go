package execute

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// Schema is generated code's description of a GraphQL schema.
type Schema struct {
	Objects  []*Object
	Query    string // the name of the root of queries
	Mutation string // that of mutations; empty when there are none

	// Subscription is the name of the type of subscription events; its requested field is not resolved.
	Subscription string
}

type Object struct {
	Name   string
	Is     []string // the type conditions that match: its own name and those of its interfaces and unions
	Fields []*Field
}

// Field is a field of an object type. It has either Leaf or Call.
type Field struct {
	Name            string
	NonNull         bool
	NonNullElements bool     // of a list of objects
	List            bool     // of objects
	Types           []string // the object types that it may return; none for scalars and enums

	// Leaf appends a scalar or enum read from an object, or null, and reports whether the value is there.
	Leaf func(w *Writer, object any) bool

	// Call returns a column with a result per object (one at the root). Its error is for all, or BatchErrors.
	Call func(ctx context.Context, objects List, args map[string]any) (Column, error)
	// Resolver is set when Call runs a resolver, and so belongs to a level; otherwise Call only reads the objects.
	Resolver bool
	// Args decodes arguments; nil for a field without any.
	Args func(ctx context.Context, raw map[string]any) (map[string]any, error)
	// Identified is the object of a field of Query with the identifier in the argument id alone; nil without one.
	Identified func(args map[string]any) List
	// Guard runs the field's directives around a call; nil for none.
	Guard func(ctx context.Context, next graphql.Resolver) (any, error)
}

// List is the objects of one type in one level, none of them nil.
type List interface {
	Len() int
	At(i int) any
}

type Of[T any] []T

func (l Of[T]) Len() int     { return len(l) }
func (l Of[T]) At(i int) any { return l[i] }

// root is the list of the one object of root fields.
var root List = Of[struct{}]{{}}

// Each calls get for each of the objects. Each object for which it fails or panics has its own error.
func Each[T, R any](ctx context.Context, objects List, get func(T) (R, error)) ([]R, error) {
	list, results := objects.(Of[T]), make([]R, objects.Len())
	var faults graphql.BatchErrorList
	for i := 0; i < len(list); {
		var err error
		if i, err = eachFrom(ctx, i, list, results, get); err != nil {
			if faults == nil {
				faults = make(graphql.BatchErrorList, len(list))
			}
			faults[i-1] = err
		}
	}
	if faults != nil {
		return results, faults
	}
	return results, nil
}

// eachFrom stops after the first object that fails: the one before next.
func eachFrom[T, R any](ctx context.Context, i int, list []T, results []R, get func(T) (R, error)) (
	next int, err error) {
	next = i
	defer func() {
		if fault := recover(); fault != nil {
			next, err = next+1, recovered(ctx, fault)
		}
	}()
	for ; next < len(list) && err == nil; next++ {
		results[next], err = get(list[next])
	}
	return next, err
}

func Pointers[R any](values []R) []*R {
	pointers := make([]*R, len(values))
	for i := range values {
		pointers[i] = &values[i]
	}
	return pointers
}

// PointerLists returns pointers to the values of each list; a nil list stays nil.
func PointerLists[R any](values [][]R) [][]*R {
	pointers := make([][]*R, len(values))
	for i, list := range values {
		if list != nil {
			pointers[i] = Pointers(list)
		}
	}
	return pointers
}
