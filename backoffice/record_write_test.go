package backoffice_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func TestARelationJoinsTwoCustomersOnceOfAKind(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		a, b := w.company(t, backoffice.CustomerFields{}), w.company(t, backoffice.CustomerFields{})
		relate := func(from, to string, kind backoffice.RelationKind) string {
			_, err := w.CreateRelation(t.Context(), w.by, backoffice.RelationDraft{CustomerID: from, RelatedCustomerID: to, Kind: kind}, noKey)
			return outcome(err)
		}
		for _, c := range []struct{ got, want string }{
			{relate(a.ID, b.ID, backoffice.Director), "done"},
			{relate(a.ID, b.ID, backoffice.Director), "TAKEN relatedCustomerId"},
			{relate(b.ID, a.ID, backoffice.Director), "done"},
			{relate(a.ID, b.ID, backoffice.UBO), "done"},
			{relate(a.ID, a.ID, backoffice.UBO), "NOT_ALLOWED relatedCustomerId"},
			{relate("nobody", "no one", backoffice.UBO), "NOT_FOUND relatedCustomerId, NOT_FOUND customerId"},
			{relate("", a.ID, "FRIEND"), "INVALID kind, REQUIRED customerId"},
		} {
			if c.got != c.want {
				t.Errorf("%q, not %q", c.got, c.want)
			}
		}
		r, err := w.CreateRelation(t.Context(), w.by, backoffice.RelationDraft{CustomerID: a.ID, RelatedCustomerID: b.ID, Kind: backoffice.Shareholder}, text("key"))
		accept(t, err)
		again, err := w.CreateRelation(t.Context(), w.by, backoffice.RelationDraft{CustomerID: a.ID, RelatedCustomerID: b.ID, Kind: backoffice.Shareholder}, text("key"))
		accept(t, err)
		if diff := cmp.Diff(r, again); diff != "" {
			t.Error(diff)
		}
		expect(t, w.DeleteRelation(t.Context(), w.by, r.ID, nil), "done")
		expect(t, w.DeleteRelation(t.Context(), w.by, r.ID, nil), "NOT_FOUND id")
		expect(t, w.DeleteRelation(t.Context(), w.by, a.ID, nil), "NOT_FOUND id")
		if log := w.changes(t, 5); !slices.Equal(log, []string{"credential createCustomerRelation relation customerId kind relatedCustomerId", "credential deleteCustomerRelation relation"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestALabelsNameIsUnique(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		l, err := w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "VAT", Color: new("#AA00FF")}, noKey)
		accept(t, err)
		if l.Color != "#aa00ff" {
			t.Errorf("%+v", l)
		}
		_, err = w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Name: "VAT"}, noKey)
		expect(t, err, "TAKEN name")
		_, err = w.CreateLabel(t.Context(), w.by, backoffice.LabelDraft{Color: new("red")}, noKey)
		expect(t, err, "REQUIRED name, INVALID color")
	})
}

