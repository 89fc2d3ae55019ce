package graphqlhttp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/limits"
)

// Hooks join the transport to what it does not know. Each may be nil.
type Hooks struct {
	// Begin gives an operation what it runs in, until end is called: when its answer was sent. part is for one of
	// several that a long request consists of, a socket's operations and the events of a subscription: nothing of it
	// is the others'.
	Begin func(ctx context.Context, part bool) (_ context.Context, end func())
	// Subscribe begins the subscription of the context's operation. Without it there are none.
	Subscribe func(context.Context) (Subscription, error)
	// SignIn finds out who a socket is for.
	SignIn SignIn
	// Permit refuses an operation before it is executed, by the scopes that its whole answer needs.
	Permit func(ctx context.Context, scopes []string) error
	// Admit waits until an operation of this cost may be executed, and fails when that takes too long.
	Admit func(ctx context.Context, cost int) (Admitted, error)
	// Spend takes an operation's cost from the budget of the context's pair before anything of it is done; settle is
	// called once, and reports whether it was executed: least is what is charged then in any case. Errors: RateLimited
	// when the pair has to wait.
	Spend func(ctx context.Context, cost, least int) (settle func(executed bool), err error)
	// Rows counts the records of each noun for the price of an operation, as its pair may know it.
	Rows func(context.Context) limits.Rows
	// Allowance is what extensions.cost.budget tells of the pair's budget; nil without one.
	Allowance func(context.Context) any
	// Trusted knows the trusted documents. Without it there are none.
	Trusted TrustedDocuments
	// BeforeWrite runs after an operation was executed and before the first byte of its answer leaves. If it fails,
	// nothing of the answer is shown: the caller gets UNAVAILABLE, 503.
	BeforeWrite func(context.Context) error
	// RequestID is what an internal error shows of the request.
	RequestID func(context.Context) string
	// MissingScopes are those of some that the caller does not have.
	MissingScopes func(ctx context.Context, of []string) []string
	// StoreCalls is how often the request has asked the store so far.
	StoreCalls func(context.Context) int
	// Done runs once for each request, after its answer, in what Begin gave it.
	Done func(context.Context, Outcome)
	// Log takes the causes of internal errors; slog.Default() without.
	Log *slog.Logger
}

// Admitted is reported how far an operation has come. Each of its functions is called once, in this order.
type Admitted struct {
	Executed func(bytes int) // what was read is not needed any more; the answer has so many bytes
	Sent     func()          // or given up
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
	hooks.Log = cmp.Or(hooks.Log, slog.Default())
	if hooks.RequestID == nil {
		hooks.RequestID = func(context.Context) string { return "" }
	}
	g := &GraphQL{
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
	if g.hooks.Done != nil {
		served.Status, served.Codes = a.status, codesOf(a.errors)
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

	sent  func() // to be called at the end; nil when nothing was admitted
	ended func() // likewise; nil when nothing was begun
}

// leave says that the answer was sent, or need not be counted.
func (s *served) leave() {
	if s.sent != nil {
		s.sent()
		s.sent = nil
	}
}

func (s *served) end() {
	s.leave()
	if s.ended != nil {
		s.ended()
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
