package graphqlhttp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// explain is what a client wants to know about an operation, with its answer or instead of it.
type explain uint8

const (
	explainNothing explain = iota
	explainCost            // its cost, with the answer: "x-explain: true"
	explainPlan            // its plan; it does not run: "x-explain: plan"
)

func explainOf(header http.Header) explain {
	switch header.Get("X-Explain") {
	case "true":
		return explainCost
	case "plan":
		return explainPlan
	}
	return explainNothing
}

type explanation struct {
	Depth      int      `json:"depth"`
	Cost       int      `json:"cost"`
	Limit      int      `json:"limit"`
	Scopes     []string `json:"scopes"`               // for the whole answer, such as "privacy.read"
	StoreCalls *int     `json:"storeCalls,omitempty"` // nil for whom mayKnowWork says no
	Budget     any      `json:"budget,omitempty"`     // of the credential, when it has one
	Levels     []Level  `json:"levels,omitempty"`     // of an operation that ran, likewise
}

// Level is what an operation did at one time, for the log and clients that ask; without fields the work outside levels.
type Level struct {
	Fields       int         `json:"fields"` // whose resolvers were called
	Milliseconds float64     `json:"milliseconds"`
	Rows         int         `json:"rows"` // read, but by writes and from memory
	Statements   []Statement `json:"statements"`
}

// Statement is the work of the statements of one name in a level.
type Statement struct {
	Name         string  `json:"name"` // such as relations.page
	Times        int     `json:"times"`
	Rows         int     `json:"rows"`
	Milliseconds float64 `json:"milliseconds"` // includes the wait
	Waited       float64 `json:"waited"`       // for a connection, in milliseconds
	Replica      bool    `json:"replica"`      // a replica answered
}

func Levels(timeline *backoffice.Timeline) []Level {
	noted := timeline.Levels()
	levels := make([]Level, len(noted))
	for i, l := range noted {
		levels[i] = Level{Fields: l.Fields, Milliseconds: milliseconds(l.Ended.Sub(l.Began)), Rows: l.Rows(),
			Statements: make([]Statement, len(l.Statements))}
		for j, s := range l.Statements {
			levels[i].Statements[j] = Statement{Name: s.Name, Times: s.Times, Rows: s.Rows, Replica: s.Replica,
				Milliseconds: milliseconds(s.Ended.Sub(s.Began)), Waited: milliseconds(s.Waited)}
		}
	}
	return levels
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }

// explained adds an operation's cost, for a client that asks.
func (g *GraphQL) explained(ctx context.Context, a answer, q *prepared) answer {
	if q.explain != explainCost {
		return a
	}
	shown := explanation{
		Depth:  q.depth,
		Cost:   q.cost,
		Limit:  g.limits.Cost,
		Scopes: g.scopesOf(q),
	}
	if mayKnowWork(ctx, q) {
		shown.Levels, shown.StoreCalls = Levels(backoffice.TimelineOf(ctx)), new(int)
		if calls := backoffice.StatementCountOf(ctx); calls != nil {
			*shown.StoreCalls = calls.Count()
		}
	}
	shown.Budget = remaining(ctx)
	a.extensions = with(a.extensions, "cost", shown)
	return a
}

// mayKnowWork reports whether a caller may know which statements ran: what is out of a restricted caller's view empties
// the cache, and a write has statements for minfin documents and registration numbers that the caller may not read.
func mayKnowWork(ctx context.Context, q *prepared) bool {
	return !backoffice.RestrictionOf(ctx).IsSet() && (q.Operation != ast.Mutation ||
		len(missing(ctx, []string{string(backoffice.MinfinRead), string(backoffice.PrivacyRead)})) == 0)
}

func remaining(ctx context.Context) any {
	if budget := backoffice.RequestOf(ctx).CostBudget; budget != nil {
		return budget.Remaining()
	}
	return nil
}

// refused answers why an operation was not executed, with the credential's budget if that was exceeded, asked or not.
func (g *GraphQL) refused(ctx context.Context, media string, q *prepared, err error) answer {
	a := refusal(media, g.Present(ctx, err))
	if q.explain != explainCost && codeOfError(a.errors[0]) == codeRateLimited {
		if budget := remaining(ctx); budget != nil {
			a.extensions = with(a.extensions, "cost", struct {
				Cost   int `json:"cost"`
				Limit  int `json:"limit"`
				Budget any `json:"budget"`
			}{q.cost, g.limits.Cost, budget})
		}
	}
	return g.explained(ctx, a, q)
}

type plan struct {
	Cost           int      `json:"cost"`
	MaximumCost    int      `json:"maximumCost"`
	Depth          int      `json:"depth"`
	RequiredScopes []string `json:"requiredScopes"` // for the whole answer, such as "privacy.read"
	MissingScopes  []string `json:"missingScopes"`  // those that the caller lacks
}

// plan answers with an operation's plan instead of its answer, even when it would be rejected for its cost or a missing
// scope. For a mutation or a subscription only running it shows what it takes.
func (g *GraphQL) plan(ctx context.Context, media string, q *prepared) answer {
	shown := plan{Cost: q.cost, MaximumCost: g.limits.Cost, Depth: q.depth, RequiredScopes: g.scopesOf(q)}
	shown.MissingScopes = missing(ctx, shown.RequiredScopes)
	return answer{status: http.StatusOK, media: media, extensions: map[string]any{"plan": shown}}
}

func missing(ctx context.Context, of []string) []string {
	principal := backoffice.RequestOf(ctx).Principal
	has := func(scope string) bool { return principal.Has(backoffice.Scope(scope)) }
	return slices.DeleteFunc(slices.Clone(of), has)
}

func (g *GraphQL) scopesOf(q *prepared) []string {
	return append([]string{}, limits.Scopes(g.schema, q.OperationDefinition, q.variables)...)
}
