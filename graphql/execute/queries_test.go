package execute_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/execute"
)

// The reference queries of docs/performance.md.
var (
	q1 = operation{Query: `{ customers(first: 50) { nodes { name responsible { firstName lastName }
		relations(first: 10) { nodes { kind relatedCustomer { name } } }
		transcripts(first: 10) { nodes { status checklist { name } financialYear { startDate } } } } } }`}
	q1edges = operation{Query: `{ customers(first: 50) { nodes { name responsible { firstName lastName }
		relations(first: 10) { edges { otherCustomer { name } } }
		transcripts(first: 10) { nodes { status checklist { name } financialYear { startDate } } } } } }`}
	q2 = operation{Query: `{ customer(id: "customer-007") { name transcripts(first: 10) { nodes { status checklist { name } } } } }`}
	q3 = operation{Query: `{ customers(first: 100) { totalCount nodes { id name email updatedAt } } }`}
	q4 = operation{Query: `{ customers(first: 20) { nodes { name relations(first: 5) { nodes { relatedCustomer { name
		relations(first: 5) { nodes { relatedCustomer { name transcripts(first: 5) { nodes { status checklist { name } } } } } } } } } } } }`}
	q5 = operation{Query: `{ customers(first: 100) { nodes { id name email updatedAt } } }`}
)

func TestALevelOfTheReferenceQueriesIsOneStatementPerLoader(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) backoffice.Store{"embedded": embeddedStore, "PostgreSQL": postgresStore} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			countStatements(t, officeIn(t, open(t)))
		})
	}
}

func countStatements(t *testing.T, office *office) {
	for _, test := range []struct {
		name       string
		query      operation
		statements int
	}{
		{"Q1", q1, 7}, {"Q1 by edges", q1edges, 7}, {"Q2", q2, 3}, {"Q3", q3, 2}, {"Q4", q4, 7}, {"Q5", q5, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, calls := office.request(t.Context())
			response, refused := do(ctx, office.breadth, test.query)
			if refused != nil || len(response.Errors) > 0 || !json.Valid(response.Data) {
				t.Fatal(refused, response)
			}
			if calls.Count() != test.statements {
				t.Errorf("%d statements, want %d", calls.Count(), test.statements)
			}
			timed, _ := office.request(t.Context())
			if want, _ := do(timed, office.oracle, test.query); string(want.Data) != string(response.Data) {
				t.Errorf("%s\nwant\n%s", response.Data, want.Data)
			}
		})
	}
}

// counting notes how many calls each level had.
func counting(levels *[]int) execute.Runner {
	return func(ctx context.Context, calls []func(context.Context), last bool) {
		*levels = append(*levels, len(calls))
		execute.Concurrently(ctx, calls, last)
	}
}

func TestResolversAtDifferentDepthsShareALevel(t *testing.T) {
	t.Parallel()
	var levels []int
	w := &world{seed: 4}
	e := serve(graph.NewBreadthFirst(configOf(w), execute.Options{Runner: counting(&levels)}))
	// hasNextPage stands two objects below transcripts, customer four: both need no more than transcripts' results.
	if _, refused := do(t.Context(), e, operation{Query: `{ customers { nodes { id transcripts { pageInfo { hasNextPage } edges { node { customer { id } } } } } } }`}); refused != nil {
		t.Fatal(refused)
	}
	if len(levels) != 3 || levels[0] != 1 || levels[1] != 1 || levels[2] != 2 {
		t.Errorf("calls per level: %v", levels)
	}
}

func TestAFieldIsGuardedOncePerLevelAndEachPathIsTold(t *testing.T) {
	t.Parallel()
	people := 0
	for seed := uint64(1); people < 2; seed++ {
		config := configOf(&world{seed: seed})
		var asked atomic.Int32
		refuse := config.Directives.HasScope
		config.Directives.HasScope = func(ctx context.Context, obj any, next graphql.Resolver, scope backoffice.Scope) (any, error) {
			asked.Add(1)
			return refuse(ctx, obj, next, scope)
		}
		e := serve(graph.NewBreadthFirst(config, execute.Options{}))
		response, _ := do(t.Context(), e, operation{Query: `{ customers { nodes { registrationNumber } } }`})
		people = strings.Count(string(response.Data), "registrationNumber")
		if len(response.Errors) != people || asked.Load() != int32(min(people, 1)) {
			t.Errorf("%d customers, %d errors, asked %d times", people, len(response.Errors), asked.Load())
		}
	}
}

func TestTheRunnerIsToldWhichLevelIsTheLast(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`{ customers { nodes { id displayName } } }`: "last",
		`{ __typename }`: "",
		`{ a: customers { nodes { id } } b: customers { nodes { responsible { id } } } }`:               "then last",
		`{ customers { nodes { transcripts { nodes { checklist { id } } pageInfo { endCursor } } } } }`: "then then last",
		`mutation { createLabel(input: {name: "x"}) { label { id } } }`:                                 "then",
	} {
		var told []string
		e := serve(graph.NewBreadthFirst(configOf(&world{seed: 4}), execute.Options{Runner: func(ctx context.Context, calls []func(context.Context), last bool) {
			told = append(told, map[bool]string{true: "last", false: "then"}[last])
			execute.Concurrently(ctx, calls, last)
		}}))
		do(t.Context(), e, operation{Query: query})
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s\n got %q, want %q", query, got, want)
		}
	}
}
