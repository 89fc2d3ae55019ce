package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lies are the files below a folder, with their sizes.
func lies(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheDoctorFindsAGoodStoreWellAndChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	before := lies(t, s.dir)
	said := s.must(t, "doctor", "--receipts="+filepath.Join(s.dir, "none"))
	for _, what := range []string{"keyset", "schema", "stored files", "disk of the database"} {
		if !strings.Contains(said, "ok        "+what+": ") && !strings.Contains(said, "doubtful  "+what+": ") {
			t.Errorf("%s is not looked at: %s", what, said)
		}
	}
	if strings.Contains(said, "wrong") || !strings.Contains(said, "doubtful  receipts: the folder does not exist") {
		t.Error(said)
	}
	if after := lies(t, s.dir); !slices.Equal(before, after) {
		t.Errorf("%q became %q", before, after)
	}
}

func TestTheDoctorSaysWhatIsWrongAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil        func(t *testing.T, s *shell)
		said, advice string
		code         int
	}{
		"no store": {func(t *testing.T, s *shell) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(s.dir, "data")); err != nil {
				t.Fatal(err)
			}
		}, "wrong     database: ", "serve, demo, import, pull and migrate create one", exitFailure},
		"no keyset": {func(t *testing.T, s *shell) {
			t.Helper()
			if err := os.Remove(filepath.Join(s.dir, "data/keyset.json")); err != nil {
				t.Fatal(err)
			}
		}, "wrong     keyset: ", "restore it from your copy", exitFailure},
		"another's keyset": {func(t *testing.T, s *shell) {
			t.Helper()
			other := newShell(t)
			other.must(t, "migrate")
			if err := os.Rename(filepath.Join(other.dir, "data/keyset.json"), filepath.Join(s.dir, "data/keyset.json")); err != nil {
				t.Fatal(err)
			}
		}, "wrong     keyset: the keyset is not the one", "pass this database's keyset with --keyset", exitFailure},
		"a keyset that others read": {func(t *testing.T, s *shell) {
			t.Helper()
			if err := os.Chmod(filepath.Join(s.dir, "data/keyset.json"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "doubtful  keyset: ", "chmod 600", exitDone},
		"another's files": {func(t *testing.T, s *shell) {
			t.Helper()
			other := newShell(t)
			other.must(t, "migrate")
			if err := os.RemoveAll(filepath.Join(s.dir, "data/files")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(other.dir, "data/files"), filepath.Join(s.dir, "data/files")); err != nil {
				t.Fatal(err)
			}
		}, "wrong     stored files: the stored files belong to another database", "do not belong together", exitFailure},
		"files that are missing": {func(t *testing.T, s *shell) {
			t.Helper()
			s.must(t, "import", "../testdata/office")
			if err := os.RemoveAll(filepath.Join(s.dir, "data/files")); err != nil {
				t.Fatal(err)
			}
			code, _, err := s.run(t, "serve", "--listen=127.0.0.1:0")
			if code != exitFailure || !strings.Contains(err, "is missing or empty, but the database refers to files in it") {
				t.Errorf("a start ends with %d, %q", code, err)
			}
		}, "wrong     stored files: the folder of stored files ", "is missing or empty, but the database refers to files in it", exitFailure},
		"a damaged database": {func(t *testing.T, s *shell) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(s.dir, "data/backoffice.db"), []byte("no database"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "wrong     database: ", "restore it from a backup", exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			s.must(t, "migrate")
			c.spoil(t, s)
			code, out, err := s.run(t, "doctor")
			if code != c.code || !strings.Contains(out, c.said) || !strings.Contains(out, c.advice) || (err == "") != (c.code == exitDone) {
				t.Errorf("%d %q %q", code, out, err)
			}
		})
	}
}
