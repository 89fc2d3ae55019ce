package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink  = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	station   = regexp.MustCompile("\\]\\(([^)]+\\.go)\\) `(\\w+)`")
)

// brokenLinks are the files that a page links to and that are not there, and the functions that a file which it names
// does not have.
func brokenLinks(page, text string) (broken []string) {
	folder := filepath.Dir(page)
	text = codeBlock.ReplaceAllString(text, "")
	for _, link := range pageLink.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(folder, link[1])); err != nil {
			broken = append(broken, link[1])
		}
	}
	for _, named := range station.FindAllStringSubmatch(text, -1) {
		code, err := os.ReadFile(filepath.Join(folder, named[1]))
		if err != nil || !regexp.MustCompile(`(?m)^func (\([^)]*\) )?`+named[2]+`[(\[]`).Match(code) {
			broken = append(broken, named[1]+" "+named[2])
		}
	}
	return broken
}

func TestEveryFileAndFunctionThatAPageLinksToIsThere(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := filepath.Glob("../docs/adr/*.md")
	if err != nil || len(pages) < 5 || len(decisions) < 5 {
		t.Fatal(pages, decisions, err)
	}
	stations := 0
	for _, page := range append(append(pages, decisions...), "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		stations += len(station.FindAll(text, -1))
		for _, broken := range brokenLinks(page, string(text)) {
			t.Errorf("%s: %s", page, broken)
		}
	}
	if stations < 25 {
		t.Errorf("%d stations", stations)
	}
	wrong := "[a](../cli/none.go) [b](../cli/pages_test.go) `notThere` [c](https://example.org)"
	if broken := brokenLinks("../docs/reading.md", wrong); strings.Join(broken, ", ") != "../cli/none.go, ../cli/pages_test.go notThere" {
		t.Errorf("of a page that is wrong: %q", broken)
	}
}
