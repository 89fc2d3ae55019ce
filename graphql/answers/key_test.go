package answers_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
)

func keyOf(ctx context.Context, value any) *answers.Key {
	operation := &ast.OperationDefinition{VariableDefinitions: ast.VariableDefinitionList{{Variable: "a"}, {Variable: "b"}}}
	variables := map[string]any{"a": value, "c": "not declared"}
	return answers.KeyOf(ctx, sha256.Sum256(nil), operation, variables)
}

func TestKeysDifferByAllThatTheAnswerDependsOn(t *testing.T) {
	t.Parallel()
	restricted := func(id string) context.Context {
		to, err := backoffice.NewRestriction(backoffice.RestrictionFields{Customers: []string{id}})
		if err != nil {
			t.Fatal(err)
		}
		return backoffice.WithRequest(t.Context(), func(r *backoffice.Request) { r.Restriction = to })
	}
	with := func(scopes ...backoffice.Scope) context.Context {
		return backoffice.WithRequest(t.Context(), func(r *backoffice.Request) { r.Principal = &backoffice.Principal{Scopes: scopes} })
	}
	seen := map[answers.Key]string{}
	note := func(what string, key *answers.Key) {
		t.Helper()
		if key == nil {
			t.Fatalf("%s has no key", what)
		}
		if other, known := seen[*key]; known {
			t.Errorf("%s has the key of %s", what, other)
		}
		seen[*key] = what
	}
	for what, ctx := range map[string]context.Context{
		"nobody": t.Context(), "privacy.read": with(backoffice.PrivacyRead), "minfin.read": with(backoffice.MinfinRead),
		"both": with(backoffice.PrivacyRead, backoffice.MinfinRead), "a": restricted("a"), "b": restricted("b"),
	} {
		note(what, keyOf(ctx, "x"))
	}
	for what, value := range map[string]any{
		"null": nil, "true": true, "false": false, "1": int64(1), "1.0": float64(1), "an instant": backoffice.Instant(1),
		"a text": "1", "JSON": json.RawMessage("1"), "[1]": []any{int64(1)}, "[[1]]": []any{[]any{int64(1)}}, "[]": []any{},
		"{}": map[string]any{}, "{a: 1}": map[string]any{"a": int64(1)}, "{b: 1}": map[string]any{"b": int64(1)},
		"[a, b]": []any{"a", "b"}, "[ab]": []any{"ab"}, "[a, null]": []any{"a", nil},
	} {
		note(what, keyOf(t.Context(), value))
	}
	if keyOf(with(backoffice.MinfinRead, backoffice.PrivacyRead), "x") == nil || seen[*keyOf(with(backoffice.MinfinRead, backoffice.PrivacyRead), "x")] != "both" {
		t.Error("the order of scopes makes a difference")
	}
}

func TestAValueThatIsUnknownOrLongHasNoKey(t *testing.T) {
	t.Parallel()
	for what, value := range map[string]any{"a struct": struct{}{}, "a struct in a list": []any{struct{}{}},
		"a struct in an object": map[string]any{"a": struct{}{}}, "a long text": strings.Repeat("x", 5<<10)} {
		if keyOf(t.Context(), value) != nil {
			t.Errorf("%s has a key", what)
		}
	}
}
