package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// atMost holds the size of the project. A count may fall, and its limit then falls with it; nothing raises a limit but
// a decision in docs/adr.
var atMost = map[string]int{
	"hand-written product lines": 91_122,
	"folders at the top":         22,
	"arrows between folders":     63,
	"arrows between packages":    126,
	"context.WithValue":          4,
	"lines over 120 columns":     349,
	"words in pages":             32_146,
}

func TestTheHouseGrowsNoLargerThanAllowed(t *testing.T) {
	t.Parallel()
	counts := countHouse(t, os.DirFS("."))
	folders := map[string]bool{}
	for name, imports := range productPackages() {
		for _, imported := range strings.Fields(imports) {
			counts["arrows between packages"]++
			if from, to := top(name), top(imported); from != to && !folders[from+" "+to] {
				folders[from+" "+to] = true
				counts["arrows between folders"]++
			}
		}
	}
	for what, n := range counts {
		switch most, known := atMost[what]; {
		case !known:
			t.Errorf("%s: no limit", what)
		case n > most:
			t.Errorf("%s: %d, at most %d", what, n, most)
		default:
			t.Logf("%s: %d of %d", what, n, most)
		}
	}
}

func TestALineTooManyIsCounted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a/a.go":              "package a\n\nvar ctx = context.WithValue(nil, 1, 2)\n//" + strings.Repeat("x", 119) + "\n",
		"a/a_test.go":         "package a\n",
		"graph/generated.go":  "package graph\n",
		"docs/page.md":        "Three words here\n",
		"a/node_modules/b.go": "package b\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for what, want := range map[string]int{
		"hand-written product lines": 4, "folders at the top": 3, "context.WithValue": 1, "lines over 120 columns": 1, "words in pages": 3,
	} {
		if got := countHouse(t, os.DirFS(folder))[what]; got != want {
			t.Errorf("%s: %d, not %d", what, got, want)
		}
	}
}

func TestWhatIsSkippedUnderTheRaceDetectorRunsWithoutIt(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	both := strings.Fields(string(regexp.MustCompile(`(?m)^RUN_BOTH = (.*)$`).FindSubmatch(rules)[1]))
	skipping := 0
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") || path == "house_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if regexp.MustCompile(`storetest\.(SkipUnderRace|Run)\(`).Match(text) {
			if skipping++; !slices.Contains(both, "./"+filepath.Dir(path)) {
				t.Errorf("%s skips tests under the race detector, and its package is not in the Makefile's RUN_BOTH", path)
			}
		}
		return err
	})
	if err != nil || skipping == 0 {
		t.Errorf("%d files skip tests, %v", skipping, err)
	}
}

// notProduct matches Go files that are generated, tools, tests or kits for tests.
var notProduct = regexp.MustCompile(
	`_test\.go$|_gen\.go$|^(graph|tools|deploy)/|/[a-z0-9]*test/`)

func countHouse(t *testing.T, house fs.FS) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := fs.WalkDir(house, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."),
			entry.IsDir() && (entry.Name() == "node_modules" || path == "bin" || path == "data"):
			return fs.SkipDir
		case entry.IsDir():
			if path != "." && !strings.Contains(path, "/") {
				counts["folders at the top"]++
			}
			return nil
		}
		page := strings.HasSuffix(path, ".md") &&
			(strings.HasPrefix(path, "docs/") || path == "README.md" || path == "CONTRIBUTING.md")
		product := strings.HasSuffix(path, ".go") && !notProduct.MatchString(path)
		if !page && !product {
			return nil
		}
		text, err := fs.ReadFile(house, path)
		if err != nil {
			return err
		}
		if page {
			counts["words in pages"] += len(bytes.Fields(text))
			return nil
		}
		counts["hand-written product lines"] += bytes.Count(text, []byte("\n"))
		counts["context.WithValue"] += bytes.Count(text, []byte("context.WithValue("))
		for line := range bytes.Lines(text) {
			if columns(line) > 120 {
				counts["lines over 120 columns"]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// columns counts a tab as up to four columns, as an editor shows it.
func columns(line []byte) (n int) {
	for _, r := range strings.TrimRight(string(line), "\n") {
		if n++; r == '\t' {
			n += 3 - (n-1)%4
		}
	}
	return n
}

// top is the folder at the top in which a package is.
func top(name string) string {
	folder, _, _ := strings.Cut(name, "/")
	return folder
}

// productPackages are the packages of the import law without tools and kits for tests.
func productPackages() map[string]string {
	packages := map[string]string{}
	for name, imports := range mayImport {
		if !notProduct.MatchString(name + "/") {
			packages[name] = imports
		}
	}
	return packages
}
