package execute_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

var operationsFlag = flag.Int("operations", 200, "how many random operations are compared with gqlgen's executor")

// viewer says which scopes a request has.
type viewer struct{}

func with(ctx context.Context, scopes []backoffice.Scope) context.Context {
	return context.WithValue(ctx, viewer{}, scopes)
}

func configOf(w *world) graph.Config {
	return graph.Config{Resolvers: root{w}, Directives: graph.DirectiveRoot{
		HasScope: func(ctx context.Context, _ any, next graphql.Resolver, scope backoffice.Scope) (any, error) {
			if scopes, _ := ctx.Value(viewer{}).([]backoffice.Scope); !slices.Contains(scopes, scope) {
				return nil, &gqlerror.Error{Message: "forbidden", Extensions: map[string]any{"requiredScope": string(scope)}}
			}
			return next(ctx)
		},
	}}
}

// serve puts a handler around an executable schema.
func serve(schema graphql.ExecutableSchema) *executor.Executor {
	e := executor.New(schema)
	e.Use(extension.Introspection{})
	e.SetQueryCache(lru.New[*ast.QueryDocument](100))
	e.SetRecoverFunc(func(_ context.Context, fault any) error { return fmt.Errorf("panic: %v", fault) })
	e.SetErrorPresenter(func(ctx context.Context, err error) *gqlerror.Error {
		presented := *graphql.DefaultErrorPresenter(ctx, err)
		if presented.Extensions == nil {
			presented.Extensions = map[string]any{"at": graphql.GetPath(ctx).String()}
		}
		return &presented
	})
	return e
}

// do runs an operation. It has no response when the operation is refused before it is executed.
func do(ctx context.Context, e *executor.Executor, o operation) (*graphql.Response, gqlerror.List) {
	ctx = graphql.StartOperationTrace(ctx)
	operation, refused := e.CreateOperationContext(ctx, &graphql.RawParams{Query: o.Query, Variables: o.Variables})
	if refused != nil {
		return nil, refused
	}
	if end, ok := ctx.Value(endKey{}).(func()); ok {
		defer end()
	}
	handler, ctx := e.DispatchOperation(ctx, operation)
	return handler(ctx), nil
}

var (
	intoArguments = regexp.MustCompile(`\.(filter|inputs?)\b.*$`)
	// gqlgen tells one of the paths what the panic of a batch was, and the others this.
	afterPanic = regexp.MustCompile(`^batch resolver (\w+\.\w+) returned unexpected result type \(index \d+\)$|^panic: .* panics$`)
	// How many objects there are in a batch is for each executor to say.
	wrongCount = regexp.MustCompile(`^(index \d+: )?(the resolver of|batch resolver) \w+\.\w+ returned \d+ results for \d+ (parents|objects)( \(index \d+\))?$`)
)

// told renders errors as a sorted list, without what two right executors may say differently, and without what gqlgen
// says differently from the specification: its errors of arguments have a path into them, and those of batches no place
// in the document.
func told(errs gqlerror.List) []string {
	var list []string
	for _, err := range errs {
		copied := *err
		copied.Locations = nil
		copied.Path = slices.Clone(copied.Path)
		for i, element := range copied.Path {
			if name, _ := element.(ast.PathName); name == "filter" || name == "input" || name == "inputs" || name == "since" {
				copied.Path = copied.Path[:i]
				break
			}
		}
		if at, known := copied.Extensions["at"].(string); known {
			copied.Extensions = map[string]any{"at": intoArguments.ReplaceAllString(at, "")}
		}
		switch {
		case afterPanic.MatchString(copied.Message):
			copied.Message = "panic"
		case wrongCount.MatchString(copied.Message):
			copied.Message = "wrong count"
		}
		data, _ := json.Marshal(&copied)
		list = append(list, string(data))
	}
	slices.Sort(list)
	return list
}

