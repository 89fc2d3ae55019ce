package importexport

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// deletionsOf are lines that delete the first customers of manyCustomers.
func deletionsOf(count int) (lines []string) {
	for i := range count {
		lines = append(lines, fmt.Sprintf(`{"_id":"c-%05d","_deleted":true}`, i))
	}
	return lines
}

func (h *env) inTrash(t testing.TB) (ids []string) {
	t.Helper()
	must(t, h.store.EachTrashed(t.Context(), func(d *backoffice.Trashed) error { ids = append(ids, d.ID); return nil }))
	slices.Sort(ids)
	return ids
}

func TestAnImportDeletesTwoInAHundredUnlessAllowedMore(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, manyCustomers(t, 200))
		before := len(h.changes(t))
		for _, portion := range []int{0, 2} {
			for _, dry := range []bool{true, false} {
				for _, rejects := range []string{"", t.TempDir()} {
					importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, DryRun: dry, Portion: portion, Rejects: rejects, AllowDeletions: 4}
					_, err := importer.Import(t.Context(), only(t, "customers.ndjson", deletionsOf(5)...))
					want := "customers.ndjson: nothing of it was loaded: it deletes 5 of 200 records, and at most 4 are deleted at a time; pass --allow-deletions 5 if that is right"
					if fmt.Sprint(err) != want || len(h.changes(t)) != before {
						t.Errorf("dry %t, in portions of %d: %v", dry, portion, err)
					}
				}
			}
		}
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys}
		lines := append(deletionsOf(4), `{"_id":"unknown-1","_deleted":true}`, `{"_id":"unknown-2","_deleted":true}`)
		all, err := importer.Import(t.Context(), only(t, "customers.ndjson", lines...))
		must(t, err)
		if all[0].Deleted != 4 || all[0].Unchanged != 2 {
			t.Errorf("within the bound it does %+v", all[0])
		}
		importer.AllowDeletions = 6
		all, err = importer.Import(t.Context(), only(t, "customers.ndjson", deletionsOf(10)...))
		must(t, err)
		if all[0].Deleted != 6 || all[0].Unchanged != 4 {
			t.Errorf("as many as are allowed: %+v", all[0])
		}
		if trash := h.inTrash(t); len(trash) > 0 {
			t.Errorf("without a trash there is %q in it", trash)
		}
		h.mustLoad(t, only(t, "labels.ndjson", `{"_id":"a","name":"a"}`, `{"_id":"b","name":"b"}`))
		all, err = (&Importer{Store: h.store, Files: h.files, Keys: h.keys}).Import(t.Context(), only(t, "labels.ndjson", `{"_id":"a","_deleted":true}`))
		must(t, err)
		if all[0].Deleted != 1 {
			t.Errorf("one of few: %+v", all[0])
		}
	})
}

func TestWhatAnImportDeletesIsInTheTrash(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		wanted, stored := textOf(t, h.dump(t, true)), h.storedFiles(t)
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Trash: time.Hour, AllowDeletions: 10}
		gone := only(t, "customers.ndjson", `{"_id":"company","_deleted":true}`, `{"_id":"person","_deleted":true}`)
		importer.DryRun = true
		_, err := importer.Import(t.Context(), gone)
		must(t, err)
		if trash := h.inTrash(t); len(trash) > 0 {
			t.Errorf("after a dry run there is %q in the trash", trash)
		}
		importer.DryRun = false
		all, err := importer.Import(t.Context(), gone)
		must(t, err)
		forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
		must(t, err)
		if trash := h.inTrash(t); all[0].Deleted != 2 || !slices.Equal(trash, []string{"company", "person"}) || len(forgotten) > 0 || h.storedFiles(t) != stored {
			t.Fatalf("it did %+v, in the trash is %q, and files to remove are %q", all[0], trash, forgotten)
		}
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys}
		_, err = service.RestoreTrashed(t.Context(), "company", "person")
		must(t, err)
		for name, text := range textOf(t, h.dump(t, true)) {
			if text != wanted[name] {
				t.Errorf("%s is restored as\n%s\nwas\n%s", name, text, wanted[name])
			}
		}
	})
}

func TestARecordThatOthersDeleteIsNoDeletionOfAnImport(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, manyCustomers(t, 3))
	importer := h.importer(func(p Progress) {
		if p.Writing {
			return
		}
		must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Customers().Delete(ctx, "c-00000")
			return err
		}))
	}, nil)
	importer.Trash = time.Hour
	all, err := importer.Import(t.Context(), only(t, "customers.ndjson", deletionsOf(1)...))
	must(t, err)
	if all[0].Deleted != 0 || all[0].Unchanged != 1 || len(h.inTrash(t)) > 0 {
		t.Errorf("it did %+v, and in the trash is %q", all[0], strings.Join(h.inTrash(t), " "))
	}
}
