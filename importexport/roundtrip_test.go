package importexport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

// textOf reads a folder: each file's name with its bytes.
func textOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	must(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return texts
}

func TestImportOfAnExportGivesTheSameDataBack(t *testing.T) {
	t.Parallel()
	first, second := newEnv(t), newEnv(t)
	first.mustLoad(t, office(t))
	exported := first.dump(t, true)
	second.mustLoad(t, exported)
	again := second.dump(t, true)
	if diff := cmp.Diff(textOf(t, exported), textOf(t, again)); diff != "" {
		t.Errorf("the second export differs (-first +second):\n%s", diff)
	}
	for name, text := range textOf(t, exported) {
		if strings.HasSuffix(name, ".ndjson") && text == "" {
			t.Errorf("%s is empty, so nothing was compared", name)
		}
	}
	compareStores(t, first, second)
}

func TestTheExportOfAMirrorIsTakenAlthoughItLacksADocumentThatItsOriginDoesNotShow(t *testing.T) {
	t.Parallel()
	mirror, second := newEnv(t), newEnv(t)
	mirror.mustLoad(t, office(t))
	pulled, err := (&Importer{Store: mirror.store, Files: mirror.files, Keys: mirror.keys}).StreamBeside(nil)
	must(t, err)
	defer pulled.Close()
	loaded, err := pulled.Load(t.Context(), backoffice.NounTranscript, []byte(`{"_id":"transcript-bare","documentGenerated":true}`+"\n"), false)
	if err != nil || loaded.Updated != 1 {
		t.Fatalf("%+v (%v)", loaded, err)
	}
	second.mustLoad(t, mirror.dump(t, true))
	importer, number := mirror.undoable()
	_, err = importer.Import(t.Context(), only(t, "transcripts.ndjson", `{"_id":"transcript-bare","progressPercentage":50}`))
	must(t, err)
	if got := one(t, mirror.store.Transcripts(), "transcript-bare"); got.ProgressPercentage != 50 || !got.DocumentGenerated {
		t.Errorf("the mirror has %+v", got)
	}
	all, err := importer.Undo(t.Context(), *number)
	must(t, err)
	if got := one(t, mirror.store.Transcripts(), "transcript-bare"); len(left(all)) > 0 || got.ProgressPercentage != 0 {
		t.Errorf("an undo leaves %q, and %+v", left(all), got)
	}
}

func TestEitherEngineTakesWhatTheOtherGives(t *testing.T) {
	t.Parallel()
	first, second := newEnv(t), newPostgresEnv(t)
	first.mustLoad(t, office(t))
	exported := first.dump(t, true)
	second.mustLoad(t, exported)
	if diff := cmp.Diff(textOf(t, exported), textOf(t, second.dump(t, true))); diff != "" {
		t.Errorf("the second export differs (-first +second):\n%s", diff)
	}
	compareStores(t, first, second)
	logged := len(second.changes(t))
	for name, loaded := range second.mustLoad(t, exported) {
		if loaded.Unchanged != loaded.Lines() {
			t.Errorf("%s: the second run did %+v", name, loaded)
		}
	}
	if again := len(second.changes(t)); again != logged {
		t.Errorf("the change log went from %d entries to %d", logged, again)
	}
	got := reports(t, second, only(t, "customers.ndjson", `{"_id":"fine","type":"Company"}`, `{"_id":"x","type":"Company","customerCode":"C-1"}`))
	if len(got) != 1 || got[0] != "customers.ndjson:2: customerCode: another record already has this value, which must be unique" {
		t.Errorf("a code that is taken is reported as %q", got)
	}
	if one(t, second.store.Customers(), "fine") != nil {
		t.Error("a line of a bad file was loaded")
	}
}

