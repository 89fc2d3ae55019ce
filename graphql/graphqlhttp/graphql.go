package graphqlhttp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// Hooks join the transport to what it does not know. Each may be nil.
type Hooks struct {
	Begin     Begin
	Subscribe Subscribe // without it there are no subscriptions
	// Rows counts the records of each noun for the price of an operation, as its caller may know it.
	Rows func(context.Context) limits.Rows
	// Trusted finds a trusted document by an identifier, in any of its forms, if the caller may ask for it: NotFound
	// otherwise, and without the hook.
	Trusted func(ctx context.Context, id string) (*backoffice.TrustedDocument, error)
	// Done runs once for each request, after its answer, in what Begin gave it.
	Done func(context.Context, Outcome)
}

// Begin lets an operation in, when it is its turn, and gives it what it runs in, also when it may not run. The run is
// nil when nothing was begun; else it has to be ended. Errors: RateLimited when the caller's budget is spent.
type Begin func(context.Context, Entry) (context.Context, Run, error)

// Subscribe begins the subscription of the context's operation.
type Subscribe func(context.Context, Entry) (Subscription, error)

// Entry is an operation that wants to run.
type Entry struct {
	Cost  int
	Least int  // of it, what is charged in any case once it was executed
	Paid  bool // nothing is charged
	// Part is for one of several that a long request consists of: a socket's operations, the events of a subscription
	// and the pages of an export. Nothing of it is the others', and its caller is asked for again.
	Part bool
}

// Run is an operation that was let in. Its methods are called in this order, those but End once or never.
type Run interface {
	// Executed says that what was read is not needed any more; the answer, if there is one, has so many bytes.
	Executed(bytes int, answered bool)
	// Sent says that the answer has left, or need not be counted.
	Sent()
	// End gives back what the operation has.
	End(Outcome)
}

// Outcome is what may be said of a request in a log or a metric: no variable, no body.
type Outcome struct {
	Operation string   // its name as the document has it, digit runs masked and cut; "" without one
	Type      string   // query, mutation or subscription; "" when the document was refused
	Document  string   // "sha256:" and its digest, of an operation whose timeline is kept; "" when it holds a value that only a scope lets one give
	Shape     string   // 16 hexadecimal digits that are the same for documents which differ in literals only
	Depth     int      // 0 when the document was refused
	Cost      int      // likewise
	Status    int      // of HTTP
	Codes     []string // of the errors, each once
	OnSocket  bool     // it is one of several of a request
}

// GraphQL serves GraphQL over HTTP for an executable schema. Make one with New; it may be used by many requests at a
// time.
type GraphQL struct {
	// Log takes the causes of internal errors; it is set before the first request, or is slog's own.
	Log *slog.Logger

	schema    *ast.Schema
	executor  *executor.Executor
	documents *documents
	limits    limits.Settings
	hooks     Hooks
	plans     keeper // nil for a schema that keeps none
	newcomers newcomers
}

// keeper is a schema that keeps how operations are executed.
type keeper interface {
	Forget(operation *ast.OperationDefinition)
}

func New(schema graphql.ExecutableSchema, settings limits.Settings, hooks Hooks) *GraphQL {
	g := &GraphQL{
		Log:       slog.Default(),
		schema:    schema.Schema(),
		executor:  executor.New(schema),
		documents: newDocuments(schema.Schema(), settings),
		limits:    settings,
		hooks:     hooks,
	}
	g.plans, _ = schema.(keeper)
	g.executor.SetErrorPresenter(g.Present)
	g.executor.SetRecoverFunc(g.Recover)
	return g
}

func (g *GraphQL) rows(ctx context.Context) limits.Rows {
	if g.hooks.Rows == nil {
		return nil
	}
	return g.hooks.Rows(ctx)
}

func (g *GraphQL) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var (
		ctx    = r.Context()
		served served
		a      answer
	)
	defer func() { served.end() }()
	media, acceptable := negotiate(r.Header["Accept"])
	if acceptable {
		a = g.guarded(ctx, media, func() answer { return g.answer(ctx, w, r, media, &served) })
	} else {
		a = refusal(mediaJSON, failure(codeBadInput, "the answer is %s, %s or %s", mediaGraphQL, mediaJSON, mediaEvents))
		a.status = http.StatusNotAcceptable
	}
	if err := a.write(w); err != nil { // an extension that is not JSON
		a = refusal(a.media, g.Present(ctx, err))
		_ = a.write(w)
	}
	g.done(ctx, &served, a)
}

func (g *GraphQL) done(ctx context.Context, served *served, a answer) {
	served.Status, served.Codes = a.status, codesOf(a.errors)
	if g.hooks.Done != nil {
		if served.within != nil {
			ctx = served.within
		}
		g.hooks.Done(ctx, served.Outcome)
	}
}

// served is what is noted of an operation while it is served.
type served struct {
	Outcome
	within context.Context // what the operation runs in; nil when it was not begun
	run    Run             // likewise
}

func (s *served) end() {
	if s.run != nil {
		s.run.End(s.Outcome)
	}
}

// Refuse answers a request that is not let through to GraphQL, for what stands in front: authentication, rates.
func (g *GraphQL) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	g.RefuseWith(w, r, g.Refusal(r.Context(), err))
}

func (g *GraphQL) RefuseWith(w http.ResponseWriter, r *http.Request, refused *Refused) (status int) {
	media, ok := negotiate(r.Header["Accept"])
	if !ok {
		media = mediaJSON
	}
	a := refusal(media, refused.errs...)
	a.status, a.allow = cmp.Or(refused.status, a.status), refused.allow
	if a.status == http.StatusOK {
		a.status = http.StatusBadRequest
	}
	_ = a.write(w)
	return a.status
}

// guarded answers a panic with an internal error.
func (g *GraphQL) guarded(ctx context.Context, media string, do func() answer) (a answer) {
	defer func() {
		if panicked := recover(); panicked != nil {
			if panicked == http.ErrAbortHandler {
				panic(panicked)
			}
			a = refusal(media, g.Present(ctx, g.Recover(ctx, panicked)))
		}
	}()
	return do()
}

func (g *GraphQL) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, outcome *served) answer {
	asked, unread := g.read(w, r)
	if unread != nil {
		return unread.answer(media)
	}
	asked.explain = explainOf(r.Header)
	q, refused := g.prepare(ctx, asked, r.Header, media, outcome)
	switch {
	case refused != nil:
		return *refused
	case q.explain == explainPlan:
		return g.plan(ctx, media, q)
	case q.isSubscription():
		return g.stream(ctx, w, media, q)
	case media == mediaEvents:
		return g.inTime(ctx, media, q, outcome)
	}
	return g.execute(ctx, media, q, outcome)
}
