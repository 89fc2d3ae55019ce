package graphiql_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"example.org/backoffice/web/graphiql"
)

// worked is one worked query of the drawer: a .graphql file, and the .json file beside it if there is one.
type worked struct {
	file      string
	query     string
	Scopes    []string       `json:"scopes"`
	Variables map[string]any `json:"variables"`
	Prepare   string         `json:"prepare"`
	Missing   string         `json:"missing"`
}

func workedQueries(t *testing.T) []worked {
	t.Helper()
	var all []worked
	err := filepath.WalkDir("page/src/worked", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".graphql" {
			return err
		}
		w := worked{file: file, query: string(must(os.ReadFile(file)))}
		settings, err := os.ReadFile(strings.TrimSuffix(file, "graphql") + "json")
		if err == nil {
			err = json.Unmarshal(settings, &w)
		} else if os.IsNotExist(err) {
			err = nil
		}
		all = append(all, w)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func schema(t *testing.T) *ast.Schema {
	t.Helper()
	source := &ast.Source{Name: "schema.graphqls", Input: string(must(os.ReadFile("../../schema.graphqls")))}
	return gqlparser.MustLoadSchema(source)
}

func TestEveryWorkedQueryFitsTheSchema(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, w := range workedQueries(t) {
		document, errs := gqlparser.LoadQuery(s, w.query)
		if errs != nil {
			t.Errorf("%s: %v", w.file, errs)
			continue
		}
		operation := document.Operations[0]
		if len(document.Operations) != 1 || operation.Name == "" {
			t.Errorf("%s: not one operation with a name", w.file)
		}
		if w.Prepare != "" {
			if _, errs := gqlparser.LoadQuery(s, w.Prepare); errs != nil {
				t.Errorf("%s, prepare: %v", w.file, errs)
			}
		}
		variables, _ := filled(w.Variables).(map[string]any)
		if _, err := validator.VariableValues(s, operation, variables); err != nil {
			t.Errorf("%s, variables: %v", w.file, err)
		}
		for name := range variables {
			if operation.VariableDefinitions.ForName(name) == nil {
				t.Errorf("%s: the variable %s is not the operation's", w.file, name)
			}
		}
		for _, definition := range operation.VariableDefinitions {
			if _, ok := variables[definition.Variable]; !ok {
				t.Errorf("%s: the variable %s has no value to start from", w.file, definition.Variable)
			}
		}
	}
}

// filled stands in for what the page looks up: "$a.0.version" becomes a number, every other "$…" a text.
func filled(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			out[k] = filled(v)
		}
		return out
	case string:
		if strings.HasPrefix(value, "$") && strings.HasSuffix(value, ".version") {
			return 1
		}
	}
	return value
}

func TestWorkedQueriesDeclareTheScopesThatTheSchemaAsksFor(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, w := range workedQueries(t) {
		document, errs := gqlparser.LoadQuery(s, w.query)
		if errs != nil {
			t.Fatalf("%s: %v", w.file, errs)
		}
		scopes := map[string]bool{}
		gatherScopes(document.Operations[0].SelectionSet, scopes)
		got := []string{}
		for scope := range scopes {
			got = append(got, scope)
		}
		slices.Sort(got)
		want := append([]string{}, w.Scopes...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: declared (-) and asked for (+): %s", w.file, diff)
		}
	}
}

func gatherScopes(selections ast.SelectionSet, into map[string]bool) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			if guard := selection.Definition.Directives.ForName("hasScope"); guard != nil {
				scope := guard.Arguments.ForName("scope").Value.Raw
				into[strings.Replace(strings.ToLower(scope), "_", ".", 1)] = true
			}
			gatherScopes(selection.SelectionSet, into)
		case *ast.InlineFragment:
			gatherScopes(selection.SelectionSet, into)
		case *ast.FragmentSpread:
			gatherScopes(selection.Definition.SelectionSet, into)
		}
	}
}

func TestEveryMutationHasAWorkedQuery(t *testing.T) {
	t.Parallel()
	taught := map[string]bool{}
	for _, w := range workedQueries(t) {
		document, errs := gqlparser.LoadQuery(schema(t), w.query)
		if errs != nil {
			t.Fatalf("%s: %v", w.file, errs)
		}
		for _, selection := range document.Operations[0].SelectionSet {
			taught[selection.(*ast.Field).Name] = true
		}
	}
	for _, field := range schema(t).Mutation.Fields {
		if !taught[field.Name] {
			t.Errorf("no worked query shows the mutation %s", field.Name)
		}
	}
}

func TestWorkedQueriesHaveATitleALessonAndAKeyOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := workedQueries(t)
	if len(all) < 12 {
		t.Errorf("%d worked queries, want a dozen or more", len(all))
	}
	keys := map[string]string{}
	for _, w := range all {
		if !regexp.MustCompile(`^# [^\n]+\n# [^\n]+\n`).MatchString(w.query) {
			t.Errorf("%s does not begin with a title and a lesson", w.file)
		}
		name := regexp.MustCompile(`^\d\d-([a-z-]+)\.graphql$`).FindStringSubmatch(filepath.Base(w.file))
		if name == nil {
			t.Errorf("%s is not named NN-key.graphql", w.file)
			continue
		}
		if other := keys[name[1]]; other != "" {
			t.Errorf("%s and %s have the same key", w.file, other)
		}
		keys[name[1]] = w.file
	}
	_, first, _ := strings.Cut(graphiql.FirstQuery, "#worked=")
	if keys[first] != all[0].file {
		t.Errorf("FirstQuery opens %q, the first worked query is %s", first, all[0].file)
	}
}
