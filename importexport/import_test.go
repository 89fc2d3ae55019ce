package importexport

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

// reports loads a folder that has bad lines and returns what is said about them.
func reports(t *testing.T, h *env, folder string) []string {
	t.Helper()
	_, err := h.load(t.Context(), folder)
	var bad *BadFile
	if !errors.As(err, &bad) {
		t.Fatalf("the error is %v, not that of a file with bad lines", err)
	}
	return bad.Reports()
}

func TestASecondRunChangesNothing(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := office(t)
	for name, loaded := range h.mustLoad(t, folder) {
		if loaded.Created != loaded.Lines() || loaded.Created == 0 {
			t.Errorf("%s: the first run did %+v", name, loaded)
		}
	}
	changes, stored := len(h.changes(t)), h.storedFiles(t)
	texts := textOf(t, h.dump(t, true))

	for name, loaded := range h.mustLoad(t, folder) {
		if loaded.Unchanged != loaded.Lines() || loaded.Unchanged == 0 {
			t.Errorf("%s: the second run did %+v", name, loaded)
		}
	}
	if now := len(h.changes(t)); now != changes {
		t.Errorf("the change log went from %d entries to %d", changes, now)
	}
	if now := h.storedFiles(t); now != stored {
		t.Errorf("the stored files went from %d to %d", stored, now)
	}
	if diff := cmp.Diff(texts, textOf(t, h.dump(t, true))); diff != "" {
		t.Errorf("the data differ:\n%s", diff)
	}
}

func TestTheFirstRunLogsEachRecordOnce(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	records := 0
	for _, loaded := range h.mustLoad(t, office(t)) {
		records += loaded.Created
	}
	seen := map[string]bool{}
	for _, change := range h.changes(t) {
		if change.Done == backoffice.Updated && change.Noun == backoffice.NounTranscript {
			continue // its calculation came later
		}
		if change.Action != "import" || change.ClientID != "" || seen[change.ObjectID] || change.Done != backoffice.Created {
			t.Errorf("an entry is %+v", change)
		}
		seen[change.ObjectID] = true
	}
	if len(seen) != records {
		t.Errorf("%d entries for %d records", len(seen), records)
	}
}

