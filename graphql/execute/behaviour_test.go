package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/inputs"
)

// fixed is a root whose customers are as many as it says and whose other fields a test may replace.
type fixed struct {
	root
	customers   int
	responsible func(ctx context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error)
	label       func(ctx context.Context, name string) (*inputs.CreateLabelPayload, error)
}

type (
	fixedQuery struct {
		query
		of fixed
	}
	fixedCustomer struct {
		customer
		of fixed
	}
	fixedMutation struct {
		mutation
		of fixed
	}
)

func (f fixed) Query() graph.QueryResolver       { return fixedQuery{query(f.root), f} }
func (f fixed) Customer() graph.CustomerResolver { return fixedCustomer{customer(f.root), f} }
func (f fixed) Mutation() graph.MutationResolver { return fixedMutation{mutation(f.root), f} }

func (q fixedQuery) Customers(_ context.Context, first *int, _ *string, _ *int, _ *string, _ *int, _ *int, _ *backoffice.CustomerFilter, _ *backoffice.CustomerOrder) (*backoffice.CustomerConnection, error) {
	rows := make([]*backoffice.Customer, q.of.customers)
	if first != nil {
		rows = rows[:min(len(rows), *first)]
	}
	for i := range rows {
		rows[i] = &backoffice.Customer{ID: fmt.Sprint(i)}
	}
	return &backoffice.CustomerConnection{Items: rows}, nil
}

func (c fixedCustomer) Responsible(ctx context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error) {
	return c.of.responsible(ctx, objs)
}

func (m fixedMutation) CreateLabel(ctx context.Context, input inputs.CreateLabelInput, _ *bool) (*inputs.CreateLabelPayload, error) {
	return m.of.label(ctx, input.Name)
}

func newFixed(f fixed, options execute.Options) *execute.Executor {
	f.root = root{&world{seed: 1}}
	config := configOf(f.world)
	config.Resolvers = f
	return graph.NewBreadthFirst(config, options)
}

func TestAPanicCostsItsFieldOnly(t *testing.T) {
	t.Parallel()
	e := serve(newFixed(fixed{customers: 2, responsible: func(context.Context, []*backoffice.Customer) ([]*backoffice.User, error) {
		panic("lost")
	}}, execute.Options{}))
	response, _ := do(t.Context(), e, operation{Query: `{ customers { nodes { id responsible { id } } } }`})
	if got, want := string(response.Data), `{"customers":{"nodes":[{"id":"0","responsible":null},{"id":"1","responsible":null}]}}`; got != want {
		t.Errorf("%s", got)
	}
	for i, err := range response.Errors {
		if want := fmt.Sprintf("customers.nodes[%d].responsible", i); err.Message != "panic: lost" || err.Path.String() != want {
			t.Errorf("%s at %s, want it at %s", err.Message, err.Path, want)
		}
	}
	if len(response.Errors) != 2 {
		t.Errorf("%d errors", len(response.Errors))
	}
}

func TestErrorsBeyondTheMostAreCounted(t *testing.T) {
	t.Parallel()
	e := serve(newFixed(fixed{customers: 50, responsible: func(context.Context, []*backoffice.Customer) ([]*backoffice.User, error) {
		return nil, errors.New("out of order")
	}}, execute.Options{MaxErrors: 20}))
	response, _ := do(t.Context(), e, operation{Query: `{ customers { nodes { responsible { id } } } }`})
	if len(response.Errors) != 20 || response.Extensions[execute.ErrorsOmitted] != 30 {
		t.Errorf("%d errors, extensions %v", len(response.Errors), response.Extensions)
	}
}

