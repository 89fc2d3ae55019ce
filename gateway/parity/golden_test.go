package parity

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

var updateGolden = flag.Bool("update", false, "write the answers of the golden tests anew")

// Each file of testdata/golden is a query against the office of testdata/office, its answer and the number of store
// calls that it takes; both engines answer byte for byte the same. Optional parts: variables.json; scopes, one a line
// (absent: all); headers.
func TestTheGoldenQueriesAreAnsweredAsWritten(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden queries: %v", err)
	}
	for engine, database := range gatewaytest.Engines {
		if *updateGolden && engine != "SQLite" {
			continue
		}
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			checkGoldens(t, gatewaytest.OpenOn(t, database(t)), paths)
		})
	}
}

func checkGoldens(t *testing.T, o *gatewaytest.Office, paths []string) {
	goldens := make([]*golden, len(paths))
	for i, path := range paths {
		goldens[i] = readGolden(t, o, path)
		o.Credential(t, goldens[i].scopes...) // before the first request, so that no snapshot of the credentials is older
	}
	for _, g := range goldens {
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(g.path), ".txtar"), "-", " ")
		t.Run(name, func(t *testing.T) { checkGolden(t, o, g) })
	}
}

type golden struct {
	path    string
	history string // of the change log
	archive *txtar.Archive
	parts   map[string]string
	scopes  []backoffice.Scope
}

// readGolden reads a query for an office; ${history} in it is the history of the office's change log.
func readGolden(t *testing.T, o *gatewaytest.Office, path string) *golden {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	history, _, _ := strings.Cut(o.Cursor(t, 0), ".")
	g := &golden{path: path, history: history, archive: archive, parts: map[string]string{}, scopes: backoffice.AllScopes}
	for _, file := range archive.Files {
		g.parts[file.Name] = strings.ReplaceAll(string(file.Data), "${history}", history)
	}
	if text, given := g.parts["scopes"]; given {
		g.scopes = nil
		for _, name := range strings.Fields(text) {
			scope, err := backoffice.ParseScope(name)
			if err != nil {
				t.Fatal(err)
			}
			g.scopes = append(g.scopes, scope)
		}
	}
	return g
}

func checkGolden(t *testing.T, o *gatewaytest.Office, g *golden) {
	parts := g.parts
	header := http.Header{}
	for _, line := range strings.Split(strings.TrimSpace(parts["headers"]), "\n") {
		if name, value, found := strings.Cut(line, ": "); found {
			header.Set(name, value)
		}
	}
	var variables json.RawMessage
	if text := parts["variables.json"]; text != "" {
		variables = json.RawMessage(text)
	}
	_, body, calls := o.Ask(t, o.Credential(t, g.scopes...), parts["query.graphql"], variables, header)
	got := []txtar.File{{Name: "want.json", Data: []byte(pretty(t, withoutChance(body)))}, {Name: "calls", Data: []byte(strconv.Itoa(calls) + "\n")}}
	if *updateGolden {
		for _, part := range got {
			part.Data = []byte(strings.ReplaceAll(string(part.Data), g.history, "${history}"))
			setPart(g.archive, part)
		}
		if err := os.WriteFile(g.path, txtar.Format(g.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, part := range got {
		if parts[part.Name] != string(part.Data) {
			t.Errorf("%s is\n%s\nand should be\n%s", part.Name, part.Data, parts[part.Name])
		}
	}
}

func setPart(archive *txtar.Archive, part txtar.File) {
	for i := range archive.Files {
		if archive.Files[i].Name == part.Name {
			archive.Files[i] = part
			return
		}
	}
	archive.Files = append(archive.Files, part)
}

var chance = regexp.MustCompile(`(signature=|"requestId": ?")[^"]+`)

// withoutChance masks what differs from run to run.
func withoutChance(body []byte) []byte { return chance.ReplaceAll(body, []byte("${1}…")) }

// pretty lays out JSON for reading and comparing.
func pretty(t testing.TB, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(data), "", "  "); err != nil {
		t.Fatalf("the answer is not JSON: %v\n%s", err, data)
	}
	return strings.TrimSpace(out.String()) + "\n"
}