func TestAUserIsChanged(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		one, two := 1, 2
		u, err := w.UpdateUser(t.Context(), w.by, "an", backoffice.UserFields{Email: text("an@new.example"), LabelIDs: backoffice.Value([]string{"tax", "audit", "tax"})}, backoffice.OnlyVersion(&one))
		accept(t, err)
		want := &backoffice.User{ID: "an", FirstName: "An", LastName: "Peeters", Email: "an@new.example", LabelIDs: []string{"tax", "audit"}, Version: 2}
		if diff := cmp.Diff(want, u); diff != "" {
			t.Error(diff)
		}
		for _, c := range []struct {
			id       string
			fields   backoffice.UserFields
			expected *int
			want     string
		}{
			{"an", backoffice.UserFields{LastName: text("x")}, &one, "STALE_VERSION expectedVersion"},
			{"nobody", backoffice.UserFields{}, nil, "NOT_FOUND id"},
			{"an", backoffice.UserFields{FirstName: backoffice.Null[string](), Email: text(""), Language: text("Dutch"), LabelIDs: backoffice.Value([]string{"tax", "none", "not one"})}, &two,
				"NOT_FOUND labelIds.1, REQUIRED firstName, REQUIRED email, INVALID language, NOT_FOUND labelIds.2"},
			{"an", backoffice.UserFields{LabelIDs: backoffice.Value([]string{"tax", "audit"})}, &two, "done"}, // as it is
			{"an", backoffice.UserFields{LabelIDs: backoffice.Null[[]string]()}, &two, "done"},
		} {
			_, err := w.UpdateUser(t.Context(), w.by, c.id, c.fields, backoffice.OnlyVersion(c.expected))
			expect(t, err, c.want)
		}
		if log := w.changes(t, 0); !slices.Equal(log, []string{"credential updateUser user email labelIds", "credential updateUser user labelIds"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestTheCustomersOfADeletedUserHaveNobody(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c, other := w.company(t, backoffice.CustomerFields{ResponsibleID: text("an")}), w.company(t, backoffice.CustomerFields{})
		expect(t, w.DeleteUser(t.Context(), w.by, "an", backoffice.Versions{0}), "STALE_VERSION expectedVersion")
		one := 1
		expect(t, w.DeleteUser(t.Context(), w.by, "an", backoffice.OnlyVersion(&one)), "done")
		expect(t, w.DeleteUser(t.Context(), w.by, "an", nil), "NOT_FOUND id")
		if got := w.customer(t, c.ID); got.ResponsibleID != "" || got.Version != 2 {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff(other, w.customer(t, other.ID)); diff != "" {
			t.Error(diff)
		}
		if log := w.changes(t, 2); !slices.Equal(log, []string{"credential deleteUser user", "credential deleteUser customer responsibleId"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestAChecklistOfTheCurrentYearIsAssigned(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{})
		assign := func(list, customer, variables string, key backoffice.Optional[string]) (*backoffice.Transcript, string) {
			draft := backoffice.Assignment{ChecklistID: list, CustomerID: customer}
			if variables != "" {
				draft.CustomVariables = []byte(variables)
			}
			made, err := w.AssignChecklist(t.Context(), w.by, draft, key)
			return made, outcome(err)
		}
		made, came := assign("list2026", c.ID, `{"b": 1.0, "a": true}`, text("key"))
		if came != "done" {
			t.Fatal(came)
		}
		want := &backoffice.Transcript{
			ID: made.ID, OwnStatus: backoffice.ToProcess, Status: backoffice.ToProcess, OwnUpdatedAt: made.OwnUpdatedAt, CreatedAt: made.OwnUpdatedAt, UpdatedAt: made.OwnUpdatedAt,
			CustomVariables: `{"b":1.0,"a":true}`, CustomerID: c.ID, ChecklistID: "list2026", FinancialYearID: "y2026",
		}
		stored, err := backoffice.ReadByID(t.Context(), w.Store.Transcripts(), []string{made.ID}, 0)
		accept(t, err)
		if diff := cmp.Diff(want, stored[made.ID]) + cmp.Diff(want, made); diff != "" {
			t.Error(diff)
		}
		if again, _ := assign("list2026", c.ID, `{"a":true,"b":1.0}`, text("key")); again == nil || again.ID != made.ID {
			t.Errorf("a replay gave %+v", again)
		}
		if twin, _ := assign("list2026", c.ID, "", noKey); twin == nil || twin.ID == made.ID {
			t.Errorf("assigning twice makes two: %+v", twin)
		}
		deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
		for _, c := range []struct{ list, customer, variables, want string }{
			{"list2025", c.ID, "", "FINANCIAL_YEAR_ARCHIVED checklistId"},
			{"list2025", "nobody", "", "FINANCIAL_YEAR_ARCHIVED checklistId, NOT_FOUND customerId"},
			{"none", "n o", deep, "NOT_FOUND customerId, INVALID customVariables, NOT_FOUND checklistId"},
			{"list2026", c.ID, fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", backoffice.MaxJSON)), "INVALID customVariables"},
		} {
			if _, came := assign(c.list, c.customer, c.variables, noKey); came != c.want {
				t.Errorf("%q, not %q", came, c.want)
			}
		}
		_, err = w.StartYear(t.Context(), backoffice.YearStart{Year: "2027"})
		accept(t, err)
		if _, came := assign("list2026", c.ID, "", noKey); came != "FINANCIAL_YEAR_ARCHIVED checklistId" {
			t.Error(came)
		}
		if again, _ := assign("list2026", c.ID, `{"a":true,"b":1.0}`, text("key")); again == nil || again.ID != made.ID {
			t.Errorf("a replay does not ask again whether the year is current: %+v", again)
		}
	})
}

func TestAYearIsStartedAfterTheCurrentOne(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		for year, want := range map[string]string{"2026": "NOT_ALLOWED startDate", "2025": "NOT_ALLOWED startDate", "2028": "NOT_ALLOWED startDate", "26": "INVALID startDate", "20 7": "INVALID startDate"} {
			_, err := w.StartYear(t.Context(), backoffice.YearStart{Year: year})
			expect(t, err, want)
		}
		started, err := w.StartYear(t.Context(), backoffice.YearStart{Year: "2028", Skip: true})
		accept(t, err)
		y := started.Year
		years, err := backoffice.ReadByID(t.Context(), w.Store.FinancialYears(), []string{"y2026", y.ID}, 0)
		accept(t, err)
		if old := years["y2026"]; old.IsCurrentYear || old.ArchivedAt.IsZero() {
			t.Errorf("%+v", old)
		}
		if diff := cmp.Diff(&backoffice.FinancialYear{ID: y.ID, StartDate: "2028", EndDate: "2028", IsCurrentYear: true}, years[y.ID]); diff != "" {
			t.Error(diff)
		}
		if log := w.changes(t, 0); !slices.Equal(log, []string{"years start financial year archivedAt isCurrentYear", "years start financial year endDate isCurrentYear startDate"}) {
			t.Errorf("%q", log)
		}
	})
}

func TestAYearIsAsLongAsTheOneBefore(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		accept(t, w.Store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.FinancialYears().Update(ctx, &backoffice.FinancialYear{ID: "y2026", StartDate: "2026", EndDate: "2027", IsCurrentYear: true})
		}))
		for _, year := range []string{"2027", "2030"} {
			started, err := w.StartYear(t.Context(), backoffice.YearStart{Year: year, Skip: true})
			accept(t, err)
			if want := map[string]string{"2027": "2028", "2030": "2031"}[year]; started.Year.EndDate != want {
				t.Errorf("%s ends in %s", year, started.Year.EndDate)
			}
		}
	})
}

