package execute

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Options are what an Executor may be told; the zero value works.
type Options struct {
	// Runner runs the resolvers of a level; Concurrently when nil.
	Runner Runner

	// Prepare is called once per plan for each field with a resolver, and Attach before each call of that resolver with
	// what Prepare has made: so that loaders read only what is selected. What Prepare makes is shared by all requests.
	Prepare func(Selection) any
	Attach  func(ctx context.Context, prepared any) context.Context

	// Early lets resolvers run before the object is there that they are asked of.
	Early Early

	// PlanBytes is how much the kept plans may take, roughly; 16 MiB when 0.
	PlanBytes int
	// MaxErrors is how many errors of fields an answer keeps; 10,000 when 0. The number of the others is in the
	// response's extension errorsOmitted.
	MaxErrors int
}

// Early tells which resolvers need no more of an object than what the arguments of a root field tell of it: its identity.
// They run together with the root field, in its level and so in its trip to the store. If there is no such object,
// what they returned is forgotten.
type Early struct {
	// Object is a list of the one object that a root field of Query returns, with its identity alone; nil when its
	// arguments do not tell that.
	Object func(rootField string, args map[string]any) List
	// Enough tells whether the identity is all that the resolver of a field needs.
	Enough func(object, field string) bool
}

// ErrorsOmitted is the response extension that counts the errors that were not kept; absent when all were.
const ErrorsOmitted = "errorsOmitted"

// Executor is a graphql.ExecutableSchema whose Exec works a level at a time.
type Executor struct {
	graphql.ExecutableSchema
	schema    *linked
	plans     *planCache
	runner    Runner
	prepare   func(Selection) any
	attach    func(context.Context, any) context.Context
	early     Early
	maxErrors int
}

// New puts an Executor in the place of gqlgen's Exec; everything else is left to generated. Package graph calls it.
func New(generated graphql.ExecutableSchema, schema Schema, options Options) *Executor {
	e := &Executor{
		ExecutableSchema: generated, schema: link(schema), runner: options.Runner,
		prepare: options.Prepare, attach: options.Attach, early: options.Early, maxErrors: options.MaxErrors,
	}
	if e.runner == nil {
		e.runner = Concurrently
	}
	if options.Prepare == nil {
		e.attach = nil
	}
	if e.maxErrors == 0 {
		e.maxErrors = 10_000
	}
	if options.PlanBytes == 0 {
		options.PlanBytes = 16 << 20
	}
	e.plans = newPlanCache(options.PlanBytes)
	return e
}

// Exec gives the handler of an operation. All work is done in the handler: errors that are added before it runs would
// make gqlgen drop the data.
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
	operation := graphql.GetOperationContext(ctx)
	p, key := e.plans.find(operation)
	if p == nil {
		var err error
		if p, err = compile(e.schema, operation, e.prepare, e.early.Enough); err != nil {
			graphql.AddError(ctx, err)
			return &graphql.Response{Data: []byte("null")}
		}
		e.plans.put(key, p)
	}
	r := &run{ctx: ctx, executor: e, operation: operation, plan: p}
	all := &group{selection: p.root, objects: root}
	if err := r.execute(all); err != nil {
		graphql.AddError(ctx, err)
		return &graphql.Response{Data: []byte("null")}
	}
	w := Writer{run: r, bytes: borrow(ctx, int(p.answer.Load()))}
	w.object(all)
	w.finish()
	lend(ctx, w.bytes)
	if size := int64(len(w.bytes)); size > p.answer.Load() {
		p.answer.Store(size)
	}
	if w.omitted > 0 {
		graphql.RegisterExtension(ctx, ErrorsOmitted, w.omitted)
	}
	return &graphql.Response{Data: w.bytes}
}

// loan is the buffer of an answer, until it is written.
type loan struct{ buffer *[]byte }

type loanKey struct{}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// largestKept is the size, in bytes, up to which a buffer is used again.
const largestKept = 4 << 20

// Lend lets the answer of the request with this context be in a buffer that will be used again: its Data are valid
// until giveBack is called, which is to be done exactly once, when they are written. In any other context an answer has
// a buffer of its own.
func Lend(ctx context.Context) (lent context.Context, giveBack func()) {
	l := &loan{}
	return context.WithValue(ctx, loanKey{}, l), func() {
		if l.buffer != nil && cap(*l.buffer) <= largestKept {
			buffers.Put(l.buffer)
		}
		l.buffer = nil
	}
}

// borrow returns an empty buffer. size is the largest that an answer of this kind took so far.
func borrow(ctx context.Context, size int) []byte {
	if l, ok := ctx.Value(loanKey{}).(*loan); ok && l.buffer == nil {
		l.buffer = buffers.Get().(*[]byte)
		if cap(*l.buffer) >= size {
			return (*l.buffer)[:0]
		}
	}
	return make([]byte, 0, size+size/8+64)
}

// lend notes where the buffer has grown to.
func lend(ctx context.Context, grown []byte) {
	if l, ok := ctx.Value(loanKey{}).(*loan); ok && l.buffer != nil {
		*l.buffer = grown
	}
}
