package gateway

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/graphql/trusted"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/httpserver/tracing"
	"example.org/backoffice/loaders"
	"example.org/backoffice/resolvers"
	"example.org/backoffice/rest"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/web/apidocs"
	"example.org/backoffice/web/graphiql"
)

type server struct {
	backend       *Backend
	store         backoffice.Store // the backend's, with its cache
	answers       *answers.Cache   // nil keeps none
	http          *httpserver.Server
	limits        limits.Settings
	budgets       *costBudgets
	slow          time.Duration // operations that take as long are logged; 0 for none
	noPartial     bool
	tracer        *tracing.Tracer
	feed          *changes.Feed
	life          context.Context // of exports
	stopStreams   func()          // which do not end by themselves
	authenticator *auth.Authenticator
	byOperator    bool // callers have no credential, and are not authenticated again
	proxies       auth.Proxies
	log           *slog.Logger
	page          graphiql.Store
	provider      *graphiql.Provider // nil when only credentials sign in
	trusted       *trusted.Known
	mirror        *mirror
	shipper       *ship.Shipper // nil ships nothing
	checker       backoffice.DocumentChecker
	trash         time.Duration
	sizes         *sizes
	build         Build
	agents        AgentSettings
	people        PeopleSettings
	toolCalls     *toolCalls
}

// newServer makes the server of a backend. end stops what it runs.
func newServer(b *Backend, c Config, page graphiql.Store) (s server, end func(), err error) {
	c.Limits = c.Limits.Affordable()
	store, err := c.Cache.over(b.Store, c.Log)
	if err != nil {
		return s, nil, err
	}
	kept, err := c.Cache.answers(store, c.Log)
	if err != nil {
		return s, nil, err
	}
	authenticator, endPeople := auth.NewAuthenticator(b.Store), func() {}
	var provider *graphiql.Provider
	if c.People.IsSet() {
		people, err := c.People.open(b.Keys, b.Store, c.Log, c.clock)
		if err != nil {
			return s, nil, err
		}
		authenticator.People, endPeople, provider = people, people.Close, c.People.provider(people)
	}
	life, stopExports := context.WithCancelCause(context.Background())
	feed := changes.New(b.Store, changes.Options{Keep: c.Changes.Keep, Bounds: c.Streams, Log: c.Log})
	b.Vault.RequirePurpose = c.Privacy.RequirePurpose
	var budgets *costBudgets
	if of := c.Limits.NewBudgets(); of != nil {
		budgets = &costBudgets{of}
	}
	mirror := &mirror{store: b.Store, MirrorSettings: c.Mirror}
	return server{
		mirror: mirror, backend: b,
		store: store, answers: kept, feed: feed, life: life, page: page, provider: provider, log: c.Log,
		stopStreams: func() { stopExports(errStopping); feed.Stop() }, proxies: c.Proxies,
		http: httpserver.New(c.Server,
			httpserver.Options{Ready: mirror.ready, Alarms: b.alarms, Time: c.Limits.Time, Log: c.Log}),
		limits: c.Limits, budgets: budgets, slow: c.Server.Slow, noPartial: c.Server.NoPartial, tracer: c.Tracer,
		authenticator: authenticator, trusted: trusted.NewKnown(b.Store), checker: NewDocumentChecker(c.Limits),
		trash: time.Duration(c.Trash.Keep),
		sizes: &sizes{store: b.Store, keep: keepSizes}, build: c.Build, agents: c.Agents, people: c.People,
		toolCalls: &toolCalls{store: b.Store, now: time.Now, waiting: map[toolCall]*backoffice.ToolCalls{}},
	}, func() { stopExports(errStopping); feed.Close(); authenticator.Close(); endPeople(); stop(store) }, nil
}

// service does the writes of the APIs: later reads of the request see them, and the feed notices them.
func (s server) service() *backoffice.Service {
	service := s.backend.Service()
	service.Store, service.Checker, service.Trash = s.feed.Watching(s.store), s.checker, s.trash
	if s.shipper != nil && s.shipper.Wait {
		service.Store = s.shipper.Waiting(service.Store)
	}
	if s.mirror.Through != nil {
		service.Origin = s.mirror.Through(service.Store)
	}
	return service
}

func (s server) handler() http.Handler {
	throttle := auth.NewThrottle()
	admission := s.limits.NewAdmission()
	schema := s.schema()
	endpoint := s.graphql(schema, admission)
	context.AfterFunc(s.life, endpoint.Stop)
	s.measure(throttle, admission)
	s.mirror.measure(s)
	measureBackups(s, s.backend.Store)
	s.backend.standBy.measure(s)
	if s.shipper != nil {
		measureShipping(s, s.shipper)
	}
	return s.tracer.TakeOver(s.backend.standBy.marks(s.mirror.marks(s.routes(schema, endpoint, admission, throttle))))
}

