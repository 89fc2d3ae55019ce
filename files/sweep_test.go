package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// records is a database with a customer whose documents name files.
type records struct {
	*sqlite.Store
	path  string
	named int
}

func openRecords(t testing.TB) *records {
	t.Helper()
	r := &records{path: filepath.Join(t.TempDir(), "backoffice.db")}
	var err error
	if r.Store, err = sqlite.Open(t.Context(), "sqlite:"+r.path, sqlite.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	err = r.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Customers().Insert(ctx, &backoffice.Customer{ID: "customer", Type: backoffice.Company, DisplayName: "x", Version: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// name makes a record for each of some files.
func (r *records) name(ctx context.Context, tx backoffice.Tx, named ...backoffice.File) error {
	for _, file := range named {
		r.named++
		document := &backoffice.CustomerDocument{ID: fmt.Sprint("document-", r.named), Name: "x", CustomerID: "customer", File: &file}
		if err := tx.Documents().Insert(ctx, document); err != nil {
			return err
		}
	}
	return nil
}

// upload writes files and, unless it is cut short, the records that name them.
func (r *records) upload(t testing.TB, store files.Store, count int, cutShort bool) (keys []string) {
	t.Helper()
	upload, err := backoffice.BeginUpload(t.Context(), r, store)
	if err != nil {
		t.Fatal(err)
	}
	var written []backoffice.File
	for i := range count {
		file, err := upload.Put(t.Context(), strings.NewReader(fmt.Sprint("content ", i)), "text/plain; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		written, keys = append(written, file), append(keys, file.Key)
	}
	if cutShort { // the process is killed: nothing is closed, and nobody renews the lease
		upload.Close(t.Context(), nil)
		return keys
	}
	err = r.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		if err := r.name(ctx, tx, written...); err != nil {
			return err
		}
		return upload.Commit(ctx, tx)
	})
	upload.Close(t.Context(), err)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// later lets the store's clock go on: all that it has noted was so much longer ago.
func (r *records) later(t testing.TB, by time.Duration) {
	t.Helper()
	execute(t, r.path, fmt.Sprintf("UPDATE uploads SET until = until - %d; UPDATE quarantined_files SET at = at - %[1]d", by.Milliseconds()))
}

func claim(t testing.TB, register backoffice.FileRegister, store files.Store) {
	t.Helper()
	if err := files.Claim(t.Context(), register, store); err != nil {
		t.Fatal(err)
	}
}

func sweep(t testing.TB, register backoffice.FileRegister, store files.Store, all bool) files.Swept {
	t.Helper()
	swept, err := files.Sweep(t.Context(), register, store, all)
	if err != nil {
		t.Fatal(err)
	}
	return swept
}

// wantKeys checks which files are in the store.
func wantKeys(t *testing.T, store files.Store, wanted ...[]string) {
	t.Helper()
	keys, want := keysOf(t, store), slices.Concat(wanted...)
	if len(keys) != len(want) {
		t.Errorf("there are %d files, want %d", len(keys), len(want))
	}
	for _, key := range want {
		if !keys[key] {
			t.Errorf("a file is gone")
		}
	}
}

func TestAnotherDatabaseCannotTakeStoredFiles(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		owner, other := openRecords(t), openRecords(t)
		claim(t, owner, store)
		claim(t, owner, store) // as every start does
		keys := owner.upload(t, store, 20, false)
		if err := files.Claim(t.Context(), other, store); !errors.Is(err, files.ErrNotOwner) {
			t.Errorf("another database claims the files: %v", err)
		}
		if _, err := files.Sweep(t.Context(), other, store, true); !errors.Is(err, files.ErrNotOwner) {
			t.Errorf("another database sweeps the files: %v", err)
		}
		if _, err := files.RemoveForgotten(t.Context(), other, store); !errors.Is(err, files.ErrNotOwner) {
			t.Errorf("another database removes files: %v", err)
		}
		if _, err := files.Restore(t.Context(), other, store); !errors.Is(err, files.ErrNotOwner) {
			t.Errorf("another database restores files: %v", err)
		}
		wantKeys(t, store, keys)
	})
}

func TestOfManyDatabasesAtOnceOneOwnsTheFiles(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		owners := make(chan string, 8)
		for i := range cap(owners) {
			go func() {
				owner, err := store.Mark(t.Context(), fmt.Sprint("database-", i))
				if err != nil {
					t.Error(err)
				}
				owners <- owner
			}()
		}
		first := <-owners
		for range cap(owners) - 1 {
			if owner := <-owners; owner != first {
				t.Errorf("%s and %s own the same files", first, owner)
			}
		}
		if owner, err := store.Owner(t.Context()); err != nil || owner != first || first == "" {
			t.Errorf("the owner is %q (%v), want %q", owner, err, first)
		}
	})
}

