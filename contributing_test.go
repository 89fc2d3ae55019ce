package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheExamplesOfContributingWork does to a copy of the module what CONTRIBUTING shows, generates, and runs a test
// of the copy that writes and reads by GraphQL what was added. Only packages of this module are built anew.
func TestTheExamplesOfContributingWork(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	copyModule(t, folder)
	edits := editsOf(t, "CONTRIBUTING.md")
	changed, made := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, e := range edits {
		if changed[e.example] == nil {
			changed[e.example], made[e.example] = map[string]bool{}, map[string]bool{}
		}
		if e.apply(t, folder); e.anchor == "" {
			made[e.example][e.path] = true
		} else {
			changed[e.example][e.path] = true
		}
	}
	field, filter, noun := "A text field of a customer", "A filter of customers", "A noun"
	for example, most := range map[string]int{field: 6, filter: 4} {
		if n := len(changed[example]) + len(made[example]); n == 0 || n > most {
			t.Errorf("%s: %d files, more than %d", example, n, most)
		}
	}
	delete(changed[noun], "schema.graphqls") // what is published of it
	if files, lists := len(made[noun]), len(changed[noun]); files == 0 || files > 8 || lists > 2 {
		t.Errorf("a noun takes %d new files and %d registrations, more than 8 and 2", files, lists)
	}
	added := filepath.Join(folder, "gateway", "added")
	err := os.Mkdir(added, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(added, "added_test.go"), []byte(addedTest), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	runGo(t, filepath.Join(folder, "graphql", "execute"), "run", "-C", "../../tools", "./breadth")
	runGo(t, folder, "test", "-vet=off", quicklyBuilt, "-ldflags=-s -w",
		"-run", "^TestWhatWasAddedIsKept$", "./gateway/added")
}

// addedTest is put into the copy.
const addedTest = `package added

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestWhatWasAddedIsKept(t *testing.T) {
	for name, memory := range map[string]gateway.Size{"without a cache": 0, "with a cache": 64 << 20} {
		t.Run(name, func(t *testing.T) {
			settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
			o := gatewaytest.ServeCached(t, settings, gateway.CacheSettings{Cache: memory})
			o.Fill(t)
			isKept(t, o)
		})
	}
}

func isKept(t *testing.T, o *gatewaytest.Office) {
	t.Helper()
	credential := o.Credential(t, backoffice.AllScopes...)
	for query, want := range map[string]string{
		"mutation { createCustomer(input: {type: COMPANY, website: \"https://a.example\"}) { customer { website } userErrors { code } } }":
			"{\"createCustomer\":{\"customer\":{\"website\":\"https://a.example\"},\"userErrors\":[]}}",
		"mutation { updateCustomer(input: {id: \"acme\", website: \"https://b.example\"}) { userErrors { code } } }":
			"{\"updateCustomer\":{\"userErrors\":[]}}",
		"mutation { createBranch(input: {name: \"Gent\"}) { branch { name } userErrors { code } } }":
			"{\"createBranch\":{\"branch\":{\"name\":\"Gent\"},\"userErrors\":[]}}",
	} {
		if got := o.Query(t, credential, query, "{}"); string(got.Data) != want {
			t.Errorf("%s: %s %v", query, got.Data, got.Errors)
		}
	}
	const read = "{ customer(id: \"acme\") { website } customers(filter: {website: \"https://b.example\"}) { totalCount }" +
		" branches { totalCount nodes { name createdAt } } changes(nouns: [BRANCH]) { nodes { noun action } } }"
	got := string(o.Query(t, credential, read, "{}").Data)
	for _, want := range []string{
		"\"website\":\"https://b.example\"", "\"customers\":{\"totalCount\":1}", "\"branches\":{\"totalCount\":1", "\"name\":\"Gent\"",
		"\"changes\":{\"nodes\":[{\"noun\":\"BRANCH\",\"action\":\"CREATED\"}]}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	for path, want := range map[string]string{"/customers/acme": "\"website\":\"https://b.example\"", "/branches": "\"name\":\"Gent\"",
		"/customers?website=https://b.example": "\"_id\":\"acme\"",
		"/changes?noun=BRANCH": "\"BRANCH\""} {
		if shown := o.Send(t, credential, "GET", path, "").Body.String(); !strings.Contains(shown, want) {
			t.Errorf("REST shows at %s: %s", path, shown)
		}
	}
}
`

// copyModule copies the sources of the module, but for what is built, and the tools that make none of it.
func copyModule(t *testing.T, to string) {
	t.Helper()
	makes := filepath.Join("tools", "breadth")
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules" || filepath.Dir(name) == "tools" && name != makes || name == "bin"):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// edit is a fenced block of an example: a new file, or lines behind or before the one line of a file that begins like
// the anchor.
type edit struct{ example, path, where, anchor, text string }

var fence = regexp.MustCompile("(?ms)^```\\w+ (\\S+?)(?: (behind|before) (.*?))?\n(.*?)^```$")

func editsOf(t *testing.T, page string) (edits []edit) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		for _, found := range fence.FindAllStringSubmatch(body, -1) {
			edits = append(edits, edit{title, found[1], found[2], found[3], found[4]})
		}
	}
	return edits
}

func (e *edit) apply(t *testing.T, folder string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(e.path))
	if strings.Contains(e.path, "000NN") {
		steps, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.sql"))
		path = strings.Replace(path, "000NN", fmt.Sprintf("%05d", len(steps)+1), 1)
	}
	old, err := os.ReadFile(path)
	if e.anchor == "" {
		if err == nil {
			t.Fatalf("%s: %s is there already", e.example, e.path)
		}
		err = os.WriteFile(path, []byte(e.text), 0o600)
	} else {
		var lines []string
		places := 0
		for line := range strings.Lines(string(old)) {
			is := strings.HasPrefix(blanks.ReplaceAllString(strings.TrimSpace(line), " "), e.anchor)
			if is {
				places++
			}
			switch {
			case is && e.where == "before":
				lines = append(lines, e.text, line)
			case is:
				lines = append(lines, line, e.text)
			default:
				lines = append(lines, line)
			}
		}
		if places != 1 {
			t.Fatalf("%s: %d lines of %s begin with %s", e.example, places, e.path, e.anchor)
		}
		err = cmp.Or(err, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// quicklyBuilt is for what is built for one test: most of its time is the compiler's.
const quicklyBuilt = "-gcflags=example.org/backoffice/...=-N -l"

var blanks = regexp.MustCompile(`\s+`)

// runGo runs go after whatever else the machine has to do: a browser of another test would wait too long for it.
func runGo(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.Command("nice", append([]string{"go"}, args...)...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, out)
	}
	return string(out)
}
