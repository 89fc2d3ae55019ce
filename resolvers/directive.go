package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// HasScope is the schema's @hasScope: only credentials with the scope may select the field or give the input a value.
// Null passes: it has no effect in a filter or a creation, and the domain rejects it in an update without the scope.
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

func isNull(value any) bool {
	text, isText := value.(*string)
	return value == nil || isText && text == nil
}
