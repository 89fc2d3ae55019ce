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
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/limits"
)

// Hooks join the transport to what it does not know. Each may be nil.
type Hooks struct {
	// Admit waits until an operation of this cost may be executed, and fails when that takes too long.
	Admit func(ctx context.Context, cost int) (Admitted, error)
	// BeforeWrite runs after an operation was executed and before the first byte of its answer leaves. If it fails,
	// nothing of the answer is shown: the caller gets UNAVAILABLE, 503.
	BeforeWrite func(context.Context) error
	// RequestID is what an internal error shows of the request.
	RequestID func(context.Context) string
	// StoreCalls is how often the request has asked the store so far.
	StoreCalls func(context.Context) int
	// Done runs once for each request, after its answer.
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
	Type      string   // query or mutation; "" when the document was refused
	Shape     string   // 16 hexadecimal digits that are the same for documents which differ in literals only
	Depth     int      // 0 when the document was refused
	Cost      int      // likewise
	Status    int      // of HTTP
	Codes     []string // of the errors, each once
}

// GraphQL serves GraphQL over HTTP for an executable schema. Make one with New; it may be used by many requests at a
// time.
type GraphQL struct {
	schema    *ast.Schema
	executor  *executor.Executor
	documents *documents
	limits    limits.Settings
	hooks     Hooks
}

// New makes the GraphQL endpoint of a schema.
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
	g.executor.SetErrorPresenter(g.Present)
	g.executor.SetRecoverFunc(g.Recover)
	return g
}

// ServeHTTP answers one request.
func (g *GraphQL) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var (
		ctx    = r.Context()
		served served
		a      answer
	)
	defer func() {
		if served.sent != nil {
			served.sent()
		}
	}()
	media, acceptable := negotiate(r.Header["Accept"])
	if acceptable {
		a = g.guarded(ctx, w, r, media, &served)
	} else {
		a = refusal(mediaJSON, failure(codeBadInput, "the answer is %s or %s", mediaGraphQL, mediaJSON))
		a.status = http.StatusNotAcceptable
	}
	if err := a.write(w); err != nil { // an extension that is not JSON
		a = refusal(a.media, g.Present(ctx, err))
		_ = a.write(w)
	}
	if g.hooks.Done != nil {
		served.Status, served.Codes = a.status, codesOf(a.errors)
		g.hooks.Done(ctx, served.Outcome)
	}
}

// served is what is noted of a request while it is served.
type served struct {
	Outcome
	sent func() // to be called at the end; nil when nothing was admitted
}

// Refuse answers a request that is not let through to GraphQL, for what stands in front: authentication, rates.
func (g *GraphQL) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	media, ok := negotiate(r.Header["Accept"])
	if !ok {
		media = mediaJSON
	}
	a := refusal(media, g.Present(r.Context(), err))
	if a.status == http.StatusOK {
		a.status = http.StatusBadRequest
	}
	_ = a.write(w)
}

// guarded answers a panic with an internal error.
func (g *GraphQL) guarded(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, outcome *served) (a answer) {
	defer func() {
		if panicked := recover(); panicked != nil {
			if panicked == http.ErrAbortHandler {
				panic(panicked)
			}
			a = refusal(media, g.Present(ctx, g.Recover(ctx, panicked)))
		}
	}()
	return g.answer(ctx, w, r, media, outcome)
}

func (g *GraphQL) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, outcome *served) answer {
	asked, unread := g.read(w, r)
	if unread != nil {
		a := refusal(media, failure(cmp.Or(unread.code, codeBadInput), "%s", unread.message))
		a.status, a.allow = cmp.Or(unread.status, a.status), unread.allow
		return a
	}
	document, errs := g.documents.get(asked.query)
	if errs != nil {
		return refusal(media, errs...)
	}
	operation, refused := document.operation(asked.operationName)
	if refused != nil {
		return refusal(media, refused)
	}
	outcome.Operation = backoffice.ShownName(operation.Name)
	outcome.Type, outcome.Shape, outcome.Depth = string(operation.Operation), document.shape, document.depth
	if r.Method == http.MethodGet && operation.Operation != ast.Query {
		a := refusal(media, failure(codeBadInput, "only a query can be sent with GET"))
		a.status, a.allow = http.StatusMethodNotAllowed, http.MethodPost
		return a
	}
	variables, refused := coerce(g.schema, operation.OperationDefinition, document.constants, asked.variables)
	if refused != nil {
		return refusal(media, refused)
	}
	outcome.Cost = operation.price.Cost(variables)
	refused = operation.price.Check(outcome.Cost)
	if refused == nil {
		refused = operation.price.CheckLists(variables)
	}
	if refused != nil {
		return g.explained(ctx, r, refusal(media, refused), operation, variables, outcome.Outcome)
	}
	text := document.text
	if document.guarded { // the executor is not to keep its plan
		text = ""
	}
	a := g.execute(ctx, media, outcome, &graphql.OperationContext{
		RawQuery:               text,
		Variables:              variables,
		OperationName:          asked.operationName,
		Doc:                    document.ast,
		Headers:                r.Header,
		Operation:              operation.OperationDefinition,
		RecoverFunc:            g.Recover,
		ResolverMiddleware:     plainField,
		RootResolverMiddleware: plainRootField,
	})
	return g.explained(ctx, r, a, operation, variables, outcome.Outcome)
}

