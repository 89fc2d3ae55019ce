//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatAKilledCommandHeldInClearIsGoneWithTheNext(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	var lines strings.Builder
	for i := range 3_000 {
		number := 850730_001 + i%900
		fmt.Fprintf(&lines, `{"_id":"c-%04d","type":"Private Person","firstName":"An","lastName":"Maes","registrationNumber":"%09d%02d"}`+"\n", i, number, 97-number%97)
	}
	folder, temp, beside := s.folder(t, "customers.ndjson", lines.String()), t.TempDir(), t.TempDir()
	s.must(t, "import", folder)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), self, append(s.settings(), args...)...)
		c.Env = append(os.Environ(), "BACKOFFICE_TEST_PROGRAM=1", "TMPDIR="+temp)
		return c
	}
	left := func() (files, numbers int) {
		for _, at := range []string{temp, beside} {
			_ = filepath.WalkDir(at, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() || strings.Contains(path, "whole") {
					return nil
				}
				files++
				if text, _ := os.ReadFile(path); bytes.Contains(text, []byte("850730")) {
					numbers++
				}
				return nil
			})
		}
		return files, numbers
	}
	for name, args := range map[string][]string{
		"dry run": {"import", "--dry-run", folder},
		"export":  {"export", "--registration-numbers", "--purpose", "a test", filepath.Join(beside, "PLACE")},
		"backup":  {"backup", filepath.Join(beside, "PLACE")},
	} {
		at := func(place string) (placed []string) {
			for _, arg := range args {
				placed = append(placed, strings.Replace(arg, "PLACE", place+strings.ReplaceAll(name, " ", ""), 1))
			}
			return placed
		}
		killed := start(at("killed")...)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		for range 4000 {
			if files, _ := left(); files > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = killed.Process.Kill()
		_ = killed.Wait()
		if files, _ := left(); files == 0 {
			t.Errorf("%s: nothing was left by the killed one, so that nothing is tried", name)
		}
		if out, err := start(at("whole")...).CombinedOutput(); err != nil {
			t.Fatalf("%s: the next one ends with %v: %s", name, err, out)
		}
		if files, numbers := left(); files > 0 || numbers > 0 {
			t.Errorf("%s: %d files are left, %d of them with registration numbers in clear", name, files, numbers)
		}
	}
}