func TestAQueryWhoseRequestIsOverStopsBetweenLevels(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	called := false
	runner := func(ctx context.Context, calls []func(context.Context), last bool) {
		execute.Concurrently(ctx, calls, last)
		cancel()
	}
	e := serve(newFixed(fixed{customers: 1, responsible: func(_ context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error) {
		called = true
		return make([]*backoffice.User, len(objs)), nil
	}}, execute.Options{Runner: runner}))
	response, _ := do(ctx, e, operation{Query: `{ customers { nodes { responsible { id } } } }`})
	if called || string(response.Data) != "null" || len(response.Errors) != 1 || !errors.Is(response.Errors[0], context.Canceled) || response.Errors[0].Path != nil {
		t.Errorf("called %t, data %s, errors %v", called, response.Data, response.Errors)
	}
}

func TestAMutationWhoseRequestIsOverTellsWhatItHasDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var done []string
	e := serve(newFixed(fixed{label: func(_ context.Context, name string) (*inputs.CreateLabelPayload, error) {
		done = append(done, name)
		cancel()
		return &inputs.CreateLabelPayload{Label: &backoffice.Label{ID: name}}, nil
	}}, execute.Options{}))
	ctx = with(ctx, backoffice.AllScopes)
	response, _ := do(ctx, e, operation{Query: `mutation { a: createLabel(input: {name: "a"}) { label { id } } b: createLabel(input: {name: "b"}) { label { id } } }`})
	if got, want := string(response.Data), `{"a":{"label":{"id":"a"}},"b":null}`; got != want || len(response.Errors) != 1 || response.Errors[0].Path.String() != "b" {
		t.Errorf("%s, errors %v", got, response.Errors)
	}
	if !slices.Equal(done, []string{"a"}) {
		t.Errorf("done: %v", done)
	}
}

func TestMutationsRunInTheOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	var done []string
	e := serve(newFixed(fixed{label: func(_ context.Context, name string) (*inputs.CreateLabelPayload, error) {
		done = append(done, name)
		return nil, nil
	}}, execute.Options{}))
	fields := ""
	for _, name := range strings.Split("hgfedcba", "") {
		fields += fmt.Sprintf(` %s: createLabel(input: {name: %q}) { label { id } }`, name, name)
	}
	do(with(t.Context(), backoffice.AllScopes), e, operation{Query: "mutation {" + fields + "}"})
	if strings.Join(done, "") != "hgfedcba" {
		t.Errorf("done: %v", done)
	}
}

func TestAResolverLearnsWhatIsSelectedOfItsObjects(t *testing.T) {
	t.Parallel()
	type key struct{}
	var mu sync.Mutex
	prepared := 0
	var seen []string
	e := serve(newFixed(fixed{customers: 1, responsible: func(ctx context.Context, objs []*backoffice.Customer) ([]*backoffice.User, error) {
		seen = ctx.Value(key{}).([]string)
		return make([]*backoffice.User, len(objs)), nil
	}}, execute.Options{
		Prepare: func(s execute.Selection) any {
			mu.Lock()
			defer mu.Unlock()
			prepared++
			return append([]string{s.Name() + ":"}, s.Names()...)
		},
		Attach: func(ctx context.Context, prepared any) context.Context {
			return context.WithValue(ctx, key{}, prepared)
		},
	}))
	for range 3 {
		do(t.Context(), e, operation{Query: `{ customers { nodes { responsible { id ...F ... on User { labels { name } customers { edges { node { phone } } } } } } } } fragment F on User { lastName id }`})
	}
	if want := []string{"responsible:", "id", "lastName", "labels", "customers"}; !slices.Equal(seen, want) {
		t.Errorf("seen: %v", seen)
	}
	if prepared != 4 {
		t.Errorf("prepared %d times for 4 resolvers of one plan", prepared)
	}
}

