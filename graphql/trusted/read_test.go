package trusted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func written(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// In testdata/documents is what @apollo/generate-persisted-query-manifest, relay-compiler and the client preset of
// GraphQL Code Generator have written of the same queries.
func TestTheManifestsOfClientsToolsAreRead(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ documents, aliases int }{"apollo.json": {3, 0}, "relay.json": {1, 1}, "codegen.json": {3, 0}} {
		found, err := Read("../../testdata/documents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		aliases := 0
		for _, d := range found {
			aliases += len(d.Aliases)
			if !strings.Contains(d.Text, "{") || !strings.Contains(d.Place, name+": ") {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if len(found) != want.documents || aliases != want.aliases {
			t.Errorf("%s: %d documents with %d aliases", name, len(found), aliases)
		}
	}
}

func TestAManifestThatLiesOrIsNoneIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	other := strings.TrimPrefix(backoffice.DocumentID("{ other }"), "sha256:")
	for text, want := range map[string]string{
		`{"` + other + `": "{ a }"}`:                  "is not the SHA-256 of the text",
		`{"` + strings.ToUpper(other) + `": "{ a }"}`: "is not the SHA-256 of the text",
		`{"sha256:` + other + `": "{ a }"}`:           "is not the SHA-256 of the text",
		`{"sha256:abc": "{ a }"}`:                     "is not the SHA-256 of the text",
		`{"one": "{ a }", "one": "{ b }"}`:            "m.json: one: the identifier is also that of another document",
		`{"": "{ a }"}`:                               "an identifier must have 1 to",
		`{"a b": "{ a }"}`:                            "an identifier must have 1 to",
		`{"one": {"text": "{ a }"}}`:                  "not a manifest",
		`["{ a }"]`:                                   "not a manifest",
		`{"one": "{ a }"`:                             "it is not valid JSON at byte",
		`{"one": "{ a }"} {}`:                         "it is not valid JSON at byte",
		``:                                            "it is not valid JSON at byte",
		"{\"one\": \"\xff\"}":                         "it is not valid UTF-8",
		`{"format":"apollo-persisted-query-manifest","version":2}`:                                                                                  "only version 1 of Apollo's manifests is supported",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"` + other + `","name":"Lie","type":"query","body":"{ a }"}]}`: "m.json: operation 1 (Lie): the identifier is not the SHA-256",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":{}}`:                                                                  "not a manifest",
	} {
		folder := written(t, map[string]string{"m.json": text})
		if _, err := Read(filepath.Join(folder, "m.json")); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "m.json: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOneTextUnderSeveralIdentifiersIsOneDocument(t *testing.T) {
	t.Parallel()
	found, err := Read(filepath.Join(written(t, map[string]string{"m.json": `{"one": "{ a }", "two": "{ a }", "three": "{ b }"}`}), "m.json"))
	if err != nil || len(found) != 2 || !cmp.Equal(found[0].Aliases, []string{"one", "two"}) || !cmp.Equal(found[1].Aliases, []string{"three"}) {
		t.Error(found, err)
	}
}

func TestOperationsOfAFolderTakeTheirFragmentsWithThem(t *testing.T) {
	t.Parallel()
	alone := "\ufeff# Alone\n\nquery Alone { a { ...Own } }\r\nfragment Own on A { b }\n"
	folder := written(t, map[string]string{
		"alone.graphql": alone,
		"several.graphql": "# One\n# more\nquery One($a: In = {b: \"}\"}, $c: [Int!]) @d(e: {f: 1}) { a { ...Deep ... on A { c } } }\n" +
			"\"\"\"Two's\"\"\"\nmutation Two { a }\n{ short ...Shared }",
		"below/fragments.gql":    "# deep\nfragment Deep on A { ...Shared }\nfragment Shared on A { x }\nfragment Unused on A { y }",
		"node_modules/x.graphql": "query {",
		"notes.txt":              "query {",
	})
	found, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, d := range found {
		texts[strings.TrimPrefix(d.Place, folder+"/")] = d.Text
	}
	want := map[string]string{
		"alone.graphql:3": alone,
		"several.graphql:3": "# One\n# more\nquery One($a: In = {b: \"}\"}, $c: [Int!]) @d(e: {f: 1}) { a { ...Deep ... on A { c } } }\n\n" +
			"# deep\nfragment Deep on A { ...Shared }\n\nfragment Shared on A { x }\n",
		"several.graphql:4": "\"\"\"Two's\"\"\"\nmutation Two { a }\n",
		"several.graphql:6": "{ short ...Shared }\n\nfragment Shared on A { x }\n",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

func TestAFolderThatCannotBeTakenApartIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	for want, files := range map[string]map[string]string{
		"b.graphql:2: ":              {"a.graphql": "query A { a }", "b.graphql": "\nquery A { b }"},
		"the fragment Nobody":        {"a.graphql": "query A { a ...Nobody }"},
		"has the same name":          {"a.graphql": "query A { a } fragment F on A { b }", "b.graphql": "fragment F on A { c }"},
		"is incomplete":              {"a.graphql": "query A { a"},
		"an unmatched closing brace": {"a.graphql": "query A { a } }"},
		"an invalid token":           {"a.graphql": "query A { a % }"},
	} {
		if _, err := Read(written(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", files, err)
		}
	}
}

func FuzzSourcesAreTakenApartOrRefused(f *testing.F) {
	f.Add("# c\nquery A($a: I = {b: 1}) { a ...F }\nfragment F on A { b }")
	f.Add(`{ a } """d""" mutation B { c }`)
	f.Add("query { } } {")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSource("f", text)
		if err != nil {
			return
		}
		for _, d := range s.definitions {
			if !strings.Contains(text, d.text) || d.text == "" {
				t.Errorf("%q is not of %q", d.text, text)
			}
		}
	})
}