func TestAYearIsNotStartedBesideAnImportOfIt(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		locked, started := make(chan struct{}), make(chan error, 1)
		go func() {
			<-locked
			_, err := w.StartYear(t.Context(), backoffice.YearStart{Year: "2027"})
			started <- err
		}()
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			err := errors.Join(tx.FinancialYears().Lock(ctx), // as an import does
				tx.FinancialYears().Insert(ctx, &backoffice.FinancialYear{ID: "imported", StartDate: "2027", EndDate: "2027", ArchivedAt: 1}))
			close(locked)
			time.Sleep(200 * time.Millisecond) // long enough to start it
			return err
		})
		expect(t, <-started, "TAKEN startDate")
	})
}

func TestChecklistsComeOverIntoTheNewYearWhenAskedFor(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		before, err := backoffice.ReadCounts(t.Context(), w.Store.Checklists(), backoffice.OfFinancialYear, backoffice.ChecklistCriteria{}, []string{"y2026"})
		accept(t, err)
		old, err := backoffice.ReadByID(t.Context(), w.Store.Checklists(), []string{"list2026"}, 0)
		accept(t, err)
		started, err := w.StartYear(t.Context(), backoffice.YearStart{Year: "2027", WithChecklists: true})
		accept(t, err)
		if len(started.Checklists) != before["y2026"] || len(started.Checklists) == 0 {
			t.Fatalf("%d came over, not %d", len(started.Checklists), before["y2026"])
		}
		after, err := backoffice.ReadCounts(t.Context(), w.Store.Checklists(), backoffice.OfFinancialYear, backoffice.ChecklistCriteria{}, []string{"y2026", started.Year.ID})
		accept(t, err)
		if after["y2026"] != before["y2026"] || after[started.Year.ID] != before["y2026"] {
			t.Errorf("the years have %v", after)
		}
		copied := *started.Checklists[0]
		stored, err := backoffice.ReadByID(t.Context(), w.Store.Checklists(), []string{copied.ID}, 0)
		accept(t, err)
		want := *old["list2026"]
		want.ID, want.FinancialYearID = copied.ID, started.Year.ID
		if diff := cmp.Diff(&want, stored[copied.ID]); diff != "" {
			t.Error(diff)
		}
		if log := w.changes(t, 0); log[len(log)-1] != "years start checklist authRequired financialYearId language name remindersEnabled" {
			t.Errorf("%q", log)
		}
	})
}

func TestAnEmptyOfficeStartsItsFirstYear(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			if _, err := tx.Checklists().Delete(ctx, "list2026"); err != nil {
				return err
			}
			_, err := tx.FinancialYears().Delete(ctx, "y2026")
			return err
		})
		_, err := w.StartYear(t.Context(), backoffice.YearStart{Year: "2025"})
		expect(t, err, "TAKEN startDate")
		_, err = w.StartYear(t.Context(), backoffice.YearStart{Year: "2026", WithChecklists: true})
		expect(t, err, "done")
	})
}

// beside does something while a document is rendered.
type beside struct {
	backoffice.Documents
	do func()
}

func (b beside) Transcript(ctx context.Context, of backoffice.TranscriptDocument) (io.Reader, string, error) {
	b.do()
	return b.Documents.Transcript(ctx, of)
}

