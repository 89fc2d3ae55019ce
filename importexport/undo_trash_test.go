package importexport

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

func TestAnImportIsTakenBackThoughTheTrashHasWhatItDeletedOrCreatedAgain(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer, number := h.undoable()
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys, Trash: time.Hour}
		load := func(lines ...string) int64 {
			_, err := importer.Import(t.Context(), only(t, "customers.ndjson", lines...))
			must(t, err)
			return *number
		}
		undo := func(number int64, want ...string) {
			t.Helper()
			all, err := importer.Undo(t.Context(), number)
			if must(t, err); !slices.Equal(left(all), want) {
				t.Errorf("left are %q, want %q", left(all), want)
			}
		}
		h.mustLoad(t, office(t))
		before := h.values(t)
		same := func(when string) {
			t.Helper()
			if diff := cmp.Diff(before, h.values(t)); diff != "" {
				t.Errorf("%s: %s", when, diff)
			}
			forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
			if must(t, err); len(forgotten) > 0 {
				t.Errorf("%s: files to be removed: %q", when, forgotten)
			}
		}
		bare := `{"_id":"company","type":"Company","name":"bare"}`

		deleted, again := load(`{"_id":"company","_deleted":true}`), load(bare)
		undo(again)
		undo(deleted)
		same("deleted and created again by imports")

		owner := &backoffice.Principal{ClientID: "c", Scopes: backoffice.AllScopes}
		_, err := service.DeleteCustomer(t.Context(), owner, "company", nil)
		must(t, err)
		undo(load(bare))
		_, err = service.RestoreTrashed(t.Context(), "company")
		must(t, err)
		same("deleted by the office, and created again by an import")

		deleted = load(`{"_id":"company","_deleted":true}`)
		load(bare)
		_, err = service.DeleteCustomer(t.Context(), owner, "company", nil)
		must(t, err)
		undo(deleted)
		same("deleted by an import, created again by another, and deleted by the office")

		deleted = load(`{"_id":"company","_deleted":true}`)
		_, err = service.RestoreTrashed(t.Context(), "company")
		must(t, err)
		same("restored")
		_, err = service.DeleteCustomer(t.Context(), owner, "company", nil)
		must(t, err)
		all, err := importer.Undo(t.Context(), deleted)
		if must(t, err); !slices.Contains(left(all), "company: "+changedSince) {
			t.Errorf("left are %q", left(all))
		}
		_, err = service.RestoreTrashed(t.Context(), "company")
		must(t, err)
		same("deleted again by the office")
	})
}

func TestTheFileOfADocumentThatAnUndoPutBackOutlivesTheTrash(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer, number := h.undoable()
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys, Trash: time.Hour}
		owner := &backoffice.Principal{ClientID: "c", Scopes: backoffice.AllScopes}
		load := func(folder string) {
			t.Helper()
			_, err := importer.Import(t.Context(), folder)
			must(t, err)
		}
		must(t, files.Claim(t.Context(), h.store, h.files))
		for _, id := range []string{"erased", "deleted-again"} {
			load(with(t, with(t, only(t, "customers.ndjson", `{"_id":"`+id+`","type":"Company","name":"X"}`),
				"documents.ndjson", `{"_id":"of-`+id+`","name":"d","customer":"`+id+`","file":"a.pdf"}`), "a.pdf", "%PDF-1.7 a"))
			key := one(t, h.store.Documents(), "of-"+id).File.Key
			load(only(t, "customers.ndjson", `{"_id":"`+id+`","_deleted":true}`))
			deletion := *number
			load(only(t, "customers.ndjson", `{"_id":"`+id+`","type":"Company","name":"again"}`))
			all, err := importer.Undo(t.Context(), deletion)
			if must(t, err); !slices.Equal(left(all), []string{id + ": " + changedSince}) {
				t.Errorf("left are %q", left(all))
			}
			if id == "erased" {
				_, err = service.EmptyTrash(t.Context(), id)
				must(t, err)
			} else {
				_, err = service.DeleteCustomer(t.Context(), owner, id, nil)
				must(t, err)
			}
			_, err = files.RemoveForgotten(t.Context(), h.store, h.files)
			must(t, err)
			if id != "erased" {
				_, err = service.RestoreTrashed(t.Context(), id)
				must(t, err)
			}
			if got := one(t, h.store.Documents(), "of-"+id).File.Key; got != key {
				t.Errorf("%s: the document's file is %q", id, got)
			}
			content, err := h.files.Open(t.Context(), key, 0, -1)
			if err != nil {
				t.Errorf("%s: %v", id, err)
				continue
			}
			must(t, content.Close())
		}
	})
}

func TestWhatAMergeMovedIsNamedWhenAnEarlierImportIsTakenBack(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer, number := h.undoable()
		h.mustLoad(t, with(t, with(t, only(t, "customers.ndjson", `{"_id":"keep","type":"Company"}`, `{"_id":"drop","type":"Company"}`),
			"documents.ndjson", `{"_id":"d","name":"d","customer":"drop","file":"a.pdf"}`), "a.pdf", "%PDF-1.7 a"))
		was := one(t, h.store.Documents(), "d").File.Key
		_, err := importer.Import(t.Context(), with(t, with(t, t.TempDir(), "b.pdf", "%PDF-1.7 b"), "documents.ndjson", `{"_id":"d","file":"b.pdf"}`))
		must(t, err)
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys}
		_, _, err = service.MergeCustomers(t.Context(), &backoffice.Principal{ClientID: "c", Scopes: backoffice.AllScopes}, "keep", "drop", backoffice.Optional[string]{})
		must(t, err)
		all, err := importer.Undo(t.Context(), *number)
		if must(t, err); !slices.Equal(left(all), []string{"d: " + changedSince}) {
			t.Errorf("left are %q", left(all))
		}
		if known, err := h.store.KnownFiles(t.Context(), []string{was}); err != nil || !known[was] {
			t.Errorf("the replaced file is not kept (%v)", err)
		}
	})
}

func TestARestoredTranscriptIsInTheYearOfItsChecklist(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys, Trash: time.Hour}
		_, err := service.DeleteCustomer(t.Context(), &backoffice.Principal{ClientID: "c", Scopes: backoffice.AllScopes}, "company", nil)
		must(t, err)
		h.mustLoad(t, only(t, "checklists.ndjson", `{"_id":"checklist-2026","financialYear":"fy-2025"}`))
		_, err = service.RestoreTrashed(t.Context(), "company")
		must(t, err)
		if got := one(t, h.store.Transcripts(), "transcript-full").FinancialYearID; got != "fy-2025" {
			t.Errorf("it is in %s", got)
		}
	})
}