// compareStores compares what the two stores hold, field by field, but for the storage keys of files and the
// ciphertexts, which are never the same twice.
func compareStores(t *testing.T, first, second *env) {
	t.Helper()
	ignored := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Key" }, cmp.Ignore())
	sealed := cmp.Comparer(func(a, b backoffice.Sealed) bool { return a.IsZero() == b.IsZero() })
	compare := func(name string, a, b any) {
		if diff := cmp.Diff(a, b, ignored, sealed); diff != "" {
			t.Errorf("%s differ:\n%s", name, diff)
		}
	}
	ctx := t.Context()
	compare("labels", all(ctx, t, first.store.Labels()), all(ctx, t, second.store.Labels()))
	compare("users", all(ctx, t, first.store.Users()), all(ctx, t, second.store.Users()))
	compare("years", all(ctx, t, first.store.FinancialYears()), all(ctx, t, second.store.FinancialYears()))
	compare("checklists", all(ctx, t, first.store.Checklists()), all(ctx, t, second.store.Checklists()))
	compare("customers", all(ctx, t, first.store.Customers()), all(ctx, t, second.store.Customers()))
	compare("relations", all(ctx, t, first.store.Relations()), all(ctx, t, second.store.Relations()))
	compare("transcripts", all[transcript](ctx, t, first.store.Transcripts()), all[transcript](ctx, t, second.store.Transcripts()))
	compare("calculations", all(ctx, t, first.store.Calculations()), all(ctx, t, second.store.Calculations()))
	compare("documents", all(ctx, t, first.store.Documents()), all(ctx, t, second.store.Documents()))
	compare("discrepancies", all(ctx, t, first.store.Discrepancies()), all(ctx, t, second.store.Discrepancies()))
	compare("minfin documents", all(ctx, t, first.store.MinfinDocuments()), all(ctx, t, second.store.MinfinDocuments()))
}

// all reads every record of a noun.
func all[T any, C comparable, R interface {
	*T
	backoffice.Entity
}](ctx context.Context, t *testing.T, rows backoffice.Reader[R, C]) (found []T) {
	t.Helper()
	must(t, backoffice.EachPage(ctx, rows, backoffice.ListQuery[C]{}, backoffice.NoParent, 0, func(page []R) error {
		for _, row := range page {
			found = append(found, *row)
		}
		return nil
	}))
	return found
}

