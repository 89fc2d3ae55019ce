package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// remove deletes over REST, which has to work.
func (p *started) remove(t *testing.T, id, secretFile, path string) {
	t.Helper()
	secret, err := os.ReadFile(secretFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://"+p.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(auth.ClientIDHeader, id)
	r.Header.Set(auth.ClientSecretHeader, strings.TrimSpace(string(secret)))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _ = answer.Body.Close(); answer.StatusCode != http.StatusNoContent {
		t.Fatalf("DELETE %s is answered with %d", path, answer.StatusCode)
	}
}

// inTrash are the rows of trash list.
func (s *shell) inTrash(t *testing.T) (rows []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.must(t, "trash", "list", "--format", "jsonl")) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// visited is a store that knows whether its trash is being read.
type visited struct {
	backoffice.Store
	t     *testing.T
	now   bool
	lines int
}

func (v *visited) EachTrashed(ctx context.Context, visit func(*backoffice.Trashed) error) error {
	v.now = true
	defer func() { v.now = false }()
	return v.Store.EachTrashed(ctx, visit)
}

// printer is what the command prints to.
type printer struct{ of *visited }

func (p printer) Write(text []byte) (int, error) {
	if p.of.now {
		p.of.t.Errorf("while the store is read, %q is printed", text)
	}
	p.of.lines++
	return len(text), nil
}

func TestTheTrashIsReadBeforeItIsPrinted(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	err = store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		tx.KeepDeleted(backoffice.Keeping{Period: time.Hour})
		if err := tx.Customers().Insert(ctx, &backoffice.Customer{ID: "acme", Type: backoffice.Company, Version: 1}); err != nil {
			return err
		}
		_, err := tx.Customers().Delete(ctx, "acme")
		return err
	})
	v := &visited{Store: store, t: t}
	list := trashListCommand{formatFlag{Format: "jsonl"}}
	if err := errors.Join(err, list.Run(t.Context(), v, terminal{out: printer{v}, err: io.Discard})); err != nil || v.lines == 0 {
		t.Fatalf("%d lines (%v)", v.lines, err)
	}
}

func TestWhatWasDeletedIsListedBroughtBackAndErasedByCommands(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	id, secret := s.credential(t, "customers.write")
	before := s.export(t)
	stored := len(s.storedFiles(t))
	p := s.start(t, exec.Command("env"), "--trash", "30d")
	p.remove(t, id, secret, "/customers/acme")
	p.remove(t, id, secret, "/customers/els")
	rows := s.inTrash(t)
	if len(rows) != 2 || rows[0]["id"] != "els" || rows[1]["id"] != "acme" || rows[1]["noun"] != "customer" || rows[1]["name"] != "Acmé Boekhouding" || rows[1]["clientId"] != id || rows[1]["records"] != 14.0 || rows[1]["files"] != 5.0 {
		t.Fatalf("the trash is listed as %v", rows)
	}
	deleted, err := time.Parse(time.RFC3339, rows[1]["deletedAt"].(string))
	if until, wrong := time.Parse(time.RFC3339, rows[1]["until"].(string)); err != nil || wrong != nil || until.Sub(deleted).Round(time.Hour) != 30*24*time.Hour {
		t.Errorf("it is kept from %v until %v", deleted, until)
	}
	if table := s.must(t, "trash", "list"); !strings.HasPrefix(table, "ID ") {
		t.Errorf("the table is\n%s", table)
	}
	if s.export(t) == before {
		t.Error("an export has what was deleted")
	}
	if len(s.storedFiles(t)) != stored {
		t.Error("its files are gone")
	}
	if code, _, err := s.run(t, "trash", "restore", "nobody"); code != exitFailure || !strings.Contains(err, "nothing in the trash has this identifier") {
		t.Errorf("restoring nobody ends with %d: %s", code, err)
	}
	if out := s.must(t, "trash", "restore", "acme"); !strings.Contains(out, "Restored 12 records.") || !strings.Contains(out, "rel-1, rel-2") {
		t.Errorf("it says %s", out)
	}
	if out := s.must(t, "trash", "restore", "els", "rel-1", "rel-2"); !strings.Contains(out, "Restored 6 records.") {
		t.Errorf("it says %s", out)
	}
	if after := s.export(t); after != before {
		t.Errorf("an export is\n%s\nand was\n%s", after, before)
	}
	if out := s.must(t, "changes", "list"); !strings.Contains(out, "restore") {
		t.Error("the change log has no restore")
	}

	p.remove(t, id, secret, "/customers/acme")
	for _, args := range [][]string{{}, {"--all", "acme"}} {
		if code, _, _ := s.run(t, append([]string{"trash", "empty"}, args...)...); code != exitUsage {
			t.Errorf("trash empty %q ends with %d", args, code)
		}
	}
	code, out, said := s.run(t, "trash", "empty", "acme", "nobody")
	if code != exitDone || !strings.Contains(out, "Erased 1 deletion permanently.") || !strings.Contains(said, "1 of these was not in the trash.") {
		t.Errorf("emptying ends with %d: %s %s", code, out, said)
	}
	if code, _, said := s.run(t, "trash", "empty", "nobody"); code != exitFailure || !strings.Contains(said, "none of these is in the trash") {
		t.Errorf("emptying for nobody ends with %d: %s", code, said)
	}
	if n := len(s.storedFiles(t)); n != stored-5 {
		t.Errorf("%d files are left of %d", n, stored)
	}
	p.remove(t, id, secret, "/customers/els")
	if out := s.must(t, "trash", "empty", "--all"); !strings.Contains(out, "Erased 1 deletion permanently.") || len(s.inTrash(t)) > 0 {
		t.Errorf("it says %s", out)
	}
	if code, _, said := s.run(t, "serve", "--listen=127.0.0.1:0", "--trash", "soon"); code != exitUsage || !strings.Contains(said, "such as 30d") {
		t.Errorf("a trash for soon ends with %d: %s", code, said)
	}
}

// export is all lines of an export, in order.
func (s *shell) export(t *testing.T) string {
	t.Helper()
	folder := t.TempDir() + "/export"
	s.must(t, "export", folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, entry := range entries {
		if text, err := os.ReadFile(folder + "/" + entry.Name()); err == nil {
			for line := range strings.Lines(string(text)) {
				lines = append(lines, entry.Name()+": "+line)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func TestABackupHasTheTrashWithItsFiles(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	id, secret := s.credential(t, "customers.write")
	before := s.export(t)
	p := s.start(t, exec.Command("env"), "--trash", "12h")
	p.remove(t, id, secret, "/customers/acme")
	copied := t.TempDir() + "/backup"
	s.must(t, "backup", copied)
	s.must(t, "trash", "empty", "--all")
	if err := p.command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-p.ended
	s.must(t, "restore", copied)
	if out := s.must(t, "trash", "restore", "acme"); !strings.Contains(out, "Restored 14 records.") {
		t.Errorf("it says %s", out)
	}
	if after := s.export(t); after != before {
		t.Errorf("an export is\n%s\nand was\n%s", after, before)
	}
	s.must(t, "check")
}
