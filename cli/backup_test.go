package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

func TestABackupIsAStoreThatOpensWithTheSameKeyset(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	copied := &shell{dir: t.TempDir()}
	for _, empty := range []string{filepath.Join(copied.dir, "data"), filepath.Join(s.dir, "export")} {
		if err := os.Mkdir(empty, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.must(t, "backup", filepath.Join(copied.dir, "data"))
	entries, _ := os.ReadDir(filepath.Join(copied.dir, "data"))
	if len(entries) != 2 || entries[0].Name() != "backoffice.db" || entries[1].Name() != "files" {
		t.Fatalf("the backup holds %v", entries)
	}
	here, _ := os.Getwd()
	path, _ := filepath.Rel(here, filepath.Join(copied.dir, "data", "backoffice.db"))
	for _, url := range []string{"sqlite:" + path, "sqlite://" + path} {
		code, _, err := copied.run(t, "export", filepath.Join(copied.dir, "export"), "--database", url)
		if code != exitFailure || !strings.Contains(err, "restore the keyset") {
			t.Errorf("without its keyset the backup opens by %s: %d, %s", url, code, err)
		}
	}
	keyset, err := os.ReadFile(filepath.Join(s.dir, "data", "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied.dir, "data", "keyset.json"), keyset, 0o600); err != nil {
		t.Fatal(err)
	}
	purpose := []string{"--registration-numbers", "--purpose", "test"}
	s.must(t, append([]string{"export", filepath.Join(s.dir, "export")}, purpose...)...)
	copied.must(t, append([]string{"export", filepath.Join(copied.dir, "export")}, purpose...)...)
	err = filepath.WalkDir(filepath.Join(s.dir, "export"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, _ := filepath.Rel(s.dir, path)
		a, _ := os.ReadFile(path)
		b, _ := os.ReadFile(filepath.Join(copied.dir, name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "backup", filepath.Join(copied.dir, "data")); code != exitFailure || !strings.Contains(err, "is not empty") {
		t.Errorf("a backup over another ends with %d, %s", code, err)
	}
}

func TestAWholeBackupIsNotedForThoseWhoWatchItsAge(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	last := func() backoffice.Instant {
		t.Helper()
		store, err := sqlite.Open(t.Context(), "sqlite:"+s.path("backoffice.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		at, _, err := backoffice.LastDone(t.Context(), store, backoffice.DoneBackup)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if at := last(); !at.IsZero() {
		t.Errorf("before there is one it is of %s", at)
	}
	s.must(t, "backup", filepath.Join(t.TempDir(), "first"))
	first := last()
	if first.IsZero() {
		t.Fatal("it is not noted")
	}
	s.must(t, "backup", filepath.Join(t.TempDir(), "second"))
	second := last()
	if second <= first {
		t.Errorf("the second is of %s, and the first of %s", second, first)
	}
	stored := s.storedFiles(t)
	if err := os.Remove(filepath.Join(s.path("files"), stored[len(stored)-1])); err != nil {
		t.Fatal(err)
	}
	if code, _, said := s.run(t, "backup", filepath.Join(t.TempDir(), "third")); code != exitPartial {
		t.Fatalf("%d %s", code, said)
	}
	if at := last(); at != second {
		t.Errorf("one that lacks a file is noted: %s", at)
	}
}