func TestFilesOfAnEarlierVersionBelongToTheDatabaseThatNamesThem(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		owner, other := openRecords(t), openRecords(t)
		owner.upload(t, store, 3, false)
		var known *backoffice.Error
		if err := files.Claim(t.Context(), other, store); !errors.As(err, &known) || known.Kind != backoffice.BadInput {
			t.Errorf("a database that names none of the files claims them: %v", err)
		}
		claim(t, owner, store)
	})
}

func TestASweepSetsAsideOnlyWhatNoRecordNamesAndNoUploadWrites(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		r := openRecords(t)
		claim(t, r, store)
		kept, cut := r.upload(t, store, 120, false), r.upload(t, store, 2, true)
		r.later(t, 2*backoffice.UploadLease)
		writing := r.upload(t, store, 2, true) // its lease has just begun
		if swept := sweep(t, r, store, false); swept != (files.Swept{Seen: 124, Orphans: 2, Quarantined: 2}) {
			t.Errorf("%+v", swept)
		}
		wantKeys(t, store, kept, writing)
		if swept := sweep(t, r, store, false); swept != (files.Swept{Seen: 122}) {
			t.Errorf("a second sweep: %+v", swept)
		}
		if n, err := files.Restore(t.Context(), r, store, cut[0]); n != 1 || err != nil {
			t.Errorf("%d were restored: %v", n, err)
		}
		if swept := sweep(t, r, store, false); swept != (files.Swept{Seen: 123}) {
			t.Errorf("what was restored is swept again: %+v", swept)
		}
		r.later(t, backoffice.QuarantinePeriod+time.Hour)
		if swept := sweep(t, r, store, true); swept.Deleted != 1 {
			t.Errorf("after the quarantine: %+v", swept)
		}
		if n, err := files.Restore(t.Context(), r, store, cut[1]); n != 0 || backoffice.KindOf(err) != backoffice.NotFound {
			t.Errorf("%d were restored of what was deleted: %v", n, err)
		}
		for range 2 { // a restored file is protected for the time of a quarantine, and no longer
			if n, err := files.Restore(t.Context(), r, store); n != 3 || err != nil {
				t.Errorf("%d were restored: %v", n, err)
			}
			r.later(t, backoffice.QuarantinePeriod+time.Hour)
			if swept := sweep(t, r, store, true); swept.Quarantined != 3 || swept.Deleted > 0 {
				t.Errorf("with nothing else in quarantine: %+v", swept)
			}
		}
	})
}

func TestASweepTakesNoMoreThanAFewFilesByItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kept, orphans, taken int }{
		"two in a hundred": {98, 2, 2}, "more than that": {98, 3, 0}, "one of a few": {3, 1, 1}, "a hundred": {4900, 100, 100}, "more than a hundred": {5100, 101, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r, many := openRecords(t), unsynced{openFolder(t, dir), dir}
			claim(t, r, many)
			r.upload(t, many, c.kept, false)
			r.upload(t, many, c.orphans, true)
			r.later(t, 2*backoffice.UploadLease)
			swept, err := files.Sweep(t.Context(), r, many, false)
			held := new(files.HeldBack)
			if swept.Quarantined != c.taken || errors.As(err, &held) != (c.taken == 0) || c.taken > 0 && err != nil {
				t.Errorf("%+v, %v", swept, err)
			}
			if swept = sweep(t, r, many, true); swept.Quarantined != c.orphans-c.taken {
				t.Errorf("when told to take all: %+v", swept)
			}
		})
	}
}

