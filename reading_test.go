package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/cover"
)

const (
	mostOnTheWay = 45 // functions; nothing raises it but a decision in docs/adr
	statements   = 8  // that a query executes of a function that docs/reading.md names
	queries      = 3_000
)

// TestReadingNamesTheFunctionsOfAQuery runs the query of docs/reading.md on the default server until its memory answers
// it, and compares the functions that a coverage run finds with those of the page.
func TestReadingNamesTheFunctionsOfAQuery(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/reading.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## A query\n")
	section, _, _ = strings.Cut(section, "\n## ")
	named := map[string]bool{}
	for _, step := range regexp.MustCompile("\\]\\(\\.\\./(\\S+\\.go)\\)(,?\\s+`\\w+`)+").FindAllStringSubmatch(section, -1) {
		for _, function := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(step[0], -1) {
			named[step[1]+" "+function[1]] = true
		}
	}
	query := regexp.MustCompile("`({ customers .*?)`").FindStringSubmatch(section)
	if query == nil {
		t.Fatal("the page has no query")
	}
	passed := passedBy(t, query[1])
	for _, function := range passed {
		if !named[function] {
			t.Errorf("docs/reading.md lacks %s", function)
		}
	}
	for function := range named {
		if !slices.Contains(passed, function) {
			t.Errorf("docs/reading.md names %s, of which a query executes fewer than %d statements", function, statements)
		}
	}
	if t.Logf("%d of %d:\n%s", len(passed), mostOnTheWay, strings.Join(passed, "\n")); len(passed) > mostOnTheWay {
		t.Errorf("a query passes %d functions, at most %d", len(passed), mostOnTheWay)
	}
}

// passedBy returns the functions ("path/file.go name") of which every query executes enough statements.
func passedBy(t *testing.T, query string) (passed []string) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "backoffice")
	counted := slices.DeleteFunc(strings.Fields(runGo(t, ".", "list", "./...")), func(path string) bool {
		return path == "example.org/backoffice/graph" // generated, and as large as all others
	})
	runGo(t, ".", "build", quicklyBuilt, "-ldflags=-s -w", "-cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(counted, ","), "-o", program, ".")
	ask(t, program, folder, query, 1) // which fills the store
	counters := ask(t, program, folder, query, queries)
	text := filepath.Join(folder, "profile")
	runGo(t, ".", "tool", "covdata", "textfmt", "-i="+counters, "-o="+text)
	profiles, err := cover.ParseProfiles(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, profile := range profiles {
		name := strings.TrimPrefix(profile.FileName, "example.org/backoffice/")
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range tree.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			executed, first, last := 0, files.Position(function.Pos()).Line, files.Position(function.End()).Line
			for _, block := range profile.Blocks {
				if block.StartLine >= first && block.EndLine <= last && block.Count >= queries {
					executed += block.NumStmt
				}
			}
			if executed >= statements {
				passed = append(passed, name+" "+function.Name.Name)
			}
		}
	}
	return passed
}

// ask serves sample data from a folder, sends the query so many times, and stops the server, which then writes its
// counters into the folder that ask returns.
func ask(t *testing.T, program, folder, query string, times int) (counters string) {
	t.Helper()
	counters = t.TempDir()
	server := exec.Command(program, "demo", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--customers", "60", "--no-cache-answers", "--log-format", "text")
	server.Dir = folder
	server.Env = append(os.Environ(), "GOCOVERDIR="+counters)
	var log bytes.Buffer
	server.Stderr = &log
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	shown, address := map[string]string{}, ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), ": ")
		if value = strings.TrimSpace(value); shown[name] == "" { // of the first credential, which has every scope
			shown[name] = value
		}
		address, _, _ = strings.Cut(shown["GraphiQL"], "/graphiql")
	}
	go func() { _, _ = io.Copy(io.Discard, out); ended <- server.Wait() }()
	for range times {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/graphql", strings.NewReader(fmt.Sprintf(`{"query": %q}`, query)))
		request.Header.Set("Content-Type", "application/json")
		for _, name := range []string{"x-client-id", "x-client-secret"} {
			request.Header.Set(name, shown[name])
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			_ = server.Process.Kill()
			t.Fatalf("%v\n%s", err, log.String())
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if !bytes.Contains(body, []byte(`"displayName":"`)) {
			_ = server.Process.Kill()
			t.Fatalf("%d %.300s", response.StatusCode, body)
		}
	}
	_ = server.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%v\n%s", err, log.String())
		}
	case <-time.After(time.Minute):
		_ = server.Process.Kill()
		t.Fatalf("the server does not stop\n%s", log.String())
	}
	return counters
}
