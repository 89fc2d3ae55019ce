package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// trusts are the rows of documents list.
func (s *shell) trusts(t *testing.T, args ...string) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.must(t, append([]string{"documents", "list", "--format=jsonl"}, args...)...)) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func manifest(t *testing.T, texts map[string]string) string {
	t.Helper()
	content, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDocumentsAreTrustedListedAndRemoved(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	if out := s.must(t, "documents", "trust", "../testdata/documents/apollo.json", "--set", "portal"); !strings.HasPrefix(out, "3 documents trusted as portal: 3 new, 0 unchanged,") {
		t.Error(out)
	}
	s.must(t, "documents", "trust", "../testdata/documents/relay.json", "--set", "relay")
	rows := s.trusts(t)
	if len(rows) != 4 || rows[0]["name"] != "PortalCustomer" || rows[0]["id"] != "sha256:274124df5f3e21b1504dc5a586216d8150b332917a13ed3205a2dab11f0e4822" || rows[2]["kind"] != "mutation" ||
		rows[0]["cost"] == nil || rows[3]["set"] != "relay" || rows[3]["aliases"].([]any)[0] != "9349aaaa31e9f0067530e499e2108db0" || rows[2]["scopes"].([]any)[0] != "settings.write" {
		t.Errorf("listed as %v", rows)
	}
	s.must(t, "documents", "remove", "9349aaaa31e9f0067530e499e2108db0")
	if code, _, err := s.run(t, "documents", "remove", "9349aaaa31e9f0067530e499e2108db0"); code != exitFailure || !strings.Contains(err, "no such trusted document") {
		t.Error(code, err)
	}
	s.must(t, "documents", "remove", "--set", "portal")
	if rows := s.trusts(t); rows != nil {
		t.Error(rows)
	}
	for _, args := range [][]string{{"documents", "remove"}, {"documents", "remove", "id", "--set", "portal"}, {"documents", "trust", "x", "--set", "a b"}, {"documents", "trust", "x", "--set", "a", "--allow-removals", "-1"}} {
		if code, _, _ := s.run(t, args...); code != exitUsage {
			t.Errorf("%q ends with %d", args, code)
		}
	}
	log := s.must(t, "changes", "list", "--administration", "--format=jsonl")
	if strings.Count(log, "documents trust") != 2 || strings.Count(log, "documents remove") != 2 {
		t.Errorf("the change log: %s", log)
	}
}

func TestWhatAManifestHasNoMoreStaysUnlessItMayBeRemoved(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	before := map[string]string{}
	for i := range 5 {
		before[fmt.Sprintf("id-%d", i)] = fmt.Sprintf("query Q%d { viewer { name } }", i)
	}
	s.must(t, "documents", "trust", manifest(t, before), "--set", "portal")
	after := map[string]string{"id-0": before["id-0"], "id-1": before["id-1"], "new": "query New { viewer { name } }"}
	if out := s.must(t, "documents", "trust", manifest(t, after), "--set", "portal"); !strings.Contains(out, "1 new, 2 unchanged, 3 missing but kept, 0 removed") {
		t.Error(out)
	}
	retired := 0
	for _, row := range s.trusts(t, "--set", "portal") {
		if row["retiredAt"] != nil {
			retired++
		}
	}
	if retired != 3 {
		t.Errorf("%d are retired", retired)
	}
	empty := manifest(t, map[string]string{})
	if code, _, err := s.run(t, "documents", "trust", empty, "--set", "portal", "--allow-removals", "100"); code != exitFailure || !strings.Contains(err, "it has no documents") {
		t.Error(code, err)
	}
	if code, _, err := s.run(t, "documents", "trust", manifest(t, after), "--set", "portal", "--allow-removals", "2"); code != exitFailure || !strings.Contains(err, "3 documents would be removed") {
		t.Error(code, err)
	}
	if code, _, err := s.run(t, "documents", "trust", manifest(t, map[string]string{"id-4": "query Other { viewer { name } }"}), "--set", "mobile"); code != exitFailure || !strings.Contains(err, `the identifier id-4 belongs to another document of the set "portal"`) {
		t.Error(code, err)
	}
	if rows := s.trusts(t); len(rows) != 6 {
		t.Errorf("a refused act did something: %v", rows)
	}
	if out := s.must(t, "documents", "trust", manifest(t, before), "--set", "portal", "--allow-removals", "1"); !strings.Contains(out, "0 new, 5 unchanged, 0 missing but kept, 1 removed") {
		t.Error(out)
	}
	for _, row := range s.trusts(t) {
		if row["retiredAt"] != nil || row["name"] == "New" {
			t.Errorf("after the manifest of before: %v", row)
		}
	}
}

func TestACheckTellsAllThatTheSchemaWouldBreakWithoutAStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"good.graphql":   "query Good { viewer { name } }",
		"field.graphql":  "query Field {\n  viewer { nome }\n}",
		"number.graphql": `query Number { customers(filter: {registrationNumber: "85073003328"}) { totalCount } }`,
		"costly.graphql": "query Costly { customers(first: 500) { nodes { relations(first: 500) { nodes { id } } } } }",
		"deep.graphql":   "query Deep " + strings.Repeat("{ viewer ", 30) + "{ name }" + strings.Repeat(" }", 30),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, err := s.run(t, "documents", "check", folder)
	for _, want := range []string{
		"4 problems", folder + `/field.graphql:1: line 2, column 12 of the document: Cannot query field "nome"`, "/number.graphql:1: the document contains a value that needs a scope",
		"/costly.graphql:1: the operation costs 251001, more than 50000", "/deep.graphql:1: the document is deeper than 20",
	} {
		if code != exitFailure || !strings.Contains(err, want) {
			t.Errorf("%d %s\nwant %s", code, err, want)
		}
	}
	if strings.Contains(err, "good.graphql") || strings.Contains(err, "85073003328") {
		t.Error(err)
	}
	if code, _, err := s.run(t, "documents", "check", folder, "--limit-cost", "10000000", "--limit-depth", "100"); code != exitFailure || !strings.Contains(err, "3 problems") {
		t.Error(code, err)
	}
	if out := s.must(t, "documents", "check", filepath.Join(folder, "good.graphql")); out != "Valid: 1 document.\n" {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "data")); !os.IsNotExist(err) {
		t.Error("a check made a store")
	}
}

