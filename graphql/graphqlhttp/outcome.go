package graphqlhttp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

func (g *GraphQL) answerOf(ctx context.Context, media string, operation *graphql.OperationContext,
	r *graphql.Response) answer {
	if late(ctx, operation, r) {
		return refusal(media, g.Present(ctx, cmp.Or(backoffice.EndOfRights(ctx), context.DeadlineExceeded)))
	}
	if refused := g.tooLarge(r); refused != nil {
		return refusal(media, refused)
	}
	if err := g.beforeWrite(ctx); err != nil {
		return refusal(media, err)
	}
	a := answer{status: http.StatusOK, media: media, data: r.Data, errors: r.Errors, extensions: r.Extensions}
	if len(a.errors) == 0 {
		return a
	}
	if g.cameToNothing(a, operation.Operation.Operation) {
		a.data = nil
	}
	if whole := a.data == nil || string(a.data) == "null"; whole {
		a.status = statusOfFailure(a.errors, media, a.data == nil)
	}
	if most := g.limits.FieldErrors; len(a.errors) > most {
		before, _ := a.extensions[errorsOmitted].(int) // the executor too drops errors beyond a limit
		a.extensions = with(a.extensions, errorsOmitted, before+len(a.errors)-most)
		a.errors = a.errors[:most]
	}
	return a
}

// beforeWrite returns the reason that nothing of an answer may be shown, or nil.
func (g *GraphQL) beforeWrite(ctx context.Context) *gqlerror.Error {
	switch err := backoffice.CommitLedger(ctx); {
	case err == nil:
		return nil
	case backoffice.Denies(err):
		return g.Present(ctx, err)
	default:
		g.log(ctx, slog.LevelWarn, "withheld an answer", err)
		return failure(codeUnavailable, "the answer cannot be returned now; try again later")
	}
}

// cameToNothing reports whether an answer is all nulls because the store is unavailable. Its status makes clients and
// balancers retry, like that of an answer without data. A slow mutation may still have run.
func (g *GraphQL) cameToNothing(a answer, operation ast.Operation) bool {
	away := func(err *gqlerror.Error) bool {
		code := codeOfError(err)
		return code == codeUnavailable || code == codeTimeout && operation != ast.Mutation
	}
	var fields map[string]json.RawMessage
	if !slices.ContainsFunc(a.errors, away) || json.Unmarshal(a.data, &fields) != nil || len(fields) == 0 {
		return false
	}
	for _, value := range fields {
		switch text := string(value); {
		case text == `"`+g.schema.Query.Name+`"`, // __typename
			g.schema.Mutation != nil && text == `"`+g.schema.Mutation.Name+`"`:
		case text == "[]" || strings.Trim(text, "[nul, ]") != "":
			return false
		}
	}
	return true
}

// errorsOmitted is the extension that counts the errors that are not shown.
const errorsOmitted = "errorsOmitted"

// tooLarge is the error of an answer that exceeds the size limit: then it has no data, and no other error.
func (g *GraphQL) tooLarge(response *graphql.Response) *gqlerror.Error {
	for _, err := range response.Errors {
		if codeOfError(err) == limits.CodeAnswer {
			return failure(limits.CodeAnswer, "%s", err.Message)
		}
	}
	if len(response.Data) > g.limits.Answer {
		return failure(limits.CodeAnswer, "the answer would be larger than %d bytes", g.limits.Answer)
	}
	return nil
}

// late reports whether the deadline cut the answer short. A mutation's result is reported all the same.
func late(ctx context.Context, operation *graphql.OperationContext, response *graphql.Response) bool {
	if response == nil {
		return true
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || operation.Operation.Operation == ast.Mutation {
		return false
	}
	return slices.Contains(codesOf(response.Errors), codeTimeout)
}

// statusOfFailure is the status of an executed operation without data: that of the first internal fault, else 200, or
// that of the first error when execution did not begin.
func statusOfFailure(errs gqlerror.List, media string, unbegun bool) int {
	for _, err := range errs {
		switch code := codeOfError(err); code {
		case codeUnavailable, codeTimeout, codeInternal, codeRateLimited:
			return statusOf(code, media)
		}
	}
	if unbegun {
		return statusOf(codeOfError(errs[0]), media)
	}
	return http.StatusOK
}

// with adds to extensions without changing the response's own map.
func with(extensions map[string]any, key string, value any) map[string]any {
	added := make(map[string]any, len(extensions)+1)
	maps.Copy(added, extensions)
	added[key] = value
	return added
}

func codesOf(errs gqlerror.List) []string {
	var codes []string
	for _, err := range errs {
		if code := codeOfError(err); !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}
