package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "example.org/backoffice"

// mayImport is the law of imports: every package of the modules, with those that it may import. gateway alone puts
// a transport and a store together.
var mayImport = map[string]string{
	"": "cli",
	"cli": "auth backoffice backoffice/evidence changes/webhooks demo files gateway graphql/export graphql/limits graphql/trusted " +
		"httpserver httpserver/tracing importexport importexport/mirror privacy privacy/kms store/ship " +
		"store/sqlite web/graphiql web/notices",
	"gateway": "auth auth/people backoffice backoffice/ownership changes changes/webhooks demo files graph " +
		"graphql/agents graphql/answers graphql/execute graphql/export graphql/graphqlhttp graphql/limits graphql/trusted httpserver httpserver/tracing importexport " +
		"loaders pdf privacy privacy/kms resolvers rest store/cache store/postgres store/ship store/sqlite web/apidocs " +
		"web/graphiql",

	"backoffice/evidence":  "backoffice",
	"backoffice/ownership": "backoffice",

	"backoffice":          "",
	"privacy":             "backoffice",
	"auth":                "backoffice",
	"auth/people":         "auth backoffice",
	"files":               "backoffice",
	"pdf":                 "backoffice",
	"rest/mapping":        "",
	"graphql/inputs":      "backoffice rest/mapping",
	"store/cache":         "backoffice store",
	"changes":             "backoffice",
	"changes/webhooks":    "backoffice changes privacy",
	"graphql/trusted":     "backoffice",
	"httpserver/tracing":  "backoffice",
	"privacy/kms":         "",
	"loaders":             "backoffice",
	"graphql/execute":     "",
	"graph":               "backoffice backoffice/ownership graphql/inputs graphql/execute",
	"resolvers":           "backoffice backoffice/ownership auth graph loaders privacy graphql/inputs",
	"rest":                "backoffice backoffice/evidence backoffice/ownership auth changes privacy files rest/mapping",
	"graphql/limits":      "backoffice",
	"graphql/answers":     "backoffice",
	"graphql/graphqlhttp": "backoffice graphql/answers graphql/limits",
	"graphql/agents":      "backoffice graphql/graphqlhttp",
	"graphql/export":      "auth backoffice files graphql/graphqlhttp graphql/limits privacy",
	"httpserver":          "backoffice graphql/limits",
	"web/static":          "",
	"web/graphiql":        "web/static",
	"web/apidocs":         "web/static",
	"web/notices":         "",
	"importexport":        "backoffice privacy files",
	"demo":                "backoffice privacy files pdf importexport",
	"importexport/mirror": "backoffice privacy files importexport",
	"store":               "backoffice store/migrations",
	"store/migrations":    "",
	"store/sqlite":        "backoffice store store/migrations",
	"store/ship":          "backoffice store/sqlite",
	"store/postgres":      "backoffice store store/migrations",

	// For tests.
	"store/storetest":       "backoffice store store/migrations",
	"backoffice/brokentest": "",
	"gateway/gatewaytest": "auth auth/people/peopletest backoffice backoffice/evidence cli gateway graphql/limits graphql/trusted importexport " +
		"store/cache store/postgres store/postgres/pgtest store/sqlite/sqlitetest",
	"store/sqlite/sqlitetest": "store/sqlite",
	"files/s3test":            "",
	"store/postgres/pgtest":   "",
	"web/static/webtest":      "",
	"auth/people/peopletest":  "",
	"privacy/kms/kmstest":     "",

	// Tests of the gateway, by promise.
	"gateway/agents":     "",
	"gateway/answers":    "",
	"gateway/exports":    "",
	"gateway/feed":       "",
	"gateway/limits":     "",
	"gateway/numbers":    "",
	"gateway/parity":     "",
	"gateway/restricted": "",

	// Programs and clients of their own.
	"rest/openapi":        "rest",
	"graphql/integration": "",
	"deploy/load":         "",

	// The tools, a module of their own.
	"tools/benchmarks":             "backoffice privacy store/postgres store/sqlite tools/benchmarks/data tools/rig",
	"tools/benchmarks/data":        "backoffice",
	"tools/benchmarks/floorb":      "backoffice",
	"tools/benchmarks/stockgqlgen": "",
	"tools/breadth":                "graphql/execute",
	"tools/chaos":                  "tools/rig",
	"tools/hostile":                "backoffice store/postgres tools/rig",
	"tools/kbo2ndjson":             "backoffice",
	"tools/notices":                "",
	"tools/overload":               "tools/rig",
	"tools/release":                "",
	"tools/reseal":                 "auth backoffice privacy store/sqlite tools/rig",
	"tools/rig":                    "",
	"tools/slowest":                "",
	"tools/soak":                   "tools/rig",
}