func TestAnAbsentKeyKeepsAndNullClears(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	before := one(t, h.store.Customers(), "company")
	logged := len(h.changes(t))
	loaded := h.mustLoad(t, only(t, "customers.ndjson",
		`{"_id":"company","email":null,"registrationNumber":null,"addressFields":{"box":null,"city":"Aalst"}}`))
	if loaded["customers.ndjson"].Updated != 1 {
		t.Errorf("the import did %+v", loaded)
	}
	after := one(t, h.store.Customers(), "company")
	wanted := *before
	wanted.Email, wanted.Registration = "", backoffice.Sealed{}
	wanted.Address.Box, wanted.Address.City = "", "Aalst"
	wanted.Version = before.Version + 1
	wanted.UpdatedAt = after.UpdatedAt
	if diff := cmp.Diff(&wanted, after); diff != "" {
		t.Errorf("the customer differs:\n%s", diff)
	}
	if after.UpdatedAt <= before.UpdatedAt {
		t.Error("the moment of the change was not noted")
	}
	changes := h.changes(t)[logged:]
	if len(changes) != 1 || !cmp.Equal(changes[0].Fields, []string{"address", "email", "registrationNumber"}) {
		t.Errorf("the log has %+v", changes)
	}
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"company","addressFields":null}`))
	if left := one(t, h.store.Customers(), "company").Address; left != (backoffice.Address{}) {
		t.Errorf("of the address there is left %+v", left)
	}
}

func TestAVersionOnlyGrows(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	versionAfter := func(line string) int {
		h.mustLoad(t, only(t, "users.ndjson", line))
		return one(t, h.store.Users(), "u").Version
	}
	for _, step := range []struct {
		line    string
		version int
	}{
		{`{"_id":"u","firstName":"A","lastName":"B","email":"a@b.be"}`, 1},
		{`{"_id":"u","version":1}`, 1},
		{`{"_id":"u","firstName":"C"}`, 2},
		{`{"_id":"u","firstName":"D","version":1}`, 3},
		{`{"_id":"u","firstName":"D","version":1}`, 3},
		{`{"_id":"u","version":9}`, 9},
		{`{"_id":"u","firstName":"E","version":12}`, 12},
		{`{"_id":"u","firstName":"E","version":12}`, 12},
	} {
		if got := versionAfter(step.line); got != step.version {
			t.Errorf("after %s the version is %d, not %d", step.line, got, step.version)
		}
	}
}

func TestADeletedLineDeletesTheRecordWithItsFilesAndAgainDoesNothing(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	gone := only(t, "customers.ndjson", `{"_id":"company","_deleted":true}`, `{"_id":"never-was","_deleted":true}`)
	if loaded := h.mustLoad(t, gone)["customers.ndjson"]; loaded.Deleted != 1 || loaded.Unchanged != 1 {
		t.Errorf("the import did %+v", loaded)
	}
	nouns, err := backoffice.ReadNouns(t.Context(), h.store, []string{"company", "relation-1", "transcript-full", "calculation-1", "document-1", "minfin-1", "person"})
	must(t, err)
	if len(nouns) != 1 {
		t.Errorf("there is left %v", nouns)
	}
	forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
	must(t, err)
	if len(forgotten) != 5 {
		t.Errorf("%d files are to be removed, not those of the transcript, the calculation and three documents", len(forgotten))
	}
	deleted := map[string]bool{}
	for _, entry := range h.changes(t) {
		if entry.Done == backoffice.Deleted {
			deleted[entry.ObjectID] = entry.Fields == nil
		}
	}
	for _, id := range []string{"company", "relation-1", "transcript-full", "calculation-1", "document-1", "minfin-1"} {
		if !deleted[id] {
			t.Errorf("the log does not tell that %s was deleted", id)
		}
	}
	if loaded := h.mustLoad(t, gone)["customers.ndjson"]; loaded.Unchanged != 2 {
		t.Errorf("the second import did %+v", loaded)
	}
}

func TestAFileWithABadLineIsLeftUnloadedAndThoseBeforeItStay(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := with(t, office(t), "customers.ndjson", `{"_id":"fine","type":"Company"}`, `{"_id":"bad","type":"Firm"}`)
	loaded, err := h.load(t.Context(), folder)
	var bad *BadFile
	if !errors.As(err, &bad) || bad.File != "customers.ndjson" || len(bad.Lines) != 1 || bad.Lines[0].Line != 2 {
		t.Fatalf("the error is %v", err)
	}
	if len(loaded) != 4 {
		t.Errorf("%d files were loaded, not the four before it", len(loaded))
	}
	nouns, err := backoffice.ReadNouns(t.Context(), h.store, []string{"fine", "bad", "relation-1", "checklist-2026"})
	must(t, err)
	if len(nouns) != 1 || nouns["checklist-2026"] == "" {
		t.Errorf("the store has %v", nouns)
	}
}

func TestEveryBadLineIsReportedUpToAHundred(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	var lines []string
	for i := range 5000 {
		line := `{"_id":"c` + strings.Repeat("x", i%50) + `-` + string(rune('a'+i%26)) + strings.Repeat("y", i/50) + `","type":"Company"}`
		if i%3 == 0 {
			line = "{"
		}
		lines = append(lines, line)
	}
	_, err := h.load(t.Context(), only(t, "customers.ndjson", lines[:298]...))
	var bad *BadFile
	if !errors.As(err, &bad) || len(bad.Lines) != 100 {
		t.Fatalf("the error is %v", err)
	}
	for i, line := range bad.Lines {
		if line.Line != 3*i+1 {
			t.Errorf("bad line %d is said to be line %d", i, line.Line)
		}
	}
	_, err = h.load(t.Context(), only(t, "customers.ndjson", lines...))
	if !errors.As(err, &bad) || len(bad.Lines) != 100 || !bad.Cut {
		t.Fatalf("the error is %v", err)
	}
	if !strings.Contains(err.Error(), "100 or more") {
		t.Errorf("the error is %q", err)
	}
}

func TestACancelledImportLoadsNothingOfItsFile(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Progress: func(p Progress) {
		if p.File == "customers.ndjson" {
			cancel()
		}
	}}
	if _, err := importer.Import(ctx, office(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	nouns, err := backoffice.ReadNouns(t.Context(), h.store, []string{"company", "label-audit"})
	must(t, err)
	if len(nouns) != 1 {
		t.Errorf("the store has %v", nouns)
	}
}

func TestAFolderWithoutFilesOrWithAMisspeltOneIsRefused(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	for name, folder := range map[string]string{
		"has none of the files":  t.TempDir(),
		`has "customer.ndjson"`:  with(t, office(t), "customer.ndjson", `{"_id":"x","type":"Company"}`),
		"cannot open the folder": filepath.Join(t.TempDir(), "nowhere"),
	} {
		if _, err := h.load(t.Context(), folder); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error is %v, not that the folder %s", err, name)
		}
	}
	if nouns, err := backoffice.ReadNouns(t.Context(), h.store, []string{"label-audit"}); err != nil || len(nouns) > 0 {
		t.Errorf("something was loaded: %v, %v", nouns, err)
	}
}

func TestFilesThatWereStoredForABadFileAreRemoved(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := office(t)
	text, err := os.ReadFile(filepath.Join(folder, "documents.ndjson"))
	must(t, err)
	with(t, folder, "documents.ndjson", string(text), `{"_id":"document-2","name":"x","customer":"nobody","file":"files/articles.txt"}`)
	_ = reports(t, h, folder)
	if n := h.storedFiles(t); n != 2 {
		t.Errorf("%d files are stored, not those of the transcript and the calculation", n)
	}
}
