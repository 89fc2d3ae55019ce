package importexport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

// undoable is an importer whose imports can be taken back, and the number of the last one.
func (h *env) undoable() (*Importer, *int64) {
	number := new(int64)
	return &Importer{
		Store: h.store, Files: h.files, Keys: h.keys, Trash: time.Hour, AllowDeletions: 1000,
		Numbered: func(n int64) { *number = n },
	}, number
}

// add imports a label, a user and customers.
func (i *Importer) add(t *testing.T, customers ...string) {
	t.Helper()
	folder := only(t, "labels.ndjson", `{"_id":"l","name":"L"}`)
	with(t, folder, "users.ndjson", `{"_id":"u","firstName":"U","lastName":"U","email":"u@u.be"}`)
	with(t, folder, "customers.ndjson", customers...)
	_, err := i.Import(t.Context(), folder)
	must(t, err)
}

var versions = regexp.MustCompile(`,?"version":[0-9]+`)

// values is the export of a store, without versions, which only grow.
func (h *env) values(t *testing.T) map[string]string {
	t.Helper()
	texts := textOf(t, h.dump(t, true))
	for name, text := range texts {
		if strings.HasSuffix(name, ".ndjson") {
			texts[name] = versions.ReplaceAllString(text, "")
		}
	}
	return texts
}

