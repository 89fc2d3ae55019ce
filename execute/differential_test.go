package execute_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/graph"
	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

var count_ = flag.Int("operations", 300, "how many random operations are compared with gqlgen's executor")

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
	handler, ctx := e.DispatchOperation(ctx, operation)
	return handler(ctx), nil
}

var (
	// gqlgen tells one of the paths what the panic of a batch was, and the others this.
	afterPanic = regexp.MustCompile(`^batch resolver (\w+\.\w+) returned unexpected result type \(index \d+\)$|^panic: .* panics$`)
	// How many objects there are in a batch is for each executor to say.
	wrongCount = regexp.MustCompile(`^(index \d+: )?(the resolver of|batch resolver) \w+\.\w+ returned \d+ results for \d+ (parents|objects)( \(index \d+\))?$`)
)

// told renders errors as a sorted list, without what two right executors may say differently.
func told(errs gqlerror.List) []string {
	var list []string
	for _, err := range errs {
		copied := *err
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

// compare runs a random operation under both executors, twice under ours: with a plan that is compiled and with one
// that is kept. It reports whether the operation was valid.
func compare(t *testing.T, seed uint64) bool {
	t.Helper()
	d := rand.New(rand.NewPCG(seed, 1))
	w := &world{seed: seed, faults: d.IntN(4) > 0}
	var scopes []backoffice.Scope
	for _, scope := range backoffice.AllScopes {
		if d.IntN(3) > 0 {
			scopes = append(scopes, scope)
		}
	}
	oracle := graph.NewExecutableSchema(configOf(w))
	o := randomOperation(oracle.Schema(), d)
	ctx := with(t.Context(), scopes)
	want, refused := do(ctx, serve(oracle), o)
	if refused != nil {
		return false
	}
	breadth := serve(graph.NewBreadthFirst(configOf(w), execute.Options{}))
	for _, run := range []string{"compiled", "kept"} {
		lent, giveBack := execute.Lend(ctx)
		got, refused := do(lent, breadth, o)
		if refused != nil {
			t.Fatalf("seed %d: refused: %v", seed, refused)
		}
		if string(got.Data) != string(want.Data) {
			t.Fatalf("seed %d, plan %s: data\n%s\nwant\n%s\n%s\n%v", seed, run, got.Data, want.Data, o.Query, o.Variables)
		}
		if diff := cmp.Diff(told(want.Errors), told(got.Errors)); diff != "" {
			t.Fatalf("seed %d, plan %s: errors (-gqlgen +breadth)\n%s\n%s\n%v\n%s", seed, run, diff, o.Query, o.Variables, want.Data)
		}
		giveBack()
	}
	return true
}

func TestRandomOperationsAreAnsweredAsByGqlgensExecutor(t *testing.T) {
	t.Parallel()
	valid := 0
	for seed := uint64(1); valid < *count_; seed++ {
		if compare(t, seed) {
			valid++
		}
		if seed > uint64(*count_)*4 {
			t.Fatalf("only %d of %d random operations are valid", valid, seed)
		}
	}
}

func FuzzOperationsAreAnsweredAsByGqlgensExecutor(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { compare(t, seed) })
}
