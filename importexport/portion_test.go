package importexport

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// manyCustomers is a folder of private persons with registration numbers.
func manyCustomers(t testing.TB, count int) string {
	t.Helper()
	folder := t.TempDir()
	var lines strings.Builder
	for i := range count {
		number := 850730_001 + i%997
		fmt.Fprintf(&lines, `{"_id":"c-%05d","type":"Private Person","firstName":"An","lastName":"Maes","registrationNumber":"%09d%02d","customerCode":"K-%d"}`+"\n",
			i, number, 97-number%97, i)
	}
	must(t, os.WriteFile(filepath.Join(folder, "customers.ndjson"), []byte(lines.String()), 0o600))
	return folder
}

func TestOthersWriteBetweenThePortionsOfAFileAndNobodyIsRefused(t *testing.T) {
	t.Parallel()
	folder := manyCustomers(t, 600)
	for _, portion := range []int{0, 50} {
		h := newEnv(t)
		stop, stopped, refused := make(chan struct{}), make(chan struct{}), 0
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					return tx.LogChanges(ctx, &backoffice.Change{Noun: backoffice.NounLabel, ObjectID: "other", Done: backoffice.Created})
				})
				if err != nil {
					refused++
				}
			}
		}()
		importer := &Importer{Store: h.store, Files: h.files, Keys: h.keys, Portion: portion}
		all, err := importer.Import(t.Context(), folder)
		must(t, err)
		close(stop)
		<-stopped
		if all[0].Created != 600 || refused > 0 {
			t.Errorf("in portions of %d: %+v, and %d writes of others are refused", portion, all[0], refused)
		}
		if turns := turnsOf(t, h.store); portion == 0 && turns != 1 || portion > 0 && turns < 6 {
			t.Errorf("in portions of %d the import writes %d times in a row", portion, turns)
		}
	}
}

// turnsOf counts how often entries of customers begin behind others in the change log.
func turnsOf(t *testing.T, store backoffice.Store) (turns int) {
	t.Helper()
	before := backoffice.Noun("")
	for after := int64(0); ; {
		page, err := store.Changes(t.Context(), after, 1000)
		must(t, err)
		if len(page) == 0 {
			return turns
		}
		for _, c := range page {
			if c.Noun == backoffice.NounCustomer && before != c.Noun {
				turns++
			}
			before, after = c.Noun, c.Sequence
		}
	}
}

func TestAnImportInPortionsThatIsCutIsDoneByTheNext(t *testing.T) {
	t.Parallel()
	folder := manyCustomers(t, 300)
	cut := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	importer := &Importer{Store: cut.store, Files: cut.files, Keys: cut.keys, Portion: 40, Progress: func(p Progress) {
		if p.Writing && p.Records >= 120 {
			cancel()
		}
	}}
	if _, err := importer.Import(ctx, folder); err == nil || strings.Contains(err.Error(), "nothing of it") {
		t.Errorf("an import that is cut ends with %v", err)
	}
	importer.Progress = nil
	all, err := importer.Import(t.Context(), folder)
	must(t, err)
	if all[0].Created+all[0].Unchanged != 300 || all[0].Unchanged < 80 {
		t.Errorf("the next one does %+v", all[0])
	}
	if again := cut.mustLoad(t, folder)["customers.ndjson"]; again.Unchanged != 300 {
		t.Errorf("then there is still something to do: %+v", again)
	}
}

func TestAnImportThatIsCutBehindItsFirstPortionDoesNotSayThatNothingWasLoaded(t *testing.T) {
	t.Parallel()
	cut := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if page, err := cut.store.Changes(ctx, 0, 1); err != nil || len(page) > 0 {
				cancel()
			}
		}
	}()
	importer := &Importer{Store: cut.store, Files: cut.files, Keys: cut.keys, Portion: 40}
	if _, err := importer.Import(ctx, manyCustomers(t, 300)); err == nil || strings.Contains(err.Error(), "nothing of it") {
		t.Errorf("it ends with %v", err)
	}
}
