package export

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/graphql/limits"
)

type Config struct {
	GraphQL *graphqlhttp.GraphQL
	Changes backoffice.ChangeReader
	// Challenge sets the header that names how to sign in, for a page denied before the first byte; may be nil.
	Challenge func(w http.ResponseWriter, r *http.Request, err error)
	Limits    limits.Settings
	// Life ends all exports when it ends, with its cause as the reason; nil never ends.
	Life context.Context
	Log  *slog.Logger // slog.Default() when nil
}

// Endpoint exports lists. Make one with New; it is safe for concurrent use.
type Endpoint struct {
	config Config
	pages  atomic.Int64 // in memory

	mu   sync.Mutex
	busy map[string]bool // credentials with a running export
}

func New(c Config) *Endpoint {
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Challenge == nil {
		c.Challenge = func(http.ResponseWriter, *http.Request, error) {}
	}
	c.Life = cmp.Or(c.Life, context.Background())
	return &Endpoint{config: c, busy: map[string]bool{}}
}

func (e *Endpoint) Pages() int64 { return e.pages.Load() }

// ServeHTTP answers a GraphQL request with the whole of its list. The query string holds the Options, and nothing else.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var options Options
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		err = backoffice.Errorf(backoffice.BadInput, "the parameters could not be read")
	} else {
		options, parameters, err = ReadOptions(parameters)
	}
	if err == nil && len(parameters) > 0 {
		err = backoffice.Errorf(backoffice.BadInput,
			"an export takes only the parameters format, rows, after, cursor and excel")
	}
	var asked graphqlhttp.Asked
	if err == nil {
		asked, err = e.config.GraphQL.Ask(w, r)
	}
	if err != nil {
		e.refuse(w, r, nil, 0, err)
		return
	}
	e.Export(w, r, asked, options)
}

// Export answers a request, of any method, with the whole of a document's list. Without a format in the options it
// takes that of the Accept header. The request has a principal, a register's ledger, and no deadline.
func (e *Endpoint) Export(w http.ResponseWriter, r *http.Request, asked graphqlhttp.Asked, o Options) {
	x, err := e.begin(r, asked, o)
	if err != nil {
		e.refuse(w, r, nil, 0, err)
		return
	}
	x.answer(w)
}

// begin checks all that it can before anything is executed.
func (e *Endpoint) begin(r *http.Request, asked graphqlhttp.Asked, o Options) (_ *exporting, err error) {
	if !r.ProtoAtLeast(1, 1) {
		return nil, backoffice.Errorf(backoffice.BadInput, "an export needs HTTP/1.1, so that a client can detect a broken connection; a proxy in front of this server may need configuration (nginx: proxy_http_version 1.1)")
	}
	if o.Format == "" {
		if o.Format, err = negotiate(r.Header); err != nil {
			return nil, err
		}
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	query, err := e.config.GraphQL.Query(r.Context(), asked, r.Header)
	if err != nil {
		return nil, err
	}
	x := &exporting{Endpoint: e, request: r, options: o}
	if x.list, err = rootListOf(query, o); err != nil {
		return nil, err
	}
	if x.list.first > int64(e.config.Limits.ExportRows) {
		return nil, errRows(e.config.Limits.ExportRows)
	}
	if o.Format != JSONL {
		if x.table, err = newTable(x.list.row, o.Rows); err != nil {
			return nil, err
		}
	}
	if _, err = x.list.admit(r.Context()); err != nil {
		return nil, err
	}
	x.walk, err = e.newWalk(x.list)
	return x, err
}

func errRows(most int) error {
	return backoffice.Errorf(backoffice.OverLimit,
		"an export has at most %d rows: ask for fewer with first, and continue with after", most)
}

var errBusy error = backoffice.Errorf(backoffice.RateLimited, "this credential already runs an export; one at a time")

// enter allows a credential one export at a time.
func (e *Endpoint) enter(ctx context.Context) (leave func(), err error) {
	clientID := auth.From(ctx).ClientID
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy[clientID] {
		return nil, errBusy
	}
	e.busy[clientID] = true
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.busy, clientID)
	}, nil
}

// refuse answers a client with the reason that nothing is exported.
func (e *Endpoint) refuse(w http.ResponseWriter, r *http.Request, query *graphqlhttp.Query, cost int, err error) {
	if backoffice.KindOf(err) == backoffice.Unauthenticated {
		e.config.Challenge(w, r, err)
	}
	refused := e.config.GraphQL.RequestErrorOf(r.Context(), err)
	status := e.config.GraphQL.WriteRequestError(w, r, refused)
	e.config.GraphQL.Done(r.Context(), query, cost, status, refused)
}

// broken aborts an answer that has begun, so that the client does not take a part for the whole.
func (e *Endpoint) broken(ctx context.Context, query *graphqlhttp.Query, cost int, err error) {
	refused := e.config.GraphQL.RequestErrorOf(ctx, err)
	e.config.GraphQL.Done(ctx, query, cost, http.StatusOK, refused)
	level := slog.LevelWarn
	if errors.Is(err, errGone) {
		level = slog.LevelInfo
	}
	e.config.Log.Log(ctx, level, "an export was aborted", "request", backoffice.RequestOf(ctx).ID, "cause",
		backoffice.MaskDigits(backoffice.Cause(err).Error()))
	panic(http.ErrAbortHandler)
}