func (s server) routes(schema *execute.Executor, endpoint *graphqlhttp.GraphQL, admission *limits.Admission,
	throttle *auth.Throttle) chi.Router {
	r, vault := chi.NewRouter(), s.backend.Vault
	s.http.Mount(r)
	bounded := r.With(s.http.Deadline)
	refusing := func(refuse auth.Refuse) func(http.Handler) http.Handler {
		return chi.Chain(auth.Middleware(s.authenticator, throttle, s.proxies, refuse), httpserver.Client,
			s.budgets.middleware, vault.Middleware(auth.From, s.authenticator.Challenging(refuse))).Handler
	}
	signIn := refusing(endpoint.Refuse)
	exports := s.exports(endpoint)
	answered, streamed := s.http.Deadline(signIn(endpoint)), s.http.Stream(signIn(endpoint))
	socketSignIn := s.signIn(throttle)
	r.Handle("/graphql/export", s.http.Stream(signIn(exports)))
	s.mountQueries(r, signIn, endpoint, exports)
	s.mountAgents(r, refusing, endpoint)
	r.HandleFunc("/graphql", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case graphqlhttp.IsSocket(r) && !s.http.MayConnect(r):
			endpoint.Refuse(w, r, backoffice.Errorf(backoffice.Forbidden,
				"pages of this origin must not connect; allow origins with --cors-origin"))
		case graphqlhttp.IsSocket(r):
			endpoint.Socket(w, r, s.proxies.ClientAddress(r), socketSignIn)
		case graphqlhttp.WantsEvents(r):
			streamed.ServeHTTP(w, r)
		case s.answers != nil && waitOf(r) > 0:
			s.http.Stream(signIn(s.await(r, answered, endpoint.Refuse))).ServeHTTP(w, r)
		default:
			answered.ServeHTTP(w, r)
		}
	})
	bounded.With(rest.Compressed).Get("/schema.graphqls", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, schema.Schema().Query.Position.Src.Input) // schema.graphqls, as gqlgen embeds it
	})
	bounded.Get("/", http.RedirectHandler(graphiql.Path, http.StatusFound).ServeHTTP)
	page := graphiql.Handler(s.page, s.provider)
	bounded.Handle(graphiql.Path, page)
	bounded.Handle(graphiql.Path+"/*", httpserver.Quiet(page))
	docs := apidocs.Handler()
	bounded.Handle(apidocs.Path, docs)
	bounded.Handle(apidocs.Path+"/*", httpserver.Quiet(docs))
	c := s.rest()
	c.Throttle, c.Proxies = throttle, s.proxies
	c.Bounded, c.Streamed = s.http.Deadline, s.http.Stream
	c.SignedIn = func(next http.Handler) http.Handler { return httpserver.Client(s.budgets.middleware(next)) }
	c.Admit, c.Open = s.admitREST(admission), s.chargesOne()
	rest.Mount(r, c)
	return r
}

func (s server) rest() rest.Config {
	return rest.Config{
		Store: s.store, Service: s.service(), Files: s.backend.Files, Keys: s.backend.Keys, Vault: s.backend.Vault,
		Feed: s.feed, Authenticator: s.authenticator, Answer: s.limits.Answer, Upload: int64(s.limits.Upload),
	}
}

func (s server) schema() *execute.Executor {
	return graph.NewBreadthFirst(graph.Config{
		Resolvers:  &resolvers.Root{Keys: s.backend.Keys, Service: s.service()},
		Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope},
	}, execute.Options{
		Runner: loaders.Level, NeedsOnlyID: resolvers.NeedsOnlyID, Written: written, MaxErrors: s.limits.FieldErrors,
		Retry: func(ctx context.Context) bool { return loaders.From(ctx).Retry() },
		// The executor knows what an operation selects of a field's rows, and the loaders what to read for it.
		Prepare: func(s execute.Selection) any { return loaders.NewFields(s.Names()) },
		Attach: func(ctx context.Context, fields any) context.Context {
			return loaders.WithFields(ctx, fields.(*loaders.Fields))
		},
	})
}

func (s server) graphql(schema *execute.Executor, admission *limits.Admission) *graphqlhttp.GraphQL {
	endpoint := graphqlhttp.New(schema, s.limits, graphqlhttp.Hooks{
		Begin:     s.begin(admission),
		Keeps:     s.answers != nil,
		Subscribe: s.subscribe(schema),
		Rows:      s.sizes.rows,
		Trusted:   s.trustedDocument,
		Done: func(ctx context.Context, o graphqlhttp.Outcome) {
			op := httpserver.Operation{Name: o.Operation, Type: o.Type, Document: o.Shape, Cost: o.Cost, Codes: o.Codes}
			if o.OnSocket {
				s.http.CountOperation(ctx, op)
				return
			}
			httpserver.NoteOperation(ctx, op)
		},
	})
	endpoint.Log, endpoint.NoPartialStatus = cmp.Or(s.log, endpoint.Log), s.noPartial
	return endpoint
}
