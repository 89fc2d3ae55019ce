package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// storedFiles lists what lies in the shell's folder of files, whatever area it is in.
func (s *shell) storedFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	dir := filepath.Join(s.dir, "data", "files")
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestACommandOverAnotherDatabaseIsRefusedAndLeavesStoredFilesAlone(t *testing.T) {
	t.Parallel()
	production, staging := newShell(t), newShell(t)
	production.must(t, "import", "../testdata/office")
	staging.must(t, "import", "../testdata/office")
	before := production.storedFiles(t)
	foreign := "--files=file:" + filepath.Join(production.dir, "data", "files")
	typed := filepath.Join(production.dir, "data", "bakoffice.db")
	for name, args := range map[string][]string{
		"a mistyped database":    {"--database=sqlite:" + typed, foreign, "--keyset=" + filepath.Join(t.TempDir(), "keyset.json"), "serve", "--listen=127.0.0.1:0"},
		"a demo beside it":       {"--database=sqlite:" + typed, foreign, "--keyset=" + filepath.Join(t.TempDir(), "keyset.json"), "demo", "--listen=127.0.0.1:0"},
		"an import beside it":    {"--database=sqlite:" + typed, foreign, "--keyset=" + filepath.Join(t.TempDir(), "keyset.json"), "import", "../testdata/office"},
		"a migration beside it":  {"--database=sqlite:" + typed, foreign, "--keyset=" + filepath.Join(t.TempDir(), "keyset.json"), "migrate"},
		"the staging's database": append(staging.settings(), foreign, "serve", "--listen=127.0.0.1:0"),
		"a sweep of staging":     append(staging.settings(), foreign, "files", "sweep", "--yes"),
		"an import of staging":   append(staging.settings(), foreign, "import", "../testdata/office"),
	} {
		var out, errs screen
		if code := run(t.Context(), args, &out, &errs); code != exitFailure || !strings.Contains(errs.String(), "--database") || !strings.Contains(errs.String(), "--files") {
			t.Errorf("%s ends with %d, %q", name, code, errs.String())
		}
	}
	if _, err := os.Stat(typed); err == nil {
		t.Error("a database was made beside another's files")
	}
	if after := production.storedFiles(t); len(after) != len(before) {
		t.Errorf("of %d files %d are left", len(before), len(after))
	}
	production.must(t, "export", filepath.Join(production.dir, "export"))
}

func TestACommandThatFindsNoDatabaseMakesNone(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"export out", "backup out", "credentials create --name x", "credentials list", "years start 2027", "documents generate",
		"consultations list", "consultations verify", "changes list", "files list", "files sweep", "files restore --all",
	} {
		s := newShell(t)
		args := strings.Fields(line)
		for i, arg := range args {
			if arg == "out" {
				args[i] = filepath.Join(s.dir, "out")
			}
		}
		code, out, err := s.run(t, args...)
		if code != exitFailure || out != "" || !strings.Contains(err, filepath.Join(s.dir, "data", "backoffice.db")) || !strings.Contains(err, "does not exist") {
			t.Errorf("%q ends with %d, %q and %q", line, code, out, err)
		}
		if made, _ := os.ReadDir(s.dir); len(made) > 0 {
			t.Errorf("%q made %v", line, made)
		}
	}
}

func TestFilesAreSweptListedAndRestoredOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	key := s.orphan(t)
	s.orphan(t)
	if code, out, err := s.run(t, "files", "sweep"); code != exitFailure || out != "" || !strings.Contains(err, "backoffice files sweep --yes") {
		t.Errorf("a sweep of 2 in a few ends with %d, %q and %q", code, out, err)
	}
	if out := s.must(t, "files", "sweep", "--yes"); !strings.Contains(out, " 2 quarantined ") {
		t.Errorf("it tells %q", out)
	}
	if list := s.must(t, "files", "list", "--format=csv"); strings.Count(list, "\n") != 3 || !strings.Contains(list, key) {
		t.Errorf("the quarantine has\n%s", list)
	}
	if code, _, err := s.run(t, "files", "restore", key, "aa/nothing"); code != exitFailure || !strings.Contains(err, "not in quarantine") {
		t.Errorf("restoring what is not there ends with %d, %q", code, err)
	}
	for _, args := range [][]string{{}, {"--all", key}} {
		if code, _, _ := s.run(t, append([]string{"files", "restore"}, args...)...); code != exitUsage {
			t.Errorf("%q ends with %d", args, code)
		}
	}
	if out := s.must(t, "files", "restore", key); !strings.HasPrefix(out, "Restored 1 file.") {
		t.Errorf("it tells %q", out)
	}
	if out := s.must(t, "files", "restore", "--all"); !strings.HasPrefix(out, "Restored 1 file.") {
		t.Errorf("it tells %q", out)
	}
	if out := s.must(t, "files", "sweep"); !strings.Contains(out, " 0 quarantined ") {
		t.Errorf("what was restored is swept again: %q", out)
	}
}

// orphan writes a file as an import that was killed leaves it: its lease has run out.
func (s *shell) orphan(t *testing.T) (key string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(s.dir, "data", "backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	folder, err := files.OpenFolder(filepath.Join(s.dir, "data", "files"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	upload := backoffice.NewUploadID()
	if err := store.BeginUpload(context.Background(), upload, -1); err != nil {
		t.Fatal(err)
	}
	file, err := folder.Put(t.Context(), backoffice.NewFileKey(upload), strings.NewReader("orphan"), "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	return file.Key
}
