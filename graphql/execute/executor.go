package execute

import (
	"cmp"
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Options configure an Executor; the zero value works.
type Options struct {
	// Runner runs the resolvers of a level; Concurrently when nil.
	Runner Runner

	// Prepare is called once per plan for each field with a resolver. Attach gets its result before each call of that
	// resolver, so that loaders read only what is selected. The result is shared by all requests.
	Prepare func(Selection) any
	Attach  func(ctx context.Context, prepared any) context.Context

	// NeedsOnlyID reports whether a field's resolver needs only its object's identifier. Below a root field that takes
	// the identifier as its argument it then runs together with that field, in the same level and so in the same trip
	// to the store. If the object does not exist, its result is dropped.
	NeedsOnlyID func(object, field string) bool

	// Written gets the answer so far, at times and at its end; it must not keep it. Its error becomes the answer.
	Written func(ctx context.Context, answer []byte) error

	// Retry is called after all resolvers of a query and reports whether their reads are outdated: all are called anew.
	Retry func(ctx context.Context) bool

	// MaxErrors is how many errors of fields an answer keeps; 10,000 when 0. errorsOmitted counts the others.
	MaxErrors int
}

// ErrorsOmitted is the response extension that counts the errors that were not kept; absent when all were.
const ErrorsOmitted = "errorsOmitted"

// Executor is a graphql.ExecutableSchema whose Exec works a level at a time.
type Executor struct {
	graphql.ExecutableSchema
	options   Options
	published *ast.Schema
	schema    *linked
	plans     planCache
}

// New replaces gqlgen's Exec; everything else is left to generated. Package graph calls it.
func New(generated graphql.ExecutableSchema, schema Schema, options Options) *Executor {
	if options.Runner == nil {
		options.Runner = Concurrently
	}
	if options.Prepare == nil {
		options.Attach = nil
	}
	options.MaxErrors = cmp.Or(options.MaxErrors, 10_000)
	clients := published(generated.Schema())
	return &Executor{
		ExecutableSchema: generated, options: options, published: clients, schema: link(schema, clients),
		plans: planCache{limit: 16 << 20},
	}
}

func (e *Executor) Schema() *ast.Schema { return e.published }

// Forget drops the plans of an operation that was made for one request and will not be executed again.
func (e *Executor) Forget(operation *ast.OperationDefinition) { e.plans.forget(operation) }

// Exec returns the handler of a query or mutation; for subscriptions use Events. All work is done in the handler:
// errors that are added before it runs would make gqlgen drop the data.
func (e *Executor) Exec(ctx context.Context) graphql.ResponseHandler {
	if graphql.GetOperationContext(ctx).Operation.Operation == ast.Subscription {
		return e.ExecutableSchema.Exec(ctx)
	}
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		return e.respond(ctx)
	}
}

func (e *Executor) respond(ctx context.Context) *graphql.Response {
	r, all, err := e.start(ctx, root)
	if err != nil {
		graphql.AddError(ctx, err)
		return &graphql.Response{Data: []byte("null")}
	}
	p := r.plan
	w := newWriter(r, borrow(ctx, int(p.answer.Load())))
	w.object(all)
	w.checkSize()
	noteGrown(ctx, w.bytes)
	if w.ended != nil {
		graphql.AddError(ctx, w.ended)
		return &graphql.Response{}
	}
	w.finish()
	p.answer.Store(int64(len(w.bytes)))
	if w.omitted > 0 {
		graphql.RegisterExtension(ctx, ErrorsOmitted, w.omitted)
	}
	return &graphql.Response{Data: w.bytes}
}

// start calls all resolvers of the context's operation, for one object or several of its root type.
func (e *Executor) start(ctx context.Context, objects List) (*run, *group, error) {
	operation := graphql.GetOperationContext(ctx)
	p, err := e.planOf(operation)
	if err != nil {
		return nil, nil, err
	}
	r := &run{ctx: ctx, executor: e, operation: operation, plan: p}
	all := &group{selection: p.root, objects: objects}
	err = r.execute(all)
	if err == nil && e.options.Retry != nil && operation.Operation.Operation != ast.Mutation && e.options.Retry(ctx) {
		r = &run{ctx: ctx, executor: e, operation: operation, plan: p}
		all = &group{selection: p.root, objects: objects}
		err = r.execute(all)
	}
	return r, all, err
}

// planOf returns the plan of an operation, and keeps it for the next time.
func (e *Executor) planOf(operation *graphql.OperationContext) (*plan, error) {
	p, conditions, values := e.plans.find(operation)
	if p != nil {
		return p, nil
	}
	p, err := compile(e.schema, operation, e.options.Prepare, e.options.NeedsOnlyID)
	if err == nil {
		e.plans.put(operation, conditions, values, p)
	}
	return p, err
}
