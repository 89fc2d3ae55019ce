package store

import "testing"

func TestAStatementSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		named("relations.page", "SELECT t.id FROM relations t"):              "relations.page",
		"DELETE " + naming("user_labels", "delete") + "FROM user_labels":     "user_labels.delete",
		named("changes.append", "WITH e AS (SELECT 1) "+unnamed(endsOfFeed)): "changes.append",
		unnamed(totalText):                   "",
		"SELECT 1":                           "",
		"":                                   "",
		"SELECT /*backoffice:without an end": "",
	} {
		if got := (&Statement{Text: text}).Name(); got != want {
			t.Errorf("%q is called %q, not %q", text, got, want)
		}
	}
	if got := named("a.b", "SELECT 1 FROM a"); got != "SELECT /*backoffice:a.b*/ 1 FROM a" || unnamed(got) != "SELECT 1 FROM a" {
		t.Errorf("%q and back %q", got, unnamed(got))
	}
}
