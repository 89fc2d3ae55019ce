// Package brokentest finds out whether tests find faults: it puts faults into a copy of the sources, made from outside,
// and runs the tests that have to fail. It changes nothing in the sources themselves.
package brokentest

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Edit names a file, a text that it has once, and what takes its place; BROKEN there is true in the copy that has the edit.
type Edit [3]string

// Copy is a copy with a fault, and the test that has to find it.
type Copy struct {
	Edits []Edit
	Found string // what -test.run begins with
}

const chosen = "BACKOFFICE_BROKEN"

var clause = regexp.MustCompile(`(?m)^package \w+$`)

// Sources returns the edited files of all copies by their absolute paths: the environment chooses one of the copies. It
// fails the test when an edit fits no longer.
func Sources(t testing.TB, copies map[string]Copy) map[string]string {
	t.Helper()
	asks := map[Edit]string{}
	for name, broken := range copies {
		for _, e := range broken.Edits {
			asks[e] += `|| environment.Getenv("` + chosen + `") == "` + name + `"`
		}
	}
	sources := map[string]string{}
	for e, ask := range asks {
		path, err := filepath.Abs(e[0])
		if err != nil {
			t.Fatal(err)
		}
		if sources[path] == "" {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sources[path] = clause.ReplaceAllString(string(text), "$0; import environment \"os\"")
		}
		if strings.Count(sources[path], e[1]) != 1 {
			t.Fatalf("%s does not have %q once", e[0], e[1])
		}
		sources[path] = strings.Replace(sources[path], e[1], strings.ReplaceAll(e[2], "BROKEN", "(false "+ask+")"), 1)
	}
	return sources
}

var find = flag.Bool("broken", false, "find the copies with faults, each by the test of its promise")

// FindWhenAsked does what Find does where -broken asks for it: each copy takes a minute. Elsewhere it looks whether the
// edits still fit.
func FindWhenAsked(t *testing.T, copies map[string]Copy, arguments ...string) {
	t.Helper()
	if *find {
		Find(t, copies, arguments...)
		return
	}
	Sources(t, copies)
}

// Find builds the tests of the package that runs with all faults in it, and fails for each copy whose test passes.
func Find(t *testing.T, copies map[string]Copy, arguments ...string) {
	t.Helper()
	if os.Getenv(chosen) != "" {
		t.Skip("this is a broken copy")
	}
	folder, replaced := t.TempDir(), map[string]string{}
	for path, text := range Sources(t, copies) {
		replaced[path] = filepath.Join(folder, strings.ReplaceAll(path, string(filepath.Separator), "_"))
		write(t, replaced[path], []byte(text))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "overlay"), overlay)
	binary := filepath.Join(folder, "broken.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-ldflags=-s -w", "-c", "-o", binary, "-overlay", filepath.Join(folder, "overlay"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the copy does not build: %s", out)
	}
	for name, broken := range copies {
		command := exec.CommandContext(t.Context(), binary, append([]string{"-test.timeout=10m", "-test.run", "^" + broken.Found}, arguments...)...)
		command.Env = append(os.Environ(), chosen+"="+name)
		test, _, _ := strings.Cut(broken.Found, "/")
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: "+test) {
			t.Errorf("a copy that %s is not found: %v\n%s", name, err, out)
		}
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