func plainField(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

func plainRootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	return next(ctx)
}

// execute runs an operation when it is its turn.
func (g *GraphQL) execute(ctx context.Context, media string, outcome *served, operation *graphql.OperationContext) answer {
	ctx = graphql.WithOperationContext(ctx, operation)
	response, err := g.response(ctx, outcome, operation)
	if err != nil {
		return refusal(media, g.Present(ctx, err))
	}
	return g.answerOf(ctx, media, operation, response)
}

func (g *GraphQL) response(ctx context.Context, outcome *served, operation *graphql.OperationContext) (response *graphql.Response, err error) {
	if g.hooks.Admit != nil {
		admitted, err := g.hooks.Admit(ctx, outcome.Cost)
		if err != nil {
			return nil, err
		}
		outcome.sent = admitted.Sent
		defer func() {
			bytes := 0
			if response != nil {
				bytes = len(response.Data)
			}
			admitted.Executed(bytes)
		}()
	}
	responses, ctx := g.executor.DispatchOperation(ctx, operation)
	return responses(ctx), nil
}

// answerOf decides the status of an answer.
func (g *GraphQL) answerOf(ctx context.Context, media string, operation *graphql.OperationContext, response *graphql.Response) answer {
	if late(ctx, operation, response) {
		return refusal(media, g.Present(ctx, context.DeadlineExceeded))
	}
	if refused := g.tooLarge(response); refused != nil {
		return refusal(media, refused)
	}
	if g.hooks.BeforeWrite != nil {
		if err := g.hooks.BeforeWrite(ctx); err != nil {
			g.log(ctx, slog.LevelWarn, "an answer was withheld", err)
			return refusal(media, failure(codeUnavailable, "the answer cannot be given now; try again later"))
		}
	}
	a := answer{status: http.StatusOK, media: media, data: response.Data, errors: response.Errors, extensions: response.Extensions}
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
		before, _ := a.extensions[errorsOmitted].(int) // the executor does not keep all of very many either
		a.extensions = with(a.extensions, errorsOmitted, before+len(a.errors)-most)
		a.errors = a.errors[:most]
	}
	return a
}

// cameToNothing says whether an answer holds nothing but nulls, for want of the store. It is reported as a request that failed,
// with a status by which clients and balancers try again; an answer without data has such a status in GraphQL over HTTP.
// A mutation that was slow may have done what it cannot tell.
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
		case text == `"`+g.schema.Query.Name+`"`, g.schema.Mutation != nil && text == `"`+g.schema.Mutation.Name+`"`: // __typename
		case text == "[]" || strings.Trim(text, "[nul, ]") != "":
			return false
		}
	}
	return true
}

// errorsOmitted is the extension that tells how many errors are not shown.
const errorsOmitted = "errorsOmitted"

// tooLarge is the error of an answer that would be larger than answers may be: then there is no data, and no other error.
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

// late says whether the deadline took away the answer. What a mutation has done is reported all the same.
func late(ctx context.Context, operation *graphql.OperationContext, response *graphql.Response) bool {
	if response == nil {
		return true
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || operation.Operation.Operation == ast.Mutation {
		return false
	}
	return slices.ContainsFunc(response.Errors, func(err *gqlerror.Error) bool { return codeOfError(err) == codeTimeout })
}

// statusOfFailure is the status of an executed operation without data: that of the first fault of ours, else 200, or
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

// with adds to extensions without changing the map that came with a response.
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
