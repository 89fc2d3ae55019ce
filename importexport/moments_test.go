package importexport

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
)

// moments are what a transcript tells of its turnaround.
type moments struct{ Created, Completed, Generated, Sent backoffice.Instant }

func momentsOf(t *transcript) moments {
	return moments{t.CreatedAt, t.CompletedAt, t.DocumentGeneratedAt, t.SentAt}
}

// drawer draws a document that is another one each time.
type drawer struct {
	backoffice.Documents // of which the transcripts alone are drawn

	drawn int
}

func (d *drawer) Transcript(context.Context, backoffice.TranscriptDocument) (io.Reader, string, error) {
	d.drawn++
	return strings.NewReader(fmt.Sprint("%PDF-1.7\n", d.drawn)), "application/pdf", nil
}

func TestTheMomentsOfATranscriptAreThoseThatTheChangeLogTells(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "test.db")
		store, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
		must(t, err)
		defer func() { _ = store.Close() }()
		compareWithLog(t, envOver(t, store), "sqlite", "file:"+path)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		url := pgtest.Migrated(t, postgres.Migrate)
		store, err := postgres.Open(t.Context(), url, postgres.Options{})
		must(t, err)
		defer func() { _ = store.Close() }()
		compareWithLog(t, envOver(t, store), "postgres", url)
	})
}

