package execute_test

import (
	"context"
	"slices"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/loaders"
	"example.org/backoffice/resolvers"
)

func TestListsOfAnObjectThatIsNamedAreReadInItsTrip(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var levels []int
	prefetching := serve(graph.NewBreadthFirst(
		graph.Config{Resolvers: &resolvers.Root{Keys: o.keys}, Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope}},
		execute.Options{
			Runner: func(ctx context.Context, calls []func(context.Context), last bool) {
				levels = append(levels, len(calls))
				loaders.Level(ctx, calls, last)
			},
			NeedsOnlyID: resolvers.NeedsOnlyID,
		}))
	for name, test := range map[string]struct {
		query  string
		levels []int // how many calls each has
	}{
		"a customer with two lists, and what hangs on those": {
			`{ customer(id: "customer-003") { name transcripts(first: 3) { nodes { id checklist { name } } } relations(first: 2) { nodes { kind } } responsible { lastName } } }`,
			[]int{3, 2},
		},
		"a list that is asked twice, under different names": {
			`{ customer(id: "customer-003") { a: transcripts(first: 1) { totalCount } b: transcripts(last: 1) { nodes { id } } } }`, []int{3, 1},
		},
		"two objects beside each other": {
			`{ a: user(id: "user-1") { customers(first: 2) { nodes { id } } } b: customer(id: "customer-001") { documents { nodes { id } } } }`, []int{4},
		},
		"an object that is not there": {
			`{ customer(id: "nobody") { transcripts(first: 3) { nodes { checklist { id } } } } }`, []int{2},
		},
		"an identifier that is none": {
			`{ customer(id: "no identifier") { relations { totalCount } } }`, []int{2},
		},
		"arguments that are refused": {
			`{ customer(id: "customer-003") { id transcripts(first: -1) { nodes { id } } } }`, []int{2},
		},
		"arguments that are refused, of an object that is not there": {
			`{ customer(id: "nobody") { id transcripts(first: -1) { nodes { id } } } }`, []int{2},
		},
		"nothing that hangs on the identity alone": {
			`{ customer(id: "customer-003") { responsible { lastName } } }`, []int{1, 1},
		},
	} {
		levels = nil
		timed, _ := o.request(t.Context(), backoffice.AllScopes...)
		want, refused := do(timed, o.oracle, operation{Query: test.query})
		if refused != nil {
			t.Fatalf("%s: %v", name, refused)
		}
		gated, _ := o.request(t.Context(), backoffice.AllScopes...)
		got, _ := do(gated, prefetching, operation{Query: test.query})
		if string(got.Data) != string(want.Data) {
			t.Errorf("%s:\n%s, gqlgen's own executor says\n%s", name, got.Data, want.Data)
		}
		if len(got.Errors) != len(want.Errors) {
			t.Errorf("%s: %v, gqlgen's own executor says %v", name, got.Errors, want.Errors)
		}
		if !slices.Equal(levels, test.levels) {
			t.Errorf("%s: calls per level %v, want %v", name, levels, test.levels)
		}
	}
}

func TestNothingIsAskedForEarlyThatADirectiveMayRefuse(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var levels []int
	prefetching := serve(graph.NewBreadthFirst(
		graph.Config{Resolvers: &resolvers.Root{Keys: o.keys}, Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope}},
		execute.Options{
			Runner: func(ctx context.Context, calls []func(context.Context), last bool) {
				levels = append(levels, len(calls))
				loaders.Level(ctx, calls, last)
			},
			NeedsOnlyID: func(string, string) bool { return true },
		}))
	ctx, _ := o.request(t.Context())
	if got, _ := do(ctx, prefetching, operation{Query: `{ minfinDocument(id: "minfin-1") { customer { id } } }`}); len(got.Errors) != 1 {
		t.Errorf("without the scope: %s %v", got.Data, got.Errors)
	}
	if !slices.Equal(levels, []int{1}) {
		t.Errorf("calls per level %v", levels)
	}
}