func TestEveryPackageKeepsToTheImportLaw(t *testing.T) {
	t.Parallel()
	var listed []byte
	for _, folder := range []string{".", "tools"} {
		out, err := exec.Command("go", "list", "-C", folder, "-json=ImportPath,Imports", "./...").Output()
		if err != nil {
			t.Fatal(folder, err)
		}
		listed = append(listed, out...)
	}
	found := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(listed))
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name, _ := pathOf(pkg.ImportPath)
		found[name] = true
		for _, breach := range breaches(name, pkg.Imports) {
			t.Error(breach)
		}
	}
	for name := range mayImport {
		if !found[name] {
			t.Errorf("the law knows %q, which is no package", name)
		}
	}
}

func TestTheImportLawRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, imports := range map[string][]string{
		"newcomer":   {"fmt"},                                                   // no law for it
		"privacy":    {"fmt", module + "/backoffice", module + "/store/sqlite"}, // more than its law says
		"backoffice": {"github.com/99designs/gqlgen/graphql"},
		"limits":     {module}, // nobody imports the program
	} {
		if found := breaches(name, imports); len(found) != 1 {
			t.Errorf("%s importing %q: %q", name, imports, found)
		}
	}
	if found := breaches("privacy", []string{"fmt", module + "/backoffice"}); found != nil {
		t.Errorf("what is allowed: %q", found)
	}
}

// breaches are what a package imports against the law.
func breaches(name string, imports []string) (found []string) {
	law, known := mayImport[name]
	if !known {
		return []string{name + " is not in the law: say which packages it may import"}
	}
	for _, imported := range imports {
		other, ours := pathOf(imported)
		if ours && !slices.Contains(strings.Fields(law), other) {
			found = append(found, name+" imports "+imported)
		}
		if strings.Contains(imported, "gqlgen") && (name == "backoffice" || name == "rest" || strings.HasPrefix(name, "store")) {
			found = append(found, name+" knows gqlgen")
		}
	}
	return found
}

// placesOf are the files of the product that have a call.
var placesOf = map[string][]string{
	// Whatever lives longer than one answer ends with the rights of its caller, or is made of parts that ask again.
	".Revalidate(":                {"auth/inflight.go", "gateway/admission.go"},
	"authenticator.Begin(":        {"gateway/feed_socket.go"},
	"authenticator.beginRequest(": {"auth/middleware.go"},
	"WithPrincipal(":              {"auth/inflight.go", "auth/principal.go", "gateway/admission.go", "gateway/agents.go", "gateway/operator.go"},
	".WithNewLedger(":             {"gateway/admission.go"},
	"hooks.Begin(":                {"graphql/graphqlhttp/operation.go", "graphql/graphqlhttp/part.go"},
}

func TestWhoACallerIsIsDecidedInFewPlaces(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || path != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || notProduct.MatchString(path):
			return nil
		}
		text, err := os.ReadFile(path)
		for call := range placesOf {
			if strings.Contains(string(text), call) {
				found[call] = append(found[call], filepath.ToSlash(path))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for call, places := range placesOf {
		if !slices.Equal(found[call], places) {
			t.Errorf("%s is in %q, not in %q", call, found[call], places)
		}
	}
}

// pathOf is a package's path within the module, if it is ours.
func pathOf(path string) (name string, ours bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}
