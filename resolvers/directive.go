package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// HasScope is the schema's @hasScope. A field is resolved only for a pair that holds the scope; an input field takes a
// value from such a pair only. A null passes: in a filter it is no filter, in a creation it is nothing, and in an
// update the domain refuses it for want of the same scope, so it never clears anything.
func HasScope(ctx context.Context, obj any, next graphql.Resolver, scope backoffice.Scope) (any, error) {
	missing := auth.Require(ctx, scope)
	if missing == nil {
		return next(ctx)
	}
	if _, isInput := obj.(map[string]any); isInput {
		if value, err := next(ctx); err == nil && isNull(value) {
			return value, nil
		}
	}
	return nil, missing
}

// isNull knows the nulls of the guarded inputs, which are texts.
func isNull(value any) bool {
	text, isText := value.(*string)
	return value == nil || isText && text == nil
}