// compareWithLog lets much happen to transcripts, takes their moments from them, and lets the schema's step find them
// again.
func compareWithLog(t *testing.T, h *env, engine, address string) {
	ctx := t.Context()
	h.mustLoad(t, office(t))
	o := &backoffice.Service{Store: h.store, Files: h.files, Keys: h.keys, Documents: &drawer{}}
	h.mustLoad(t, only(t, "transcripts.ndjson", `{"_id":"taken","customer":"company","checklist":"checklist-2026","isCompleted":true,"status":"Sent"}`))
	ids := []string{"taken", "transcript-bare"}
	for range 3 {
		made, err := o.AssignChecklist(ctx, backoffice.OperatorOf(ctx), backoffice.Assignment{ChecklistID: "checklist-2026", CustomerID: "company"}, backoffice.Optional[string]{})
		must(t, err)
		ids = append(ids, made.ID)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for step := range 60 {
		id := ids[r.IntN(len(ids))]
		line := []string{
			`{"_id":%q,"isCompleted":true}`, `{"_id":%q,"isCompleted":false}`, `{"_id":%q,"status":"Sent"}`, `{"_id":%q,"status":"To Process"}`,
			`{"_id":%q,"documentGenerated":true,"file":"files/a.pdf"}`, `{"_id":%q,"documentGenerated":false,"progressPercentage":7}`,
			`{"_id":%q,"isCompleted":true,"status":"Sent","progressPercentage":100}`, "",
		}[r.IntN(8)]
		if line == "" {
			_, err := o.GenerateTranscriptDocument(ctx, backoffice.OperatorOf(ctx), id)
			if refused := new(backoffice.Error); err != nil && (!errors.As(err, &refused) || refused.Kind != backoffice.Refused) { // of one that is not completed
				t.Fatal(err)
			}
			continue
		}
		folder := only(t, "transcripts.ndjson", fmt.Sprintf(line, id))
		must(t, os.MkdirAll(filepath.Join(folder, "files"), 0o755))
		must(t, os.WriteFile(filepath.Join(folder, "files", "a.pdf"), fmt.Append(nil, "%PDF-1.7\nx", step), 0o644))
		h.mustLoad(t, folder)
	}
	told := func() map[string]moments {
		found, err := backoffice.ReadByID(ctx, h.store.Transcripts(), ids, 0)
		must(t, err)
		all := map[string]moments{}
		for id, row := range found {
			all[id] = momentsOf(row)
		}
		return all
	}
	want := told()
	driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[engine]
	db, err := sql.Open(driver, address)
	must(t, err)
	defer func() { _ = db.Close() }()
	step, err := os.ReadFile("../store/migrations/" + engine + "/00009_names_and_instants.sql")
	must(t, err)
	_, fill, _ := strings.Cut(string(step), "WITH entries")
	fill, _, _ = strings.Cut(fill, ";")
	for _, text := range []string{"UPDATE transcripts SET created_at = NULL, completed_at = NULL, document_generated_at = NULL, sent_at = NULL", "WITH entries" + fill} {
		_, err := db.ExecContext(ctx, text)
		must(t, err)
	}
	if diff := cmp.Diff(want, told()); diff != "" {
		t.Errorf("what was written (-) and what the log tells (+):\n%s", diff)
	}
	seen := moments{}
	for _, of := range want {
		seen = moments{max(seen.Created, of.Created), max(seen.Completed, of.Completed), max(seen.Generated, of.Generated), max(seen.Sent, of.Sent)}
	}
	if seen.Created == 0 || seen.Completed == 0 || seen.Generated == 0 || seen.Sent == 0 {
		t.Errorf("too little happened: %+v", seen)
	}
}

func TestAnImportSaysWhenSomethingHappenedElseItHappensNow(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	read := func() moments { return momentsOf(one(t, h.store.Transcripts(), "t")) }
	load := func(line string) { h.mustLoad(t, only(t, "transcripts.ndjson", line)) }
	load(`{"_id":"t","customer":"company","checklist":"checklist-2026","isCompleted":true,"status":"Sent"}`)
	if got := read(); got != (moments{}) {
		t.Errorf("what was so when it came: %+v", got)
	}
	load(`{"_id":"t","isCompleted":false,"status":"To Process","createdAt":"2026-01-02T03:04:05.006Z"}`)
	at := backoffice.InstantAt(1767323045006)
	if got := read(); got != (moments{Created: at}) {
		t.Errorf("what a line says: %+v", got)
	}
	load(`{"_id":"t","isCompleted":true,"completedAt":"2026-01-02T03:04:05.006Z","status":"Sent"}`)
	first := read()
	if first.Completed != at || first.Sent < at+1000 {
		t.Errorf("one said, one not: %+v", first)
	}
	logged := len(h.changes(t))
	load(`{"_id":"t","isCompleted":true,"status":"Sent"}`)
	load(`{"_id":"t","completedAt":"2026-01-02T03:04:05.006Z"}`)
	if read() != first || len(h.changes(t)) != logged {
		t.Errorf("nothing changed, and it shows %+v", read())
	}
	load(`{"_id":"t","isCompleted":false,"completedAt":"2026-01-02T03:04:05.006Z"}`)
	if got := read(); got.Completed != 0 {
		t.Errorf("reopened, it was completed at %v", got.Completed)
	}
	load(`{"_id":"t","isCompleted":true}`)
	if got := read(); got.Completed <= first.Sent-1 || got.Sent != first.Sent {
		t.Errorf("completed again: %+v after %+v", got, first)
	}
	load(`{"_id":"t","completedAt":null}`)
	if got := read(); got.Completed != 0 || got.Created != at {
		t.Errorf("cleared: %+v", got)
	}
}

func TestAnImportKeepsWhatIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company","name":"a"}`))
		written, release := make(chan struct{}), make(chan struct{})
		writing, loading := make(chan error, 1), make(chan error, 1)
		go func() {
			writing <- h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				c, _, err := backoffice.Find(ctx, tx.Customers(), "a")
				if err == nil {
					changed := *c
					changed.Email, changed.Version = "new@a.example", c.Version+1
					err = tx.Customers().Update(ctx, &changed)
				}
				close(written)
				<-release
				return err
			})
		}()
		<-written
		folder := only(t, "customers.ndjson", `{"_id":"a","phone":"+32 9 123 45 67"}`)
		go func() {
			_, err := h.importer(nil, nil).Import(t.Context(), folder)
			loading <- err
		}()
		select {
		case err := <-loading:
			t.Errorf("the import did not wait: %v", err)
		case <-time.After(300 * time.Millisecond): // it has read the customer, or waits to
		}
		close(release)
		must(t, <-writing)
		must(t, <-loading)
		if got := one(t, h.store.Customers(), "a"); got.Email != "new@a.example" || got.Phone == "" || got.Version != 3 {
			t.Errorf("it is %+v", got)
		}
	})
}