func TestEveryFieldOfEveryNounIsInTheExport(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	texts := textOf(t, h.dump(t, true))
	wanted := map[string]string{
		"labels.ndjson":         `{"_id":"label-audit","name":"Audit","color":"#1e90ff","createdAt":"2021-03-04T05:06:07.890Z"}`,
		"users.ndjson":          `{"_id":"user-zoe","firstName":"Zoë","lastName":"Peeters","email":"zoe.peeters@office.example","language":"dutch","labels":["label-payroll","label-audit"],"version":4}`,
		"financialyears.ndjson": `{"_id":"fy-2025","startDate":"2025","endDate":"2025","isCurrentYear":false,"archivedAt":"2026-01-02T03:04:05.006Z"}`,
		"checklists.ndjson":     `{"_id":"checklist-2026","name":"Personenbelasting","language":"dutch","authRequired":true,"remindersEnabled":true,"dueDate":"2026-03-31","financialYear":"fy-2026"}`,
		"customers.ndjson": `{"_id":"company","type":"Company","name":"Café \"Één\" €","firstName":"An","lastName":"Maes","scopes":["annual-accounts","checklist","payroll-os"],"kboNumber":"0200065765","companyType":"BV",` +
			`"addressFields":{"street":"Kerkstraat","houseNumber":"1","box":"2","postalCode":"9000","city":"Gent","country":"Belgium"},"customerCode":"C-1","registrationNumber":"85073003328","spouseRegistrationNumber":"17073003384",` +
			`"responsible":"user-zoe","language":"dutch","email":"Een@Example.org","phone":"+32 9 123 45 67","createdAt":"2020-01-01T00:00:00.000Z","updatedAt":"2021-01-01T00:00:00.000Z","version":7}`,
		"relations.ndjson": `{"_id":"relation-1","kind":"UBO","customer":"company","relatedCustomer":"person","sharePercent":"33.3333","votePercent":"50","startDate":"2020-01-01","endDate":"2026-12-31","note":"founder","nominee":true,"createdAt":"2022-02-02T02:02:02.222Z","version":3}`,
		"transcripts.ndjson": `{"_id":"transcript-full","status":"Sent","isCompleted":true,"customer":"company","checklist":"checklist-2026","financialYear":"fy-2026","customVariables":{"b":[true,null,1.50],"a":"é"},` +
			`"documentGenerated":true,"progressPercentage":33.3,"updatedAt":"2026-04-05T06:07:08.009Z",` +
			`"createdAt":"2026-04-01T06:07:08.009Z","completedAt":"2026-04-04T06:07:08.009Z","documentGeneratedAt":"2026-04-05T06:07:08.008Z","sentAt":"2026-04-02T06:07:08.009Z","file":"files/transcripts/transcript-full.pdf","contentType":"application/pdf","size":22,"md5Hash":"`,
		"calculations.ndjson": `{"_id":"calculation-1","transcript":"transcript-full","state":"Calculation done","updatedAt":"2026-05-05T06:07:08.009Z","file":"files/calculations/calculation-1.pdf",`,
		"documents.ndjson":    `{"_id":"document-1","name":"Statuten.pdf","customer":"company","createdAt":"2023-03-03T03:03:03.333Z","file":"files/documents/document-1.txt","contentType":"text/plain; charset=utf-8","size":`,
		"minfin.ndjson":       `{"_id":"minfin-1","name":"Aanslagbiljet","documentType":"assessment notice","customer":"company","financialYear":"fy-2025","synchronisedAt":"2025-12-12T12:12:12.121Z","file":"files/minfin/minfin-1.pdf",`,
	}
	for name, line := range wanted {
		if !strings.Contains(texts[name], line) {
			t.Errorf("%s lacks\n%s\nin\n%s", name, line, texts[name])
		}
	}
	if !strings.Contains(texts["documents.ndjson"], `"timeCreated":"2023-03-03T03:03:04.444Z"`) {
		t.Error("the moment at which a file was made did not survive")
	}
	if got := texts["files/transcripts/transcript-full.pdf"]; got != "%PDF-1.7\na transcript\n" {
		t.Errorf("the bytes of the transcript's file are %q", got)
	}
}

func TestRegistrationNumbersAreExportedOnlyForAPurposeThatTheRegisterHolds(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	for name, text := range textOf(t, h.dump(t, false)) {
		if strings.Contains(text, "8507300") || strings.Contains(text, "egistrationNumber") {
			t.Errorf("%s tells of registration numbers", name)
		}
	}
	entries, err := h.store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 10)
	must(t, err)
	if len(entries) != 0 {
		t.Errorf("an export without numbers made %d entries", len(entries))
	}

	h.dump(t, true)
	entries, err = h.store.ListConsultations(t.Context(), backoffice.ConsultationPosition{}, 10)
	must(t, err)
	var customers []string
	for _, entry := range entries {
		if entry.Operation != backoffice.ConsultedByExport || entry.CustomerID == nil || *entry.Purpose != "yearly copy" {
			t.Fatalf("an entry is %+v", entry)
		}
		customers = append(customers, fmt.Sprint(*entry.CustomerID, entry.Fields))
	}
	if diff := cmp.Diff([]string{"company[REGISTRATION_NUMBER SPOUSE_REGISTRATION_NUMBER]", "person[REGISTRATION_NUMBER]"}, customers); diff != "" {
		t.Error(diff)
	}
}

func TestAnExportWithoutNumbersKeepsThemWhereItIsImported(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	before := one(t, h.store.Customers(), "company")
	h.mustLoad(t, h.dump(t, false))
	after := one(t, h.store.Customers(), "company")
	if !bytes.Equal(before.Registration.Ciphertext(), after.Registration.Ciphertext()) || after.Version != before.Version {
		t.Error("the number was touched")
	}
}

func TestAnExportLeavesAFolderThatHoldsSomethingAlone(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := only(t, "mine.txt", "hello")
	_, err := (&Exporter{Store: h.store, Files: h.files}).Export(t.Context(), folder, nil)
	if err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("the error is %v", err)
	}
	if got := textOf(t, folder); len(got) != 1 || got["mine.txt"] != "hello\n" {
		t.Errorf("the folder holds %v", got)
	}
}

func TestAnExportThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	document := one(t, h.store.Documents(), "document-1")
	must(t, h.files.Delete(t.Context(), document.File.Key))
	above := t.TempDir()
	_, err := (&Exporter{Store: h.store, Files: h.files}).Export(t.Context(), filepath.Join(above, "export"), nil)
	if backoffice.KindOf(err) != backoffice.NotFound || !strings.Contains(err.Error(), "document-1") {
		t.Errorf("the error is %v", err)
	}
	if left := textOf(t, above); len(left) != 0 {
		t.Errorf("there is left %v", left)
	}
}

func TestAnExportEndsThoughFilesAreDeletedAndReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		document, minfin := one(t, h.store.Documents(), "document-1"), one(t, h.store.MinfinDocuments(), "minfin-1")
		var transcribed *transcript
		must(t, eachOf(t.Context(), h.store, backoffice.TranscriptTable, func(r *transcript) {
			if r.Document != nil {
				transcribed = r
			}
		}))
		exporter := &Exporter{Store: h.store, Files: h.files, Progress: func(p Progress) {
			if p.File != "customers.ndjson" {
				return
			}
			must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				_, err := tx.Documents().Delete(ctx, document.ID)
				now, replaced := *transcribed, *minfin
				now.Document, now.DocumentGenerated, now.DocumentGeneratedAt = nil, false, 0
				file, failed := h.files.Put(ctx, backoffice.NewFileKey(backoffice.NewUploadID()), strings.NewReader("new"), "text/plain")
				replaced.File = &file
				return errors.Join(err, failed, tx.Transcripts().Update(ctx, &now), tx.MinfinDocuments().Update(ctx, &replaced))
			}))
			must(t, h.files.Delete(t.Context(), document.File.Key, transcribed.Document.Key, minfin.File.Key))
		}}
		folder := filepath.Join(t.TempDir(), "export")
		_, err := exporter.Export(t.Context(), folder, nil)
		must(t, err)
		other := newEnv(t)
		other.mustLoad(t, folder)
		if one(t, other.store.Documents(), document.ID) != nil || one(t, other.store.Transcripts(), transcribed.ID).Document != nil {
			t.Error("a file came back")
		}
		if got := one(t, other.store.MinfinDocuments(), "minfin-1"); got == nil || got.File.Size != 3 {
			t.Errorf("the replaced one is %+v", got)
		}
	})
}

func TestAnExportOfADamagedFileFails(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	document := one(t, h.store.Documents(), "document-1")
	must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		changed := *document
		file := *document.File
		file.SHA256 = make([]byte, 32)
		changed.File = &file
		return tx.Documents().Update(ctx, &changed)
	}))
	above := t.TempDir()
	_, err := (&Exporter{Store: h.store, Files: h.files}).Export(t.Context(), filepath.Join(above, "export"), nil)
	if err == nil || !strings.Contains(err.Error(), "document-1") || !strings.Contains(err.Error(), "not those that were stored") {
		t.Errorf("the error is %v", err)
	}
	if left := textOf(t, above); len(left) != 0 {
		t.Errorf("there is left %v", left)
	}
}

func TestAnExportShowsOneSnapshot(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	wanted := textOf(t, h.dump(t, false))
	deleted := false
	folder := filepath.Join(t.TempDir(), "export")
	exporter := &Exporter{Store: h.store, Files: h.files, Progress: func(p Progress) {
		if p.File == "customers.ndjson" && !deleted { // a record that later files refer to goes in the middle
			deleted = true
			h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"company","_deleted":true}`))
		}
	}}
	_, err := exporter.Export(t.Context(), folder, nil)
	must(t, err)
	if diff := cmp.Diff(wanted, textOf(t, folder)); diff != "" || !deleted {
		t.Errorf("the export differs (deleted: %t):\n%s", deleted, diff)
	}
}