// anyFile is a folder that changes, creates and deletes by chance what an office has.
func anyFile(t *testing.T, random *rand.Rand) string {
	t.Helper()
	folder := t.TempDir()
	one := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	var lines []string
	maybe := func(format string, args ...any) {
		if random.IntN(3) > 0 {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	write := func(name string) {
		if len(lines) > 0 {
			with(t, folder, name, lines...)
		}
		lines = nil
	}
	maybe(`{"_id":"label-audit",%s}`, one(`"_deleted":true`, `"color":"#000000"`, `"name":"Fisc"`))
	maybe(`{"_id":"label-payroll",%s}`, one(`"_deleted":true`, `"name":"Loon"`))
	maybe(`{"_id":"label-new","name":"Nieuw"}`)
	write("labels.ndjson")
	maybe(`{"_id":"user-zoe",%s}`, one(`"_deleted":true`, `"labels":[]`, `"firstName":"Z"`, `"labels":["label-new"]`))
	maybe(`{"_id":"user-new","firstName":"N","lastName":"N","email":"n@n.be"}`)
	write("users.ndjson")
	if random.IntN(3) == 0 {
		lines = append(lines, `{"_id":"fy-2027","startDate":"2027","isCurrentYear":true}`, `{"_id":"fy-2026","isCurrentYear":false}`)
	}
	write("financialyears.ndjson")
	maybe(`{"_id":"checklist-2026","name":"Anders"}`)
	maybe(`{"_id":"checklist-new","name":"Nieuw","language":"french","financialYear":"fy-2026"}`)
	write("checklists.ndjson")
	maybe(`{"_id":"company",%s}`, one(`"_deleted":true`, `"customerCode":"P-1"`, `"registrationNumber":null`, `"phone":null,"scopes":[]`, `"responsible":"user-new"`))
	maybe(`{"_id":"person",%s}`, one(`"_deleted":true`, `"customerCode":"C-1"`, `"spouseRegistrationNumber":"85073003328"`, `"email":"x@y.be"`))
	maybe(`{"_id":"other-1",%s}`, one(`"_deleted":true`, `"customerCode":"O-2"`, `"responsible":null`))
	maybe(`{"_id":"other-2",%s}`, one(`"_deleted":true`, `"customerCode":"O-1"`, `"name":null`))
	maybe(`{"_id":"customer-new","type":"Company","name":"N","responsible":"user-zoe","customerCode":"N"}`)
	write("customers.ndjson")
	maybe(`{"_id":"relation-1",%s}`, one(`"_deleted":true`, `"kind":"director"`, `"relatedCustomer":"other-1"`))
	maybe(`{"_id":"relation-new","kind":"UBO","customer":"other-1","relatedCustomer":"customer-new"}`)
	write("relations.ndjson")
	maybe(`{"_id":"transcript-full",%s}`, one(`"_deleted":true`, `"customer":"other-2"`, `"status":"To Process"`, `"file":"new.pdf"`, `"customVariables":{"z":1}`))
	maybe(`{"_id":"transcript-new","customer":"customer-new","checklist":"checklist-new"}`)
	maybe(`{"_id":"transcript-other","customer":"other-1","checklist":"checklist-2026"}`)
	write("transcripts.ndjson")
	maybe(`{"_id":"calculation-1",%s}`, one(`"_deleted":true`, `"state":"Locked"`, `"file":null`))
	maybe(`{"_id":"calculation-new","transcript":"transcript-new","state":"Locked","file":"new.pdf"}`)
	write("calculations.ndjson")
	maybe(`{"_id":"document-1",%s}`, one(`"_deleted":true`, `"name":"Anders"`, `"file":"new.pdf"`, `"customer":"other-1"`))
	maybe(`{"_id":"document-new","name":"N","customer":"other-2","file":"new.pdf"}`)
	write("documents.ndjson")
	maybe(`{"_id":"minfin-1",%s}`, one(`"_deleted":true`, `"financialYear":null`, `"file":"new.pdf"`))
	write("minfin.ndjson")
	must(t, os.WriteFile(filepath.Join(folder, "new.pdf"), []byte("%PDF-1.7 new"), 0o600))
	return folder
}

func TestAnyImportIsTakenBack(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"other-1","type":"Company","customerCode":"O-1","responsible":"user-zoe"}`, `{"_id":"other-2","type":"Company","customerCode":"O-2","name":"Two"}`))
		before, did := h.values(t), Loaded{}
		for seed := range uint64(40) {
			random := rand.New(rand.NewPCG(seed, 7))
			importer, number := h.undoable()
			importer.Rejects, importer.Portion = t.TempDir(), random.IntN(2)*2
			all, err := importer.Import(t.Context(), anyFile(t, random))
			must(t, err)
			changed := 0
			for _, loaded := range all {
				did.Add(loaded)
				changed += loaded.Created + loaded.Updated + loaded.Deleted
			}
			if changed == 0 {
				continue
			}
			after, entries := h.values(t), len(h.changes(t))
			importer.Rejects = ""
			for _, importer.DryRun = range []bool{true, false} {
				all, err := importer.Undo(t.Context(), *number)
				must(t, err)
				for _, loaded := range all {
					if loaded.Rejected > 0 {
						t.Errorf("seed %d, dry %t: it leaves %+v", seed, importer.DryRun, loaded)
					}
				}
				if importer.DryRun && (len(h.changes(t)) != entries || cmp.Diff(after, h.values(t)) != "") {
					t.Errorf("seed %d: a dry run changes something", seed)
				}
			}
			if diff := cmp.Diff(before, h.values(t)); diff != "" {
				t.Fatalf("seed %d: taken back, the office differs:\n%s", seed, diff)
			}
			if _, err := importer.Undo(t.Context(), *number); err == nil || !strings.Contains(err.Error(), "nothing is kept of an import") {
				t.Errorf("seed %d: taken back twice: %v", seed, err)
			}
			importer.DryRun = false
		}
		if did.Created < 50 || did.Updated < 50 || did.Deleted < 20 {
			t.Errorf("too little was taken back: %+v", did)
		}
		for _, id := range h.inTrash(t) {
			if !strings.HasSuffix(id, "-new") {
				t.Errorf("%s exists, and is in the trash", id)
			}
		}
	})
}

// left are the records that an undo named, with why.
func left(all []Loaded) (named []string) {
	for _, loaded := range all {
		for _, bad := range loaded.Bad {
			named = append(named, bad.Record+": "+bad.Faults[0].String())
		}
	}
	slices.Sort(named)
	return named
}

func TestWhatChangedSinceStaysAndIsNamed(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		importer, number := h.undoable()
		importer.add(t, `{"_id":"company","phone":null}`, `{"_id":"person","firstName":"First"}`, `{"_id":"c","type":"Company"}`, `{"_id":"d","type":"Company"}`)
		first := *number
		folder := only(t, "users.ndjson", `{"_id":"user-zoe","labels":["l"]}`)
		with(t, folder, "customers.ndjson", `{"_id":"person","firstName":"Second"}`)
		with(t, folder, "relations.ndjson", `{"_id":"r","kind":"UBO","customer":"c","relatedCustomer":"company"}`)
		_, err := importer.Import(t.Context(), folder)
		must(t, err)
		second := *number
		all, err := importer.Undo(t.Context(), first)
		must(t, err)
		want := []string{"c: other records refer to it", "l: other records refer to it", "person: it was changed since"}
		if diff := cmp.Diff(want, left(all)); diff != "" {
			t.Error(diff)
		}
		if one(t, h.store.Customers(), "company").Phone == "" || one(t, h.store.Customers(), "d") != nil || one(t, h.store.Users(), "u") != nil {
			t.Error("what nobody changed is not taken back")
		}
		if got := one(t, h.store.Customers(), "person").FirstName; got != "Second" || one(t, h.store.Customers(), "c") == nil {
			t.Errorf("what was changed since is %s", got)
		}
		if all, err = importer.Undo(t.Context(), second); err != nil || len(left(all)) > 0 {
			t.Errorf("the later import: %v, %q", err, left(all))
		}
		if all, err = importer.Undo(t.Context(), first); err != nil || len(left(all)) > 0 {
			t.Errorf("the earlier import after it: %v, %q", err, left(all))
		}
		if got := one(t, h.store.Customers(), "person").FirstName; got == "First" || got == "Second" || one(t, h.store.Customers(), "c") != nil {
			t.Errorf("taken back in turn, it is %s", got)
		}
		undone := h.changes(t)
		if last := undone[len(undone)-1]; last.Action != "import undo" {
			t.Errorf("the log ends with %+v", last)
		}
	})
}

func TestAnUndoTellsNobodyWhenANumberWasWritten(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		shown := func() (*backoffice.Customer, *backoffice.Customer) {
			c := one(t, h.store.Customers(), "person")
			return c, c.VisibleTo(&backoffice.Principal{})
		}
		_, before := shown()
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"person","spouseRegistrationNumber":"85073003328"}`))
		written, _ := shown()
		importer, number := h.undoable()
		_, err := importer.Import(t.Context(), only(t, "customers.ndjson", `{"_id":"person","email":"x@y.be"}`))
		must(t, err)
		_, err = importer.Undo(t.Context(), *number)
		must(t, err)
		if whole, seen := shown(); written.UpdatedAt == before.UpdatedAt || whole.UpdatedAt != before.UpdatedAt || seen.UpdatedAt != before.UpdatedAt || !whole.OpenUpdatedAt.IsZero() {
			t.Errorf("after %d it is of %d, and without numbers of %d", before.UpdatedAt, whole.UpdatedAt, seen.UpdatedAt)
		}
	})
}