func TestTheDocumentOfACompletedTranscriptIsGenerated(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{Name: text("Acme"), KboNumber: text("0200065765")})
		other := w.company(t, backoffice.CustomerFields{Name: text("Merged")})
		w.fill(t, c.ID, "one") // of an archived year, with a document
		w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Transcripts().Insert(ctx, &backoffice.Transcript{ID: "open", OwnStatus: backoffice.ToProcess, OwnUpdatedAt: 1, CustomerID: c.ID, ChecklistID: "list2026", FinancialYearID: "y2026"},
				&backoffice.Transcript{ID: "ready", OwnStatus: backoffice.ToProcess, OwnUpdatedAt: 1, IsCompleted: true, CustomerID: c.ID, ChecklistID: "list2026", FinancialYearID: "y2026"},
				&backoffice.Transcript{ID: "signed", OwnStatus: backoffice.ToProcess, OwnUpdatedAt: 1, IsCompleted: true, CustomerID: c.ID, ChecklistID: "list2026", FinancialYearID: "y2026"})
		})
		before := w.storedFiles(t)
		got, err := w.GenerateTranscriptDocument(t.Context(), w.by, "tr-one")
		accept(t, err)
		if got.File() == nil || got.File().ContentType != "application/pdf" || got.Status != backoffice.Locked || got.UpdatedAt < 2 || w.storedFiles(t) != before || got.DocumentGeneratedAt < 2 || got.DocumentGeneratedAt != got.OwnUpdatedAt {
			t.Errorf("%+v, %d files", got, w.storedFiles(t))
		}
		stored, err := backoffice.ReadByID(t.Context(), w.Store.Transcripts(), []string{"tr-one"}, 0)
		accept(t, err)
		if diff := cmp.Diff(got, stored["tr-one"]); diff != "" {
			t.Error(diff)
		}
		content, err := w.Files.Open(t.Context(), got.File().Key, 0, -1)
		accept(t, err)
		text, err := io.ReadAll(content)
		_ = content.Close()
		if err != nil || len(text) != got.File().Size || !strings.HasPrefix(string(text), "%PDF-") {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "open")
		expect(t, err, "NOT_ALLOWED transcriptId")
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "none")
		expect(t, err, "NOT_FOUND transcriptId")

		var done []string
		accept(t, w.GenerateMissingDocuments(t.Context(), w.by, func(id string, err error) error {
			done = append(done, id+" "+outcome(err))
			w.write(t, func(ctx context.Context, tx backoffice.Tx) error { // somebody else brings the next one
				_, _, err := tx.SetDocument(ctx, &backoffice.Transcript{ID: "signed", DocumentGenerated: true, Document: &backoffice.File{Key: "signed", ContentType: "application/pdf", SHA256: make([]byte, 32)}})
				return err
			})
			return nil
		}))
		if !slices.Equal(done, []string{"ready done"}) || w.storedFiles(t) != before+1 {
			t.Errorf("%q, %d files", done, w.storedFiles(t))
		}
		stored, err = backoffice.ReadByID(t.Context(), w.Store.Transcripts(), []string{"signed"}, 0)
		if accept(t, err); stored["signed"].Document.Key != "signed" {
			t.Errorf("what came meanwhile is replaced by %+v", stored["signed"].Document)
		}
		stored["signed"].CustomVariables = `{"answer":"new"}`
		w.Documents = beside{w.Documents, func() {
			w.write(t, func(ctx context.Context, tx backoffice.Tx) error {
				return tx.Transcripts().Update(ctx, stored["signed"])
			})
		}}
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "signed")
		expect(t, err, "STALE_VERSION transcriptId")
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "signed")
		expect(t, err, "done")
		stored["signed"].CustomerID = other.ID
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "signed")
		expect(t, err, "STALE_VERSION transcriptId")
		w.Documents = nil
		_, err = w.GenerateTranscriptDocument(t.Context(), w.by, "ready")
		expect(t, err, "NOT_ALLOWED transcriptId")
	})
}

func TestAMirrorRefusesAnAssignmentAtOnce(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, w *world) {
		c := w.company(t, backoffice.CustomerFields{Name: text("A")})
		accept(t, w.Store.PutMirror(t.Context(), &backoffice.Mirror{Origin: "https://origin.example", Since: backoffice.InstantOf(time.Now()),
			Nouns: []backoffice.MirroredNoun{{Noun: backoffice.NounTranscript}}}))
		_, err := w.AssignChecklists(t.Context(), w.by, backoffice.Assignments{ChecklistID: "list2026", CustomerIDs: []string{c.ID}}, noKey)
		expect(t, err, "NOT_ALLOWED ")
	})
}
