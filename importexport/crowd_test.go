package importexport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// TestWritersGetInWhileAFolderIsRead writes through another connection, as a server does, each time that an import
// tells how far it is.
func TestWritersGetInWhileAFolderIsRead(t *testing.T) {
	t.Parallel()
	path := "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	open := func() backoffice.Store {
		store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		must(t, err)
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
	h, server := envOver(t, open()), open()
	lines := make([]string, 3*chunkRows)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"_id":"c%d","type":"Company","customerCode":"K%d"}`, i, i)
	}
	written, seen := 0, 0
	loaded, err := h.importer(func(p Progress) {
		if p.Writing {
			n, err := backoffice.ReadCounts(t.Context(), server.Customers(), backoffice.Root, backoffice.CustomerCriteria{}, []string{backoffice.NoParent})
			must(t, err)
			seen += n[backoffice.NoParent]
			return
		}
		must(t, server.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			written++
			return tx.Labels().Insert(ctx, &backoffice.Label{ID: fmt.Sprintf("l%d", written), Name: fmt.Sprint(written), CreatedAt: 1})
		}))
	}, nil).Import(t.Context(), only(t, "customers.ndjson", lines...))
	must(t, err)
	if written != 3 || seen != 0 || loaded[0].Created != len(lines) {
		t.Errorf("%d writes got in, %d rows of the file were seen before it was whole, and the import did %+v", written, seen, loaded)
	}
}

func TestWhatOthersChangeWhileAFileIsStagedIsMergedWithIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, office(t))
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company","name":"a"}`, `{"_id":"b","type":"Company","name":"b"}`))
		between := func(change func(ctx context.Context, tx backoffice.Tx) error) func(Progress) {
			return func(p Progress) {
				if !p.Writing {
					must(t, h.store.Write(t.Context(), change))
				}
			}
		}
		folder := only(t, "customers.ndjson", `{"_id":"a","phone":"+32 2 123 45 67"}`, `{"_id":"b","name":"b"}`)
		_, err := h.importer(between(func(ctx context.Context, tx backoffice.Tx) error {
			found, err := backoffice.ReadByID(ctx, tx.Customers(), []string{"a", "b"}, 0)
			if err != nil {
				return err
			}
			for _, c := range found {
				c.Email, c.Version = "x@y.be", c.Version+1
			}
			return tx.Customers().Update(ctx, found["a"], found["b"])
		}), nil).Import(t.Context(), folder)
		must(t, err)
		a, b := one(t, h.store.Customers(), "a"), one(t, h.store.Customers(), "b")
		if a.Email != "x@y.be" || a.Phone != "+32 2 123 45 67" || a.Version != 3 || b.Email != "x@y.be" || b.Version != 2 {
			t.Errorf("the customers are %+v and %+v", a, b)
		}

		// What a line refers to may be gone by then, and what it wants be another's: the rules hold all the same.
		_, err = h.importer(between(func(ctx context.Context, tx backoffice.Tx) error {
			_, err := tx.Users().Delete(ctx, "user-zoe")
			return err
		}), nil).Import(t.Context(), only(t, "customers.ndjson", `{"_id":"a","name":"A"}`, `{"_id":"b","responsible":"user-zoe"}`))
		if !strings.Contains(fmt.Sprint(err), "nothing of customers.ndjson was loaded: it has 1 or more bad lines") {
			t.Errorf("the error is %v", err)
		}
		_, err = h.importer(between(func(ctx context.Context, tx backoffice.Tx) error {
			c := *b
			c.Version, c.CustomerCode = b.Version+1, "NEW"
			return tx.Customers().Update(ctx, &c)
		}), nil).Import(t.Context(), only(t, "customers.ndjson", `{"_id":"a","name":"A","customerCode":"NEW"}`))
		if !strings.Contains(fmt.Sprint(err), "nothing of customers.ndjson was loaded") {
			t.Errorf("the error is %v", err)
		}
		if got := one(t, h.store.Customers(), "a"); got.OwnName != "a" {
			t.Errorf("the customer is %+v", got)
		}
	})
}

func TestARecordThatLosesItsKeyWhileAFileIsStagedIsNotWritten(t *testing.T) {
	t.Parallel()
	for how, change := range map[string]func(context.Context, backoffice.Tx, *customer) error{
		"renamed": func(ctx context.Context, tx backoffice.Tx, c *customer) error {
			c.CustomerCode, c.Version = "NEW", c.Version+1
			return tx.Customers().Update(ctx, c)
		},
		"deleted": func(ctx context.Context, tx backoffice.Tx, c *customer) error {
			_, err := tx.Customers().Delete(ctx, c.ID)
			return err
		},
	} {
		eachEngine(t, func(t *testing.T, h *env) {
			h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"old","type":"Company","customerCode":"K1"}`))
			done := false
			importer := h.importer(func(p Progress) {
				if p.Writing || done {
					return
				}
				done = true
				must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
					found, err := backoffice.ReadByID(ctx, tx.Customers(), []string{"old"}, 0)
					return errors.Join(err, change(ctx, tx, found["old"]))
				}))
			}, nil)
			importer.Key = "customerCode"
			all, err := importer.Import(t.Context(), only(t, "customers.csv", "customerCode,type,name", "K1,Company,Q"))
			must(t, err)
			old := one(t, h.store.Customers(), "old")
			if all[0].Created != 1 || how == "deleted" && old != nil || how == "renamed" && (old.CustomerCode != "NEW" || old.OwnName != "") {
				t.Errorf("%s: %+v %+v", how, all[0], old)
			}
		})
	}
}

func TestAKeyedRelationMayGiveItsDaysToAnother(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"a","type":"Company"}`, `{"_id":"b","type":"Company"}`))
		relation := func(rest string) string {
			return `{"kind":"director","customer":"a","relatedCustomer":"b",` + rest + `}`
		}
		h.mustLoad(t, only(t, "relations.ndjson", relation(`"_id":"old","startDate":"2020-01-01","endDate":"2021-12-31"`)))
		importer := h.importer(nil, nil)
		importer.Key = "customerCode"
		all, err := importer.Import(t.Context(), only(t, "relations.ndjson",
			relation(`"_id":"new","startDate":"2020-01-01","endDate":"2020-12-31"`), relation(`"startDate":"2021-01-01","endDate":"2021-12-31"`)))
		must(t, err)
		if all[0].Created != 1 || all[0].Updated != 1 || one(t, h.store.Relations(), "old").StartDate != "2021-01-01" {
			t.Errorf("it did %+v", all[0])
		}
	})
}