func TestWhatIsErasedIsInNoImport(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		service := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys}
		kept := func(number int64) (n int) {
			for _, noun := range backoffice.Nouns {
				created, others, err := h.store.ImportedRecords(t.Context(), number, noun.Name())
				must(t, err)
				n += len(created) + len(others)
			}
			return n
		}
		for _, how := range []string{"erased", "in the trash, and erased", "due"} {
			h.mustLoad(t, office(t))
			importer, number := h.undoable()
			if how == "due" {
				importer.Trash = time.Millisecond
			}
			folder := only(t, "customers.ndjson", `{"_id":"company","phone":null}`)
			with(t, folder, "documents.ndjson", `{"_id":"document-1","file":"new.pdf"}`)
			must(t, os.WriteFile(filepath.Join(folder, "new.pdf"), []byte("%PDF-1.7 "+how), 0o600))
			replaced := one(t, h.store.Documents(), "document-1").File.Key
			_, err := importer.Import(t.Context(), folder)
			must(t, err)
			known, err := h.store.KnownFiles(t.Context(), []string{replaced})
			must(t, err)
			if kept(*number) != 2 || !known[replaced] {
				t.Fatalf("%s: of %d records something is kept; the replaced file is known: %t", how, kept(*number), known[replaced])
			}
			changed, err := h.store.(interface {
				ChangedFiles(ctx context.Context, after int64) ([]string, error)
			}).ChangedFiles(t.Context(), 0)
			if must(t, err); !slices.Contains(changed, replaced) {
				t.Errorf("%s: of the files that changed, the replaced one is not shipped", how)
			}
			seen := 0
			must(t, h.store.ResealTrash(t.Context(), func(*backoffice.Customer) (bool, error) { seen++; return true, nil }))
			if seen == 0 {
				t.Errorf("%s: the rotation of keys passes over the customer as it was", how)
			}
			gone := only(t, "customers.ndjson", `{"_id":"company","_deleted":true}`)
			switch how {
			case "erased":
				h.mustLoad(t, gone)
			case "due":
				time.Sleep(2 * time.Millisecond)
				_, err = service.EmptyDueTrash(t.Context())
			default:
				again := *importer
				again.Numbered = nil
				_, err = again.Import(t.Context(), gone)
				must(t, err)
				if kept(*number) != 2 {
					t.Errorf("what is in the trash is erased")
				}
				_, err = service.EmptyTrash(t.Context(), "company")
			}
			must(t, err)
			known, err = h.store.KnownFiles(t.Context(), []string{replaced})
			must(t, err)
			forgotten, err := h.store.ForgottenFiles(t.Context(), 100)
			must(t, err)
			if _, err := h.files.Open(t.Context(), replaced, 0, -1); kept(*number) != 0 || known[replaced] || err == nil && !slices.Contains(forgotten, replaced) {
				t.Errorf("%s: of %d records something is kept; the replaced file is known: %t", how, kept(*number), known[replaced])
			}
		}
	})
}

