package graphqlhttp

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/limits"
)

// Hooks connect the transport to the rest of the server. Each may be nil.
type Hooks struct {
	Begin     Begin
	Keeps     bool      // whole answers: entries have keys
	Subscribe Subscribe // nil: no subscriptions
	// Rows counts the records of each noun for the price of an operation, as its caller may know them.
	Rows func(context.Context) limits.Rows
	// Trusted finds a document by an identifier in any form. NotFound when the caller may not ask for it, or if nil.
	Trusted func(ctx context.Context, id string) (*backoffice.TrustedDocument, error)
	// Done runs once for each request, after its answer, in the context that Begin returned.
	Done func(context.Context, Outcome)
}

// Begin admits an operation when it is its turn, and returns the context it runs in, even when it may not run. The run
// is nil when nothing was begun; otherwise it must be ended. Errors: RateLimited when the caller's budget is spent.
type Begin func(context.Context, Entry) (context.Context, Run, error)

// Subscribe begins the subscription of the context's operation.
type Subscribe func(context.Context, Entry) (Subscription, error)

// Entry is an operation that wants to run.
type Entry struct {
	Cost  int
	Least int  // of it, the charge in any case once it was executed
	Paid  bool // nothing is charged
	// Part is set for one of the several operations of a long request: those of a socket, the events of a subscription,
	// the pages of an export. The parts share nothing, and the caller is authenticated again for each.
	Part bool
	// Key identifies the answer if it may be kept; nil otherwise.
	Key *answers.Key
}

// Run is an admitted operation. Its methods are called in this order, those but End at most once.
type Run interface {
	// Kept is an answer that is still valid; then nothing is executed. Otherwise it is nil.
	Kept() *answers.Answer
	// Executed reports that reading is over, and the size of the answer if there is one.
	Executed(bytes int, answered bool)
	// Keep offers the data of a whole answer without errors to later requests with the same key.
	Keep(data []byte)
	// Sent reports that the answer has been sent, or need not be counted.
	Sent()
	// End releases what the operation holds.
	End(Outcome)
}

// Outcome is what a log or a metric may contain of a request: no variable, no body.
type Outcome struct {
	Operation string   // as in the document, digit runs masked and cut; "" without one
	Type      string   // query, mutation or subscription; "" when the document was rejected
	Document  string   // "sha256:" and its digest, if its timeline is kept; "" when it holds a guarded value
	Shape     string   // 16 hexadecimal digits, the same for documents which differ in literals only
	Depth     int      // 0 when the document was rejected
	Cost      int      // likewise
	Status    int      // of HTTP
	Codes     []string // of the errors, each once
	OnSocket  bool     // one of several of a request
}

// GraphQL serves GraphQL over HTTP for an executable schema. Make one with New; it is safe for concurrent use.
type GraphQL struct {
	// Log gets the causes of internal errors. Set it before the first request; the default is slog's.
	Log *slog.Logger
	// NoPartialStatus answers data beside errors with status 200. Set it likewise.
	NoPartialStatus bool

	schema    *ast.Schema
	executor  *executor.Executor
	documents *documents
	limits    limits.Settings
	hooks     Hooks
	plans     keeper // nil for a schema without plans
	newcomers newcomers
	shared    sharing
}

// keeper is a schema that keeps plans of operations.
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
		return limits.Rows{}
	}
	return g.hooks.Rows(ctx)
}

// statusPartial is the status of data beside errors, by GraphQL over HTTP.
const statusPartial = 294

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
		a = refusal(mediaJSON, failure(codeBadInput, "Accept must allow %s, %s or %s",
			mediaGraphQL, mediaJSON, mediaEvents))
		a.status = http.StatusNotAcceptable
	}
	if a.media == mediaGraphQL && a.status == http.StatusOK && len(a.errors) > 0 && string(a.data) != "null" &&
		!g.NoPartialStatus {
		a.status = statusPartial
	}
	a.represent(r)
	if err := a.write(w); err != nil { // an extension cannot be encoded
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

// served is the record of an operation while it is served.
type served struct {
	Outcome
	within context.Context // the operation's context; nil when it was not begun
	run    Run             // likewise
}

func (s *served) end() {
	if s.run != nil {
		s.run.End(s.Outcome)
	}
}

// Refuse answers a request for middleware, such as authentication and rate limits, that does not let it through.
func (g *GraphQL) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	g.WriteRequestError(w, r, g.RequestErrorOf(r.Context(), err))
}

func (g *GraphQL) WriteRequestError(w http.ResponseWriter, r *http.Request, refused *RequestError) (status int) {
	media, ok := negotiate(r.Header["Accept"])
	if !ok {
		media = mediaJSON
	}
	a := refused.answer(media)
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

func (g *GraphQL) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, media string,
	outcome *served) answer {
	asked, refused := g.read(w, r)
	if refused != nil {
		return refused.answer(media)
	}
	asked.explain = explainOf(r.Header)
	return g.respond(ctx, w, asked, r.Header, media, outcome)
}

// respond answers a request. Only a subscription and events need w.
func (g *GraphQL) respond(ctx context.Context, w http.ResponseWriter, asked request, header http.Header, media string,
	outcome *served) answer {
	q, refused := g.prepare(ctx, asked, header, media, outcome)
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
	return g.executed(ctx, media, q, outcome, false)
}
