package graphqlhttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// For answers that consist of several executions, such as an export's pages. A request is read, prepared and executed
// like any other, but the executed operations are derived from the requested one.

type Asked struct{ request }

// Ask reads the body of a POST. Errors: those of a body, as *RequestError.
func (g *GraphQL) Ask(w http.ResponseWriter, r *http.Request) (Asked, error) {
	if r.Method != http.MethodPost {
		return Asked{}, wrongMethod(http.MethodPost)
	}
	asked, refused := g.read(w, r)
	if refused != nil {
		return Asked{}, refused
	}
	return Asked{asked}, nil
}

// Query is a parsed, validated operation with its variables, without a price. Only the fields of the struct may change.
type Query struct {
	Schema    *ast.Schema
	Document  *ast.QueryDocument
	Operation *ast.OperationDefinition
	Variables map[string]any

	header  http.Header
	name    string
	shape   string
	depth   int
	least   int
	rows    limits.Rows
	guarded map[string]bool // of Describe
}

// Query prepares a requested operation; header is the request's. Errors: *RequestError.
func (g *GraphQL) Query(ctx context.Context, asked Asked, header http.Header) (*Query, error) {
	document, errs := g.documentOf(ctx, asked.request)
	if errs != nil {
		return nil, requestError(errs...)
	}
	operation, refused := document.operation(asked.operationName)
	if refused != nil {
		return nil, requestError(refused)
	}
	variables, refused := g.variables(document, operation, asked.variables)
	if refused != nil {
		return nil, requestError(refused)
	}
	return &Query{
		Schema: g.schema, Document: document.ast, Operation: operation.OperationDefinition, Variables: variables,
		header: header, name: asked.operationName, shape: document.shape, depth: document.depth,
		rows: g.rows(ctx),
	}, nil
}

// Price computes what an operation costs with these variables, and checks it against the limits. Errors: *RequestError.
func (g *GraphQL) Price(q *Query, variables map[string]any) (cost int, err error) {
	price := g.limits.Price(g.schema, q.Operation)
	cost, q.least = price.Cost(variables, q.rows), price.Least(variables, q.rows)
	if refused := price.Check(cost); refused != nil {
		return cost, requestError(refused)
	}
	return cost, nil
}

// Part is the answer of one execution. End it.
type Part struct {
	Data []byte // JSON, valid until the end
	g    *GraphQL
	ctx  context.Context
	served
	cancel context.CancelFunc
}

// Part executes a query with these variables when it is its turn, as an operation of its own: with its own session,
// register's ledger, budget and snapshot, on primary servers, and without leaving its lists in the cache. An error of
// any field fails all of it. Errors: *RequestError, and those of the hooks. written gets the answer so far, from time
// to time and at its end; it may yet turn out to be an error.
func (g *GraphQL) Part(ctx context.Context, q *Query, variables map[string]any, cost int,
	written func(answer []byte)) (_ *Part, err error) {
	p := &Part{g: g}
	defer func() {
		if err != nil {
			p.End()
		}
	}()
	ctx = backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.ReadOnce, r.Written = true, written })
	ctx, p.cancel = context.WithTimeout(ctx, g.limits.Time)
	if g.hooks.Begin != nil {
		ctx, p.run, err = g.hooks.Begin(ctx, Entry{Cost: cost, Least: q.least, Part: true})
	}
	if err != nil {
		return nil, err
	}
	backoffice.FollowOnPrimary(ctx)
	operation := &graphql.OperationContext{
		RawQuery: q.shape, Variables: variables, OperationName: q.name, Headers: q.header, Operation: q.Operation,
		Doc: q.Document, RecoverFunc: g.Recover,
	}
	p.ctx = graphql.WithOperationContext(ctx, operation)
	response := g.response(p.ctx, operation, p.run)
	if late(p.ctx, operation, response) {
		return nil, context.DeadlineExceeded
	}
	if refused := g.tooLarge(response); refused != nil {
		return nil, requestError(refused)
	}
	if len(response.Errors) > 0 {
		return nil, requestError(response.Errors[:1]...)
	}
	p.Data = response.Data
	return p, nil
}

// MayLeave makes the register's entries durable before any of the part's bytes are sent, also when its time has passed
// while the client took earlier parts. Errors: *RequestError.
func (p *Part) MayLeave() error {
	ctx := p.ctx
	if backoffice.EndOfRights(ctx) == nil {
		ctx = context.WithoutCancel(ctx)
	}
	if withheld := p.g.beforeWrite(ctx); withheld != nil {
		return requestError(withheld)
	}
	return nil
}

// End releases what the part holds, including its data.
func (p *Part) End() {
	p.end()
	p.cancel()
	p.Data = nil
}

// IsKind reports whether an error is of a kind, or refuses a request by its code.
func IsKind(kind backoffice.Kind, err error) bool {
	if refused, ok := errors.AsType[*RequestError](err); ok {
		return codeOfError(refused.errs[0]) == codeOf(kind)
	}
	return backoffice.KindOf(err) == kind
}

// Done reports the outcome of a request answered in parts, and drops its plans. refused is nil for a whole answer.
func (g *GraphQL) Done(ctx context.Context, q *Query, cost, status int, refused *RequestError) {
	o := Outcome{Status: status, Cost: cost}
	if q != nil {
		o.Operation, o.Type = backoffice.ShownName(q.Operation.Name), string(q.Operation.Operation)
		o.Shape, o.Depth = q.shape, q.depth
		if g.plans != nil {
			g.plans.Forget(q.Operation)
		}
	}
	if refused != nil {
		o.Codes = codesOf(refused.errs)
	}
	if g.hooks.Done != nil {
		g.hooks.Done(ctx, o)
	}
}

// RequestErrorOf is a client's view of an error. The cause of an internal fault is logged here.
func (g *GraphQL) RequestErrorOf(ctx context.Context, err error) *RequestError {
	if refused, ok := errors.AsType[*RequestError](err); ok {
		return refused
	}
	return requestError(g.Present(ctx, err))
}