// unsynced writes without waiting for the disk.
type unsynced struct {
	*files.Folder
	dir string
}

func (u unsynced) Put(_ context.Context, key string, _ io.Reader, _ string) (backoffice.File, error) {
	path := filepath.Join(u.dir, filepath.FromSlash(key))
	return backoffice.File{Key: key}, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600))
}

func TestADatabaseThatNamesNoFileSweepsNothing(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		r := openRecords(t)
		claim(t, r, store)
		keys := r.upload(t, store, 1, true)
		r.later(t, 2*backoffice.UploadLease)
		held := new(files.HeldBack)
		if swept, err := files.Sweep(t.Context(), r, store, true); !errors.As(err, &held) || swept.Quarantined != 0 {
			t.Errorf("%+v, %v", swept, err)
		}
		wantKeys(t, store, keys)
	})
}

func TestAFileInQuarantineThatARecordNamesComesBackByItself(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		r := openRecords(t)
		claim(t, r, store)
		keys := r.upload(t, store, 3, false)
		// A copy of the database that did not know them yet has set them aside.
		if err := store.Move(t.Context(), "", ".quarantine", keys); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, store)
		r.later(t, 2*backoffice.QuarantinePeriod)
		if swept := sweep(t, r, store, false); swept.BroughtBack != 3 || swept.Deleted != 0 {
			t.Errorf("%+v", swept)
		}
		wantKeys(t, store, keys)
	})
}

func TestASweepThatCannotAskTakesNothing(t *testing.T) {
	t.Parallel()
	r, store := openRecords(t), openFolder(t, t.TempDir())
	claim(t, r, store)
	kept := r.upload(t, store, 60, false)
	orphan := r.upload(t, store, 1, true)
	r.later(t, 2*backoffice.UploadLease)
	if _, err := files.Sweep(t.Context(), unsure{r}, store, true); !errors.Is(err, errUnsure) {
		t.Errorf("it ends with %v", err)
	}
	wantKeys(t, store, kept, orphan)
}

var errUnsure = errors.New("the records cannot be read")

type unsure struct{ *records }

func (unsure) QuarantineFiles(context.Context, []string) ([]string, error) { return nil, errUnsure }

func TestWhatAWriteThatWasCutShortLeftIsRemovedOnceItsLeaseHasEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, store := openRecords(t), openFolder(t, dir)
	claim(t, r, store)
	upload, err := backoffice.BeginUpload(t.Context(), r, store)
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Close(t.Context(), nil)
	began, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		_, err := upload.Put(t.Context(), readerFunc(func([]byte) (int, error) {
			close(began)
			<-release
			return 0, errors.New("stop")
		}), "text/plain")
		ended <- err
	}()
	<-began
	cut := ".part/" + strings.Repeat("a", 26) // as a killed process leaves it
	for _, name := range []string{cut, "README", "aa/foreign.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = store.Open(t.Context(), cut, 0, -1)
	wantKind(t, err, backoffice.NotFound)
	if swept := sweep(t, r, store, false); swept != (files.Swept{Parts: 1}) {
		t.Errorf("%+v", swept)
	}
	if parts, err := os.ReadDir(filepath.Join(dir, ".part")); err != nil || len(parts) != 1 {
		t.Errorf("what is being written is %v, %v", parts, err)
	}
	close(release)
	<-ended
	for _, name := range []string{"README", "aa/foreign.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("what no store made was removed: %v", err)
		}
	}
}
