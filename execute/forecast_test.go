package execute_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/forecast"
	"example.org/backoffice/graph"
	"example.org/backoffice/loaders"
	"example.org/backoffice/resolvers"
)

// foretold is how many statements an operation is said to take; through may put something before the imagined store. ok is false
// for an operation that is refused.
func (o *office) foretold(t *testing.T, op operation, through func(backoffice.Store) backoffice.Store) (most int, ok bool) {
	t.Helper()
	ctx := graphql.StartOperationTrace(t.Context())
	operation, refused := o.breadth.CreateOperationContext(ctx, &graphql.RawParams{Query: op.Query, Variables: op.Variables})
	if refused != nil {
		return 0, false
	}
	schema := o.resolving()
	viewer := &backoffice.Principal{ClientID: "imagined", Scopes: backoffice.AllScopes}
	most, known, err := forecast.Statements(graphql.WithOperationContext(ctx, operation), o.store, func(ctx context.Context, imagined backoffice.Store) error {
		ctx = o.vault.WithLedger(auth.WithPrincipal(ctx, viewer), viewer, nil)
		ctx = loaders.With(ctx, through(imagined), loaders.Gated)
		defer loaders.From(ctx).Close()
		return schema.Resolve(ctx)
	})
	if err != nil || !known {
		t.Fatalf("%v, known %v: %s %v", err, known, op.Query, op.Variables)
	}
	return most, true
}

// resolving is what the office's queries are executed by.
func (o *office) resolving() *execute.Executor {
	return graph.NewBreadthFirst(
		graph.Config{Resolvers: &resolvers.Root{Keys: o.keys}, Directives: graph.DirectiveRoot{HasScope: resolvers.HasScope}},
		execute.Options{
			Runner:  loaders.Level,
			Prepare: func(s execute.Selection) any { return loaders.NewFields(s.Names()) },
			Attach: func(ctx context.Context, prepared any) context.Context {
				return loaders.WithFields(ctx, prepared.(*loaders.Fields))
			},
			Early: resolvers.HangsOnIdentity,
		})
}

func unchanged(s backoffice.Store) backoffice.Store { return s }

// taken runs an operation and counts.
func (o *office) taken(t *testing.T, op operation) (statements int, response *graphql.Response) {
	t.Helper()
	ctx, calls := o.request(t.Context(), loaders.Gated, backoffice.AllScopes...)
	response, refused := do(ctx, o.breadth, op)
	if refused != nil {
		t.Fatal(refused, op.Query)
	}
	return calls.Count(), response
}

func TestNoRandomQueryTakesMoreStatementsThanForetold(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) backoffice.Store{"embedded": embeddedStore, "PostgreSQL": postgresStore} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := officeIn(t, open(t))
			ids, texts := o.identifiers(t)
			asked, exact := 0, 0
			repeat(t, 2*(*operationsFlag), func(t *testing.T, seed uint64) bool {
				op := randomOperation(o.schema.Schema(), rand.New(rand.NewPCG(seed, 3)), words{ids: ids, texts: texts})
				most, ok := o.foretold(t, op, unchanged)
				if !ok {
					return false
				}
				statements, response := o.taken(t, op)
				if statements > most {
					t.Fatalf("%d statements, and %d were foretold\n%s\n%v\n%s", statements, most, op.Query, op.Variables, response.Data)
				}
				if asked++; statements == most {
					exact++
				}
				return true
			})
			t.Logf("%d of %d took as many as foretold", exact, asked)
		})
	}
}

// reaching makes random queries of which no two levels ask for the same: each noun is referred to in one place, each list has a
// size of its own and each total is asked for once.
type reaching struct {
	schema *ast.Schema
	d      *rand.Rand
	used   map[string]bool
	sizes  int
	ids    map[string]string // of fields that take one
}

// asked is a field of such a query, with those below it.
type asked struct {
	key   string
	below []asked
}

func (r *reaching) selection(def *ast.Definition, depth int) (text string, fields []asked) {
	parts := []string{"__typename"}
	for _, at := range r.d.Perm(len(def.Fields))[:min(len(def.Fields), 2+r.d.IntN(4))] {
		f := def.Fields[at]
		result := r.schema.Types[f.Type.Name()]
		noun := result.Name
		key := fmt.Sprintf("f%d", len(r.used)+r.sizes)
		call := key + ": " + f.Name
		r.sizes++
		switch required := required(f); {
		case strings.HasPrefix(f.Name, "__") || f.Name == "privacyAccesses": // of which there are none
			continue
		case f.Name == "totalCount" || f.Name == "statusCounts":
			if r.used[def.Name+"."+f.Name] {
				continue
			}
			r.used[def.Name+"."+f.Name] = true
		case required != "" && r.ids[f.Name] == "":
			continue
		case required != "":
			call += fmt.Sprintf("(id: %q)", r.ids[f.Name])
		case f.Arguments.ForName("first") != nil && strings.HasSuffix(noun, "Connection"):
			call += fmt.Sprintf("(first: %d)", 2+r.sizes)
		}
		if !result.IsCompositeType() {
			parts = append(parts, call)
			continue
		}
		refers := isRow(result) && f.Name != "node" && f.Name != "nodes" // these have been read with their page
		if depth == 0 || result.Kind == ast.Interface || refers && r.used[noun] {
			continue
		}
		if refers {
			r.used[noun] = true
		}
		inner, below := r.selection(result, depth-1)
		parts = append(parts, call+" "+inner)
		fields = append(fields, asked{key, below})
	}
	return "{ " + strings.Join(parts, " ") + " }", fields
}

// isRow tells rows from what is only a part of them.
func isRow(def *ast.Definition) bool { return slices.Contains(def.Interfaces, "Node") }

