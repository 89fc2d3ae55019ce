// Package inputs holds the inputs and payloads of GraphQL's mutations as gqlgen binds them, and turns an input into
// what the domain takes. In an input of an update, absent, null and a value are three things.
//
// It must not hold a rule: those are the domain's.
package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
)

// sent tells the domain what was sent of a field of an update.
func sent[T any](field graphql.Omittable[*T]) backoffice.Optional[T] {
	if !field.IsSet() {
		return backoffice.Optional[T]{}
	}
	return backoffice.NullOr(field.Value())
}

// sentList is sent for a list, which is null when it is nil.
func sentList[T any](field graphql.Omittable[[]T]) backoffice.Optional[[]T] {
	switch {
	case !field.IsSet():
		return backoffice.Optional[[]T]{}
	case field.Value() == nil:
		return backoffice.Null[[]T]()
	}
	return backoffice.Value(field.Value())
}