func TestWhatOthersChangeWhileAnImportIsTakenBackIsAllThatStays(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, h *env) {
		lines := func(prefix, name string) (lines []string) {
			for i := range 5 {
				lines = append(lines, fmt.Sprintf(`{"_id":"%s-%d","type":"Company","name":%q}`, prefix, i, name))
			}
			return lines
		}
		h.mustLoad(t, only(t, "customers.ndjson", lines("old", "Before")...))
		before := h.values(t)
		importer, number := h.undoable()
		_, err := importer.Import(t.Context(), only(t, "customers.ndjson", append(lines("old", "After"), lines("new", "After")...)...))
		must(t, err)
		rename := func(name backoffice.Text, ids ...string) {
			must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				found, err := backoffice.ReadByID(ctx, tx.Customers(), ids, 0)
				for _, c := range found {
					c.OwnName, c.Version = name, c.Version+1
					err = errors.Join(err, tx.Customers().Update(ctx, c))
				}
				return err
			}))
		}
		// Others change one of each kind after all were looked at, before portions of two of them are written.
		looks := 0
		importer.Portion, importer.Progress = 2, func(p Progress) {
			if p.Writing {
				return
			}
			if looks++; looks == 1 {
				rename("Other", "new-4")
			} else if looks == 2 {
				rename("Other", "old-4")
			}
		}
		all, err := importer.Undo(t.Context(), *number)
		must(t, err)
		if diff := cmp.Diff([]string{"new-4: it was changed since", "old-4: it was changed since"}, left(all)); diff != "" {
			t.Error(diff)
		}
		if all[0].Deleted != 4 || all[0].Updated != 4 || all[0].Rejected != 2 {
			t.Errorf("it did %+v", all[0])
		}
		importer.Progress = nil
		rename("After", "new-4", "old-4")
		all, err = importer.Undo(t.Context(), *number)
		must(t, err)
		if diff := cmp.Diff(before, h.values(t)); len(left(all)) > 0 || diff != "" {
			t.Errorf("as the import left them again, %q stay:\n%s", left(all), diff)
		}
	})
}

func TestAFileThatIsChangedWhileItIsImportedLoadsNothing(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := only(t, "labels.ndjson", `{"_id":"a","name":"a"}`, `{"_id":"b","name":"b"}`)
	_, err := h.importer(func(p Progress) {
		must(t, os.WriteFile(filepath.Join(folder, "labels.ndjson"), []byte(`{"_id":"a","name":"a"}`+"\n"+`{"_id":"b","name":"c"}`+"\n"), 0o600))
	}, nil).Import(t.Context(), folder)
	if !strings.Contains(fmt.Sprint(err), "nothing of it was loaded: the file changed while it was imported") {
		t.Errorf("the error is %v", err)
	}
	if len(h.changes(t)) > 0 {
		t.Error("something was loaded")
	}
}

func TestAFileThatIsReplacedWhileItIsStagedIsStoredAgain(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := office(t)
	h.mustLoad(t, folder)
	other, err := h.files.Put(t.Context(), backoffice.NewFileKey(backoffice.NewUploadID()), strings.NewReader("other"), "text/plain")
	must(t, err)
	replaced := false
	loaded, err := h.importer(func(p Progress) {
		if p.File != "documents.ndjson" || p.Writing || replaced {
			return
		}
		replaced = true
		must(t, h.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			found, err := backoffice.ReadByID(ctx, tx.Documents(), []string{"document-1"}, 0)
			if err != nil {
				return err
			}
			d := *found["document-1"]
			old := d.File.Key
			d.File = &other
			if err := tx.Documents().Update(ctx, &d); err != nil {
				return err
			}
			return tx.ForgetFiles(ctx, []string{old})
		}))
	}, nil).Import(t.Context(), with(t, folder, "documents.ndjson", `{"_id":"document-1","name":"Statuten","file":"files/articles.txt"}`))
	must(t, err)
	if !replaced || len(loaded) == 0 {
		t.Fatalf("the import did %+v", loaded)
	}
	file := one(t, h.store.Documents(), "document-1").File
	forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
	must(t, err)
	for _, key := range forgotten {
		if key == file.Key {
			t.Error("the record has a file that is to be removed")
		}
	}
	if source, err := h.files.Open(t.Context(), file.Key, 0, -1); err != nil || file.Size == len("other") {
		t.Errorf("the file is %+v, %v", file, err)
	} else {
		must(t, source.Close())
	}
}