func TestConditionsInVariablesChooseTheirPlan(t *testing.T) {
	t.Parallel()
	e := serve(newFixed(fixed{customers: 1}, execute.Options{}))
	for range 2 {
		for _, show := range []bool{true, false} {
			response, _ := do(t.Context(), e, operation{Query: `query($show: Boolean!) { customers { nodes { id name @include(if: $show) __typename @skip(if: $show) } } }`, Variables: map[string]any{"show": show}})
			want := `{"customers":{"nodes":[{"id":"0","name":null}]}}`
			if !show {
				want = `{"customers":{"nodes":[{"id":"0","__typename":"Customer"}]}}`
			}
			if string(response.Data) != want {
				t.Errorf("show %t: %s", show, response.Data)
			}
		}
	}
}

// Clients that build a schema from it, such as those on graphql-core, reject locations that they do not know.
func TestIntrospectionHasNoLocationOfALaterEdition(t *testing.T) {
	t.Parallel()
	e := serve(newFixed(fixed{}, execute.Options{}))
	response, _ := do(t.Context(), e, operation{Query: `{ __schema { directives { name locations } } __type(name: "__DirectiveLocation") { enumValues { name } } }`})
	if data := string(response.Data); strings.Contains(data, "DIRECTIVE_DEFINITION") || strings.Count(data, `"INPUT_FIELD_DEFINITION"`) < 2 {
		t.Error(data)
	}
}

func TestPlansAreDroppedWhenTheyTakeTooMuch(t *testing.T) {
	t.Parallel()
	prepared := 0
	limited := newFixed(fixed{customers: 1}, execute.Options{Prepare: func(execute.Selection) any { prepared++; return nil }, Attach: func(ctx context.Context, _ any) context.Context { return ctx }})
	limited.LimitPlans(8 << 10)
	e := serve(limited)
	for range 2 {
		for i := range 50 {
			if response, _ := do(t.Context(), e, operation{Query: fmt.Sprintf(`{ a%d: customers { nodes { id } } }`, i)}); response.Errors != nil {
				t.Fatal(response.Errors)
			}
		}
	}
	if prepared != 100 {
		t.Errorf("compiled %d times", prepared)
	}
}

func TestAPlanIsNoLargerThanItsDocument(t *testing.T) {
	t.Parallel()
	// Each fragment spreads the next one twice: written out, the selection has a million fields.
	query := "{ customers { nodes { ...F0 } } }"
	for i := range 20 {
		query += fmt.Sprintf(" fragment F%d on Customer { a%d: responsible { customers { nodes { ...F%d } } } b%d: responsible { customers { nodes { ...F%d } } } }", i, i, i+1, i, i+1)
	}
	query += " fragment F20 on Customer { id }"
	prepared := 0
	e := serve(newFixed(fixed{}, execute.Options{Prepare: func(execute.Selection) any { prepared++; return nil }, Attach: func(ctx context.Context, _ any) context.Context { return ctx }}))
	if response, refused := do(t.Context(), e, operation{Query: query}); refused != nil || response.Errors != nil {
		t.Fatal(refused, response)
	}
	if prepared > 200 {
		t.Errorf("a plan of %d resolvers", prepared)
	}
}

func TestABufferThatWasGivenBackIsUsedAgainAndAnAnswerThatIsKeptIsNot(t *testing.T) {
	t.Parallel()
	office := newOffice(t)
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			ctx, _ := office.request(t.Context())
			kept, _ := do(ctx, office.breadth, q2)
			text := string(kept.Data)
			for i := range 50 {
				ctx, _ := office.request(t.Context())
				ctx, release := execute.WithBuffer(ctx)
				id := fmt.Sprintf("customer-%03d", (worker+4*i)%customersOfOffice)
				response, _ := do(ctx, office.breadth, operation{Query: `query($id: ID!) { customer(id: $id) { id } }`, Variables: map[string]any{"id": id}})
				if want := `{"customer":{"id":"` + id + `"}}`; string(response.Data) != want {
					t.Errorf("%s, want %s", response.Data, want)
				}
				release()
			}
			if string(kept.Data) != text {
				t.Error("an answer changed after it was given")
			}
		})
	}
	wait.Wait()
}