func TestACredentialIsMadeForTrustedDocumentsAlone(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	s.must(t, "credentials", "create", "--name", "portal", "--documents", "trusted")
	s.must(t, "credentials", "create", "--name", "analyst")
	out := s.must(t, "credentials", "list", "--format=jsonl")
	if strings.Count(out, `"documents":"trusted"`) != 1 || strings.Count(out, `"documents":"any"`) != 1 {
		t.Error(out)
	}
	if code, _, _ := s.run(t, "credentials", "create", "--name", "x", "--documents", "some"); code != exitUsage {
		t.Error(code)
	}
}

func TestAManifestOfAThousandTimesTheUsualSizeIsRefusedSoon(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	many := map[string]string{}
	for i := range backoffice.MaxTrustedDocuments + 1 {
		many[fmt.Sprint(i)] = fmt.Sprintf("query Q%d { viewer { name } }", i)
	}
	if code, _, err := s.run(t, "documents", "trust", manifest(t, many), "--set", "portal"); code != exitFailure || !strings.Contains(err, "a set has at most 20000 documents") {
		t.Error(code, err)
	}
	long := map[string]string{"long": "query Q { viewer { name } } #" + strings.Repeat("x", backoffice.MaxTrustedText)}
	if code, _, err := s.run(t, "documents", "trust", manifest(t, long), "--set", "portal"); code != exitFailure || !strings.Contains(err, "a document has at most 262144 bytes") {
		t.Error(code, err)
	}
	path := filepath.Join(t.TempDir(), "huge.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 65<<20); err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "documents", "trust", path, "--set", "portal"); code != exitFailure || !strings.Contains(err, "at most 67108864 bytes") {
		t.Error(code, err)
	}
}
