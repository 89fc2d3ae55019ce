package graphqlhttp

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
)

type prepared struct {
	operation
	variables map[string]any
	cost      int
	least     int // of it, the charge in any case
	depth     int
	explain   explain
	key       *answers.Key // nil when the answer is not kept, nor shared with other subscribers
	context   *graphql.OperationContext
	trustedAs string // the identifier by which a subscription was found; "" for a text
}

func (q *prepared) isSubscription() bool { return q.Operation == ast.Subscription }

// prepare prepares a requested operation, or answers with the reason that it may not be executed.
func (g *GraphQL) prepare(ctx context.Context, asked request, header http.Header, media string,
	outcome *served) (*prepared, *answer) {
	document, errs := g.documentOf(ctx, asked)
	if errs != nil {
		return nil, new(refusal(media, errs...))
	}
	operation, refused := document.operation(asked.operationName)
	if refused != nil {
		return nil, new(refusal(media, refused))
	}
	outcome.Operation = backoffice.ShownName(operation.Name)
	outcome.Type, outcome.Shape, outcome.Depth = string(operation.Operation), document.shape, document.depth
	if asked.queriesOnly && operation.Operation != ast.Query {
		a := refusal(media, failure(codeBadInput, "only a query can be sent with GET or QUERY"))
		if a.status, a.allow = http.StatusMethodNotAllowed, http.MethodPost; asked.inBody {
			a.status, a.allow = http.StatusUnprocessableEntity, ""
		}
		return nil, &a
	}
	variables, refused := g.variables(document, operation, asked.variables)
	if refused != nil {
		return nil, new(refusal(media, refused))
	}
	q := &prepared{operation: operation, variables: variables, depth: document.depth, explain: asked.explain}
	if q.isSubscription() && (asked.query == "" || backoffice.TrustedOnly(ctx)) {
		q.trustedAs = cmp.Or(asked.documentID, backoffice.DocumentID(asked.query))
	}
	rows := g.rows(ctx)
	q.cost, q.least = operation.price.Cost(variables, rows), operation.price.Least(variables, rows)
	if operation.Operation != ast.Query {
		q.least = q.cost
	}
	outcome.Cost = q.cost
	if asked.explain != explainPlan { // it reports the fault itself
		refused = operation.price.Check(q.cost)
	}
	if err := operation.price.CheckPages(variables); refused == nil && err != nil {
		refused = g.Present(ctx, err)
	}
	if refused == nil && asked.explain != explainPlan {
		// Nothing may disclose registration numbers without a stated purpose.
		err := backoffice.CheckPurpose(ctx)
		if err != nil && slices.Contains(g.scopesOf(q), string(backoffice.PrivacyRead)) {
			refused = g.Present(ctx, err)
		}
	}
	if refused != nil {
		return nil, new(g.explained(ctx, refusal(media, refused), q))
	}
	if (g.hooks.Keeps || q.isSubscription()) && document.keepable && q.explain == explainNothing && !holdsKey(variables, g.documents.guarded) {
		q.key = answers.KeyOf(ctx, document.digest, q.OperationDefinition, variables)
	}
	text := document.text
	if document.guarded { // the executor must not keep its plan
		text = ""
	}
	q.context = &graphql.OperationContext{
		RawQuery:      text,
		Variables:     variables,
		OperationName: asked.operationName,
		Doc:           document.ast,
		Headers:       header,
		Operation:     operation.OperationDefinition,
		RecoverFunc:   g.Recover,
	}
	return q, nil
}

// inTime executes a part of a request that may itself take longer than an operation.
func (g *GraphQL) inTime(ctx context.Context, media string, q *prepared, outcome *served) answer {
	ctx, cancel := context.WithTimeout(ctx, g.limits.Time)
	defer cancel()
	q.key = nil
	return g.executed(ctx, media, q, outcome, true)
}

func (g *GraphQL) executed(ctx context.Context, media string, q *prepared, outcome *served, part bool) answer {
	ctx, err := g.begin(ctx, q, Entry{Cost: q.cost, Least: q.least, Part: part, Key: q.key}, outcome)
	if err != nil {
		return g.refused(ctx, media, q, cmp.Or(backoffice.EndOfRights(ctx), err))
	}
	if kept := outcome.kept(); kept != nil {
		a := g.answerOf(ctx, media, q.context, &graphql.Response{Data: kept.Data()})
		a.keepable, a.kept = a.data != nil, kept
		return a
	}
	ctx = graphql.WithOperationContext(ctx, q.context)
	a := g.answerOf(ctx, media, q.context, g.response(ctx, q.context, outcome.run))
	if q.key != nil {
		a.keepable = outcome.keep(a)
	}
	return g.explained(ctx, a, q)
}

func (s *served) kept() *answers.Answer {
	if s.run == nil {
		return nil
	}
	return s.run.Kept()
}

// keep offers an answer that is data alone, and reports whether it is.
func (s *served) keep(a answer) bool {
	if s.run == nil || a.data == nil || a.status != http.StatusOK || len(a.errors) > 0 || len(a.extensions) > 0 {
		return false
	}
	s.run.Keep(a.data)
	return true
}

func (g *GraphQL) begin(ctx context.Context, q *prepared, e Entry, outcome *served) (_ context.Context, err error) {
	if q.explain == explainCost {
		ctx, _ = backoffice.WithTimeline(ctx)
	}
	if g.hooks.Begin != nil {
		ctx, outcome.run, err = g.hooks.Begin(ctx, e)
	}
	if backoffice.TimelineOf(ctx) != nil && q.context.RawQuery != "" {
		outcome.Document = backoffice.DocumentID(q.context.RawQuery)
	}
	outcome.within = ctx
	return ctx, err
}

func (g *GraphQL) response(ctx context.Context, of *graphql.OperationContext, run Run) (response *graphql.Response) {
	if run != nil {
		defer func() {
			bytes := 0
			if response != nil {
				bytes = len(response.Data)
			}
			run.Executed(bytes, response != nil)
		}()
	}
	responses, ctx := g.executor.DispatchOperation(ctx, of)
	return responses(ctx)
}
