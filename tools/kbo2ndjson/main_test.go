package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"example.org/backoffice/backoffice"
)

func TestARegisterBecomesCustomersAndEveryRowLeftOutIsCounted(t *testing.T) {
	t.Parallel()
	folder, files := register(t)
	out := filepath.Join(t.TempDir(), "new", "folder")
	for _, turn := range []string{"first", "second"} {
		var report bytes.Buffer
		if err := run(folder, out, "", &report); err != nil {
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

func TestEveryRowIsACustomersOrPutAsideWithItsReason(t *testing.T) {
	t.Parallel()
	folder, files := register(t)
	out, aside := t.TempDir(), filepath.Join(t.TempDir(), "rejects")
	if err := run(folder, out, aside, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	customers, err := os.ReadFile(filepath.Join(out, "customers.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := os.ReadFile(filepath.Join(aside, "reasons.csv"))
	if err != nil {
		t.Fatal(err)
	}
	putAside := 0
	for _, name := range []string{"enterprise.csv", "denomination.csv", "address.csv"} {
		text, _ := os.ReadFile(filepath.Join(aside, name))
		rejected := strings.Split(strings.TrimSpace(string(text)), "\n")
		for i, line := range strings.Split(strings.TrimSpace(strings.TrimPrefix(files[name], "\ufeff")), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if i == 0 || line == "" {
				continue
			}
			if at := slices.Index(rejected, line); at > 0 {
				putAside++
				rejected = slices.Delete(rejected, at, at+1)
				if !strings.Contains(string(reasons), fmt.Sprintf("\n%s,%d,", name, i+1)) {
					t.Errorf("%s:%d has no reason", name, i+1)
				}
				continue
			}
			number, err := backoffice.ParseKBONumber(strings.Trim(strings.Split(line, ",")[0], `" `))
			if err != nil || !strings.Contains(string(customers), number) {
				t.Errorf("%s:%d is nowhere: %q", name, i+1, line)
			}
		}
		if len(rejected) > 1 {
			t.Errorf("%s: put aside is what no row was: %q", name, rejected[1:])
		}
	}
	if putAside < 5 {
		t.Errorf("only %d rows were put aside", putAside)
	}
	if err := run(folder, out, aside, &bytes.Buffer{}); err == nil {
		t.Error("rows were put where others lie")
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
				err := run(folder, out, "", &bytes.Buffer{})
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