// same runs an operation under both executors, twice under ours: with a plan that is compiled and with one that is
// kept. request makes the context of a run. It reports whether the operation was valid.
func same(t *testing.T, oracle, breadth *executor.Executor, o operation, request func(ours bool) context.Context) bool {
	t.Helper()
	want, refused := do(request(false), oracle, o)
	if refused != nil {
		return false
	}
	for _, plan := range []string{"compiled", "kept"} {
		ctx, release := execute.WithBuffer(request(true))
		got, refused := do(ctx, breadth, o)
		if refused != nil {
			t.Fatalf("refused: %v", refused)
		}
		if got, want := shown(got.Data), shown(want.Data); got != want {
			t.Fatalf("plan %s: data\n%s\nwant\n%s\n%s\n%v", plan, got, want, o.Query, o.Variables)
		}
		if diff := cmp.Diff(told(want.Errors), told(got.Errors)); diff != "" {
			t.Fatalf("plan %s: errors (-gqlgen +breadth)\n%s\n%s\n%v\n%s", plan, diff, o.Query, o.Variables, want.Data)
		}
		checkPlaces(t, o.Query, got.Errors)
		release()
	}
	return true
}

// checkPlaces holds each error to the place in the document of the field that its path ends at.
func checkPlaces(t *testing.T, query string, errs gqlerror.List) {
	t.Helper()
	lines := strings.Split(query, "\n")
	for _, err := range errs {
		if strings.Contains(err.Message, "has told its error") {
			continue // a resolver of the test, and by itself
		}
		var field ast.PathName
		for _, element := range err.Path {
			if name, ok := element.(ast.PathName); ok {
				field = name
			}
		}
		if len(err.Locations) == 0 {
			t.Fatalf("%v has no place\n%s", err, query)
		}
		for _, at := range err.Locations { // of each field that was merged
			if rest := string([]rune(lines[at.Line-1])[at.Column-1:]); !strings.HasPrefix(rest, string(field)) {
				t.Fatalf("%v: a place of %s is that of %.40s", err, field, rest)
			}
		}
	}
}

// shown is data without the signatures of download paths, which change with the clock.
func shown(data []byte) string { return signature.ReplaceAllString(string(data), "signed") }

var signature = regexp.MustCompile(`signature=[\w-]+`)

// sameInAWorld compares a random operation over a random world.
func sameInAWorld(t *testing.T, seed uint64) bool {
	t.Helper()
	d := rand.New(rand.NewPCG(seed, 1))
	w := &world{seed: seed, faults: d.IntN(6)}
	scopes := someScopes(d)
	oracle := graph.NewExecutableSchema(configOf(w))
	o := randomOperation(oracle.Schema(), d, words{ids: []string{"id-1", "id-2"}, texts: strange[:6], mutations: 20})
	breadth := graph.NewBreadthFirst(configOf(w), execute.Options{})
	return same(t, serve(oracle), serve(breadth), o, func(bool) context.Context { return with(t.Context(), scopes) })
}

func someScopes(d *rand.Rand) []backoffice.Scope {
	var scopes []backoffice.Scope
	for _, scope := range backoffice.AllScopes {
		if d.IntN(3) > 0 {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// repeat tries seeds until as many operations as wanted were valid.
func repeat(t *testing.T, wanted int, try func(t *testing.T, seed uint64) bool) {
	valid, seed := 0, uint64(1)
	defer func() {
		if t.Failed() {
			t.Logf("the seed was %d", seed)
		}
	}()
	for ; valid < wanted; seed++ {
		if seed > uint64(wanted)*4 {
			t.Fatalf("only %d of %d random operations are valid", valid, seed)
		}
		if try(t, seed) {
			valid++
		}
	}
}

func TestRandomOperationsOverRandomWorldsAreAnsweredAsByGqlgen(t *testing.T) {
	t.Parallel()
	repeat(t, 2*(*operationsFlag), sameInAWorld)
}

func FuzzOperationsAreAnsweredAsByGqlgen(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { sameInAWorld(t, seed) })
}

func TestRandomOperationsOverAStoreAreAnsweredAsByGqlgen(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) backoffice.Store{"embedded": embeddedStore, "PostgreSQL": postgresStore} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			office := officeIn(t, open(t))
			ids, texts := office.identifiers(t)
			repeat(t, *operationsFlag, func(t *testing.T, seed uint64) bool { return sameInAnOffice(t, office, ids, texts, seed) })
		})
	}
}

func sameInAnOffice(t *testing.T, office *office, ids, texts []string, seed uint64) bool {
	d := rand.New(rand.NewPCG(seed, 2))
	scopes := someScopes(d)
	o := randomOperation(office.schema.Schema(), d, words{ids: ids, texts: texts})
	return same(t, office.oracle, office.breadth, o, func(bool) context.Context {
		ctx, _ := office.request(t.Context(), scopes...)
		return ctx
	})
}