func TestARelationThatAnImportMovedIsErasedWithWhoHadIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		h.mustLoad(t, with(t, only(t, "customers.ndjson", `{"_id":"c","type":"Company"}`, `{"_id":"p","type":"Private Person"}`),
			"relations.ndjson", `{"_id":"r","kind":"director","customer":"c","relatedCustomer":"p"}`))
		importer, number := h.undoable()
		_, err := importer.Import(t.Context(), only(t, "relations.ndjson", `{"_id":"r","relatedCustomer":"person"}`))
		must(t, err)
		for _, want := range []int{1, 0} {
			if _, kept, err := h.store.ImportedRecords(t.Context(), *number, backoffice.NounRelation); err != nil || len(kept) != want {
				t.Errorf("%v are kept (%v)", kept, err)
			}
			h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"p","_deleted":true}`))
		}
	})
}

func TestACustomerIsTakenBackOnceWhatMovedToItIsBack(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		importer, number := h.undoable()
		before := h.values(t)
		folder := only(t, "customers.ndjson", `{"_id":"c","type":"Company"}`, `{"_id":"p","type":"Private Person"}`)
		with(t, folder, "documents.ndjson", `{"_id":"document-1","customer":"c"}`)
		_, err := importer.Import(t.Context(), folder)
		must(t, err)
		// What a server finds by itself goes with its customer; what the office reported since stays, and so does the customer.
		found := &backoffice.Discrepancy{ID: "d", Kind: backoffice.NotDeclared, CustomerID: "c", PersonID: "p", SeenAt: backoffice.InstantOf(time.Now()), Version: 1}
		write := func() {
			must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Discrepancies().Upsert(ctx, []*backoffice.Discrepancy{found})
			}))
		}
		found.ReportedAt = found.SeenAt
		write()
		all, err := importer.Undo(t.Context(), *number)
		must(t, err)
		if diff := cmp.Diff([]string{"c: other records refer to it", "p: other records refer to it"}, left(all)); diff != "" {
			t.Error(diff)
		}
		found.ReportedAt = 0
		write()
		all, err = importer.Undo(t.Context(), *number)
		must(t, err)
		if diff := cmp.Diff(before, h.values(t)); len(left(all)) > 0 || diff != "" {
			t.Errorf("%q: %s", left(all), diff)
		}
	})
}

func TestARelationThatEndsAsTheNextBeginsIsNotInTheTrash(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		importer, _ := h.undoable()
		load := func(lines ...string) {
			all, err := importer.Import(t.Context(), only(t, "relations.ndjson", lines...))
			var bad *BadFile
			if errors.As(err, &bad) {
				t.Fatal(bad.Reports())
			}
			must(t, err)
			if all[0].Rejected > 0 {
				t.Fatal(all)
			}
		}
		line := `{"_id":%q,"kind":"shareholder","customer":"company","relatedCustomer":"person",%s}`
		load(fmt.Sprintf(line, "r1", `"startDate":"2024-01-01"`))
		load(`{"_id":"r1","endDate":"2025-12-31"}`, fmt.Sprintf(line, "r2", `"startDate":"2026-01-01"`))
		var entries []string
		must(t, h.store.EachTrashed(t.Context(), func(entry *backoffice.Trashed) error {
			entries = append(entries, entry.ID)
			return nil
		}))
		if one(t, h.store.Relations(), "r1").EndDate != "2025-12-31" || len(entries) > 0 {
			t.Errorf("in the trash are %q", entries)
		}
	})
}

func TestAnImportIsTakenBackAfterItsNumbersWereSealedAnew(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer, number := h.undoable()
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Private Person","name":"a","registrationNumber":"93051822361"}`))
		_, err := importer.Import(t.Context(), only(t, "customers.ndjson", `{"_id":"a","name":"b"}`))
		must(t, err)
		was := one(t, h.store.Customers(), "a")
		again, err := h.keys.Seal("a", backoffice.RegistrationNumber, "93051822361")
		must(t, err)
		must(t, h.store.Reseal(t.Context(), []backoffice.Resealed{{
			ID: "a", Before: [2]backoffice.Sealed{was.Registration, was.SpouseRegistration}, After: [2]backoffice.Sealed{again, was.SpouseRegistration},
		}}))
		all, err := importer.Undo(t.Context(), *number)
		if got := one(t, h.store.Customers(), "a"); err != nil || len(left(all)) > 0 || got.OwnName != "a" {
			t.Errorf("%v, left are %v, it is %q", err, left(all), got.OwnName)
		}
	})
}

func TestAFileThatAnImportKeepsIsNotRemovedWithItsDocument(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		importer, _ := h.undoable()
		h.mustLoad(t, office(t))
		was := one(t, h.store.Transcripts(), "transcript-full")
		_, err := importer.Import(t.Context(), only(t, "transcripts.ndjson", `{"_id":"transcript-full","progressPercentage":12}`))
		must(t, err)
		var replaced []string
		must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) (err error) {
			changed := *was
			changed.Document = &backoffice.File{Key: "k", ContentType: "application/pdf", Size: 1, SHA256: make([]byte, 32), Owner: was.Document.Owner}
			_, replaced, err = tx.SetDocument(ctx, &changed)
			return errors.Join(err, tx.ForgetFiles(ctx, []string{was.Document.Key}))
		}))
		forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
		if err != nil || len(replaced)+len(forgotten) > 0 {
			t.Errorf("%v: to be removed are %v and %v", err, replaced, forgotten)
		}
	})
}
