package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"testing"
)

// shell runs commands over a store of its own.
type shell struct {
	dir      string
	database string // "" for an embedded one
}

func newShell(t testing.TB) *shell { return &shell{dir: t.TempDir()} }

// backedUp is a shell whose store holds the office of the tests, and the folder of a backup of that.
func backedUp(t testing.TB) (s *shell, backup string) {
	t.Helper()
	s = newShell(t)
	s.must(t, "import", "../testdata/office")
	backup = filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	return s, backup
}

// settings name the shell's store; they stand before the command.
func (s *shell) settings() []string {
	return []string{
		"--database=" + cmp.Or(s.database, "sqlite:"+filepath.Join(s.dir, "data", "backoffice.db")), "--files=file:" + filepath.Join(s.dir, "data", "files"),
		"--keyset=" + filepath.Join(s.dir, "data", "keyset.json"),
	}
}

func (s *shell) run(t testing.TB, args ...string) (code int, out, err string) {
	t.Helper()
	var outs, errs bytes.Buffer
	code = run(t.Context(), append(s.settings(), args...), &outs, &errs)
	return code, outs.String(), errs.String()
}

// must runs a command that has to work and returns what it printed.
func (s *shell) must(t testing.TB, args ...string) string {
	t.Helper()
	code, out, err := s.run(t, args...)
	if code != exitDone {
		t.Fatalf("%q ends with %d: %s", args, code, err)
	}
	return out
}

func (s *shell) folder(t testing.TB, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