func required(f *ast.FieldDefinition) string {
	for _, argument := range f.Arguments {
		if argument.Type.NonNull && argument.DefaultValue == nil {
			return argument.Name
		}
	}
	return ""
}

// reached says whether an answer has an object for each of the fields.
func reached(objects []map[string]any, fields []asked) bool {
	for _, f := range fields {
		var below []map[string]any
		for _, object := range objects {
			below = append(below, objectsIn(object[f.key])...)
		}
		if len(below) == 0 || !reached(below, f.below) {
			return false
		}
	}
	return true
}

func objectsIn(value any) (objects []map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		return []map[string]any{value}
	case []any:
		for _, item := range value {
			objects = append(objects, objectsIn(item)...)
		}
	}
	return objects
}

// reachingQuery is a query, and whether the office answers it with something at each level.
func (o *office) reachingQuery(t *testing.T, seed uint64) (op operation, statements int, reaches bool) {
	t.Helper()
	schema := o.schema.Schema()
	r := &reaching{schema: schema, d: rand.New(rand.NewPCG(seed, 4)), used: map[string]bool{}, ids: map[string]string{
		"customer": "customer-004", "transcript": "transcript-004-03", "user": "user-2", "checklist": "checklist-1", "financialYear": "year-1", "label": "label-1", "minfinDocument": "minfin-3",
	}}
	text, fields := r.selection(schema.Query, 1+r.d.IntN(8))
	op = operation{Query: text}
	statements, response := o.taken(t, op)
	var data map[string]any
	if err := json.Unmarshal(response.Data, &data); err != nil {
		t.Fatal(err)
	}
	return op, statements, len(response.Errors) == 0 && len(fields) > 0 && reached([]map[string]any{data}, fields)
}

func TestAQueryThatFindsSomethingAtEachLevelTakesAsManyStatementsAsForetold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	found, deepest := 0, 0
	for seed := uint64(1); found < 300; seed++ {
		if seed > 10_000 {
			t.Fatalf("only %d of %d queries find something at each level", found, seed)
		}
		op, statements, reaches := o.reachingQuery(t, seed)
		if !reaches {
			continue
		}
		found++
		deepest = max(deepest, statements)
		if most, _ := o.foretold(t, op, unchanged); most != statements {
			t.Errorf("seed %d: %d statements, and %d were foretold\n%s", seed, statements, most, op.Query)
		}
	}
	if deepest < 10 {
		t.Errorf("none of the queries takes more than %d statements", deepest)
	}
}

func TestTheReferenceQueriesTakeAsManyStatementsAsForetold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, op := range []operation{q1, q1edges, q2, q3, q5, {Query: `{ viewer { name } }`}, {Query: `{ __schema { queryType { name } } }`}} {
		statements, _ := o.taken(t, op)
		if most, _ := o.foretold(t, op, unchanged); most != statements {
			t.Errorf("%d statements, and %d were foretold: %s", statements, most, op.Query)
		}
	}
}

// forgetful is an imagined store whose customers on pages have nobody who is responsible for them.
type forgetful struct {
	backoffice.Store
	pages []*[]backoffice.Page[*backoffice.Customer]
}

func (f *forgetful) Customers() backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria] {
	return forgetfulReader{f.Store.Customers(), f}
}

func (f *forgetful) Send(ctx context.Context, b *backoffice.Batch) error {
	err := f.Store.Send(ctx, b)
	for _, pages := range f.pages {
		for _, page := range *pages {
			for _, c := range page.Items {
				c.ResponsibleID = ""
			}
		}
	}
	return err
}

type forgetfulReader struct {
	backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]
	of *forgetful
}

func (r forgetfulReader) Lists(b *backoffice.Batch, list backoffice.ListQuery[backoffice.CustomerCriteria], parents []string, want backoffice.Columns, into []backoffice.Page[*backoffice.Customer]) backoffice.Queued {
	r.of.pages = append(r.of.pages, &into)
	return r.Reader.Lists(b, list, parents, want, into)
}

func TestAForecastThatLeavesOutAReferenceIsFound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	statements, _ := o.taken(t, q1)
	if most, _ := o.foretold(t, q1, func(s backoffice.Store) backoffice.Store { return &forgetful{Store: s} }); most >= statements {
		t.Errorf("%d statements are foretold of %d, though nobody is responsible for a customer", most, statements)
	}
}

func TestAQueryThatFragmentsMakeLargeIsNotForetold(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	text := `{ customers(first: 1) { nodes { ...F0 } } }`
	for i := range 8 {
		text += fmt.Sprintf(` fragment F%d on Customer { a: relations(first: 1) { nodes { customer { ...F%d } relatedCustomer { ...F%d } } } b: relations(first: 2) { nodes { customer { ...F%d } relatedCustomer { ...F%d } } } }`, i, i+1, i+1, i+1, i+1)
	}
	text += ` fragment F8 on Customer { id }`
	ctx := graphql.StartOperationTrace(t.Context())
	operation, refused := o.breadth.CreateOperationContext(ctx, &graphql.RawParams{Query: text})
	if refused != nil {
		t.Fatal(refused)
	}
	runs := 0
	_, known, err := forecast.Statements(graphql.WithOperationContext(ctx, operation), o.store, func(ctx context.Context, imagined backoffice.Store) error {
		runs++
		ctx = loaders.With(ctx, imagined, loaders.Gated)
		defer loaders.From(ctx).Close()
		return o.resolving().Resolve(ctx)
	})
	if known || err != nil || runs != 1 {
		t.Errorf("known %v after %d runs, %v", known, runs, err)
	}
}
