package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestARegisterBecomesCustomersAndEveryRowLeftOutIsCounted(t *testing.T) {
	t.Parallel()
	folder, files := register(t)
	out := filepath.Join(t.TempDir(), "new", "folder")
	for _, turn := range []string{"first", "second"} {
		var report bytes.Buffer
		if err := run(folder, out, &report); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, "customers.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files["customers.ndjson"], string(got)); diff != "" {
			t.Errorf("the %s customers:\n%s", turn, diff)
		}
		if diff := cmp.Diff(files["report"], report.String()); diff != "" {
			t.Errorf("the %s report:\n%s", turn, diff)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}

func TestAFolderThatIsNoRegisterIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"a missing file":   os.Remove,
		"an empty file":    func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a missing column": func(path string) error { return os.WriteFile(path, []byte("A,B\n1,2\n"), 0o600) },
	} {
		for file := range needed {
			t.Run(name+", "+file, func(t *testing.T) {
				t.Parallel()
				folder, _ := register(t)
				if err := spoil(filepath.Join(folder, file)); err != nil {
					t.Fatal(err)
				}
				out := t.TempDir()
				err := run(folder, out, &bytes.Buffer{})
				if err == nil || !strings.Contains(err.Error(), file) {
					t.Errorf("got %v", err)
				}
				if entries, err := os.ReadDir(out); err != nil || len(entries) != 0 {
					t.Errorf("%d files are left, %v", len(entries), err)
				}
			})
		}
	}
}

// register writes the made-up register to a folder and returns all files of the archive too.
func register(t *testing.T) (folder string, files map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "register.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	folder, files = t.TempDir(), map[string]string{}
	for _, file := range archive.Files {
		files[file.Name] = string(file.Data)
		if strings.HasSuffix(file.Name, ".csv") {
			if err := os.WriteFile(filepath.Join(folder, file.Name), file.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folder, files
}
