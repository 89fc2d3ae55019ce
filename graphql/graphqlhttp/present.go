package graphqlhttp

import (
	"context"
	"errors"
	"log/slog"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
)

// Present makes the caller's view of a resolver's error: the message of a backoffice.Error, with its code and the path,
// and "internal error" with the request's id for anything else, whose cause is logged here and nowhere else. It is
// gqlgen's error presenter, and may be used wherever a GraphQL error is made.
func (g *GraphQL) Present(ctx context.Context, err error) *gqlerror.Error {
	presented := &gqlerror.Error{Extensions: make(map[string]any, 2)}
	if located, ok := errors.AsType[*gqlerror.Error](err); ok {
		presented.Path, presented.Locations = located.Path, located.Locations
	}
	if presented.Path == nil {
		presented.Path = graphql.GetPath(ctx)
	}
	known, ok := errors.AsType[*backoffice.Error](err)
	kind := backoffice.KindOf(err)
	switch {
	case ok && kind != backoffice.Internal:
		presented.Message = backoffice.MaskDigits(known.Message)
		if kind == backoffice.Forbidden && known.RequiredScope != "" {
			presented.Extensions["requiredScope"] = known.RequiredScope.String()
		}
		if kind == backoffice.Unavailable && known.Cause != nil {
			g.log(ctx, slog.LevelWarn, "unavailable", known.Cause)
		}
	case kind == backoffice.Timeout, errors.Is(err, context.Canceled): // nobody sees the latter
		kind = backoffice.Timeout
		presented.Message = "the request took too long"
	default:
		presented.Message = "internal error"
		presented.Extensions["requestId"] = backoffice.RequestOf(ctx).ID
		if known != nil && known.Cause != nil {
			err = known.Cause
		}
		g.log(ctx, slog.LevelError, "internal error", err)
	}
	presented.Extensions["code"] = codeOf(kind)
	return presented
}

// Recover turns a panic below a resolver into an internal fault.
func (g *GraphQL) Recover(_ context.Context, panicked any) error {
	cause := backoffice.Recovered(panicked)
	return &backoffice.Error{Kind: backoffice.Internal, Message: "internal error", Cause: cause}
}

func (g *GraphQL) log(ctx context.Context, level slog.Level, message string, cause error) {
	g.Log.Log(ctx, level, message,
		"request", backoffice.RequestOf(ctx).ID, "cause", backoffice.MaskDigits(cause.Error()))
}
