package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	good = `package good
import ("fmt"; "testing"; "time")
func TestShort(t *testing.T) { fmt.Println("unasked") }
func TestLong(t *testing.T) { time.Sleep(50 * time.Millisecond) }
`
	bad = `package bad
import "testing"
func TestGood(t *testing.T) { t.Log("unasked") }
func TestBad(t *testing.T) { t.Run("part", func(t *testing.T) { t.Error("the reason") }) }
`
	ends = `package ends
import ("os"; "testing")
func TestEnds(t *testing.T) { t.Log("the last words"); println("on the way out"); os.Exit(3) }
`
	unbuilt = `package unbuilt
import "testing"
func TestNothing(t *testing.T) { nobody() }
`
)

// shownOf is what is shown of a module's tests.
func shownOf(t *testing.T, sources ...string) (text string, passed bool) {
	t.Helper()
	folder := t.TempDir()
	for i, source := range append([]string{"module example.org/m\n"}, sources...) {
		path := filepath.Join(folder, "go.mod")
		if i > 0 {
			name, _, _ := strings.Cut(strings.TrimPrefix(source, "package "), "\n")
			path = filepath.Join(folder, name, "a_test.go")
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := exec.CommandContext(t.Context(), "go", "test", "-json", "-vet=off", "./...")
	tests.Dir = folder
	said, _ := tests.Output() // it fails when a test does
	var to bytes.Buffer
	passed, err := show(bytes.NewReader(said), &to)
	if err != nil {
		t.Fatal(err)
	}
	return to.String(), passed
}

func TestOfPackagesThatPassOnlyTheVerdictAndTheSlowestTestsAreShown(t *testing.T) {
	t.Parallel()
	text, passed := shownOf(t, good)
	lines := strings.Split(text, "\n")
	if !passed || len(lines) != 5 || !strings.HasPrefix(lines[0], "ok  \texample.org/m/good\t") ||
		!strings.HasSuffix(lines[2], " example.org/m/good TestLong") || !strings.HasSuffix(lines[3], "TestShort") {
		t.Errorf("%t %s", passed, text)
	}
}

func TestWhatFailedIsShownWithItsReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		wants  []string
	}{
		"a test":                {bad, []string{"--- FAIL: TestBad", "the reason", "FAIL\texample.org/m/bad"}},
		"a test that ends":      {ends, []string{"the last words", "on the way out", "FAIL\texample.org/m/ends"}},
		"a package in no state": {unbuilt, []string{"undefined: nobody", "FAIL\texample.org/m/unbuilt [build failed]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, passed := shownOf(t, good, c.source)
			for _, want := range c.wants {
				if passed || !strings.Contains(text, want) || strings.Contains(text, "unasked") {
					t.Errorf("%t, and not %q in %s", passed, want, text)
				}
			}
		})
	}
	if _, passed := shownOf(t); passed {
		t.Error("nothing at all has passed")
	}
}

func TestAPackageThatDidNotEndHasNotPassed(t *testing.T) {
	t.Parallel()
	const (
		whole = `{"Action":"start","Package":"m/whole"}
{"Action":"output","Package":"m/whole","Output":"ok  \tm/whole\t0.1s\n"}
{"Action":"pass","Package":"m/whole","Elapsed":0.1}
`
		killed = `{"Action":"start","Package":"m/killed"}
{"Action":"run","Package":"m/killed","Test":"TestLong"}
{"Action":"output","Package":"m/killed","Test":"TestLong","Output":"the last words\n"}
`
	)
	for said, wants := range map[string]bool{whole: true, whole + killed: false, killed + whole: false, killed: false} {
		var to bytes.Buffer
		passed, err := show(strings.NewReader(said), &to)
		if err != nil || passed != wants || strings.Contains(to.String(), "the last words\nFAIL\tm/killed did not end\n") == wants {
			t.Errorf("%t, %v of\n%s:\n%s", passed, err, said, to.String())
		}
	}
}
