package exports

import (
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAThousandQueriesAreSavedAndNoMore(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	credential := o.Credential(t)
	act := backoffice.Change{Action: "test", Done: backoffice.Created}
	err := o.Store.ChangeTrustedDocuments(t.Context(), act, func([]*backoffice.TrustedDocument) (changes backoffice.TrustedChanges, err error) {
		for i := range backoffice.MaxSavedQueries - 1 {
			changes.Put = append(changes.Put, &backoffice.TrustedDocument{ID: fmt.Sprint(i), Name: fmt.Sprintf("N%d", i), Kind: "query", ClientID: "another"})
		}
		return changes, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"", "NOT_ALLOWED document"} {
		wrong := o.Saves(t, credential, map[string]any{"document": "query Q { viewer { name } }", "name": "last" + strings.ReplaceAll(want, " ", "")})
		if strings.Join(wrong, " ") != want {
			t.Errorf("got %v, want %q", wrong, want)
		}
	}
	if wrong := o.Saves(t, credential, map[string]any{"document": "query Q { viewer { clientId } }", "name": "last"}); wrong != nil {
		t.Errorf("what is saved cannot be replaced: %v", wrong)
	}
}

func TestACredentialSavesSoManyBytesAndNobodyElsesNamesAreLostByThem(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	greedy, other := o.Credential(t), o.Credential(t, backoffice.UsersWrite) // two credentials differ by their scopes
	text := func(name string) string {
		return fmt.Sprintf(`query %s { customers(first: 1, filter: {city: "%s"}) { nodes { id } } }`,
			name, strings.Repeat("x", 100<<10))
	}
	for _, want := range []struct {
		credential [2]string
		name       string
		is         string
	}{
		{greedy, "A", ""}, {greedy, "B", ""}, {greedy, "C", "NOT_ALLOWED document"}, {greedy, "B", ""}, // it is replaced
		{other, "D", ""},
	} {
		if wrong := o.Saves(t, want.credential, map[string]any{"document": text(want.name)}); strings.Join(wrong, " ") != want.is {
			t.Errorf("%s: %v, want %q", want.name, wrong, want.is)
		}
	}
	// Not even texts that are more than an answer holds keep their names from anybody: nothing reads them for that.
	act := backoffice.Change{Action: "test", Done: backoffice.Created}
	err := o.Store.ChangeTrustedDocuments(t.Context(), act, func([]*backoffice.TrustedDocument) (changes backoffice.TrustedChanges, err error) {
		for i := range 90 {
			name := fmt.Sprintf("N%d", i)
			changes.Put = append(changes.Put, &backoffice.TrustedDocument{
				ID: name, Name: name, Kind: "query", Set: "large", Text: strings.Repeat("x", 200<<10)})
		}
		return changes, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names := savedNames(t, o, other); len(names) != 93 {
		t.Errorf("%d names", len(names))
	}
	if _, code, _, _ := o.GraphQL(t, other, `{"query":"{ savedQueries { document } }"}`); code != "ANSWER_LIMIT" {
		t.Errorf("the texts: %s", code)
	}
}
