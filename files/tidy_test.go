package files_test

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// told passes the messages of a log on.
type told chan string

func (t told) Write(line []byte) (int, error) {
	t <- string(line)
	return len(line), nil
}

// tidy runs one round and returns its line.
func tidy(t *testing.T, r *records, store files.Store) string {
	t.Helper()
	log := make(told)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		files.Tidy(ctx, r, store, time.Hour, slog.New(slog.NewTextHandler(log, nil)))
		close(ended)
	}()
	line := <-log
	stop()
	<-ended
	return line
}

func (r *records) forget(t testing.TB, keys ...string) {
	t.Helper()
	err := r.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.ForgetFiles(ctx, keys) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestTidyingClearsWhatCrashesLeftAndNothingElse(t *testing.T) {
	t.Parallel()
	r, store := openRecords(t), openFolder(t, t.TempDir())
	claim(t, r, store)
	kept, forgotten := r.upload(t, store, 10, false), r.upload(t, store, 1, true)
	r.upload(t, store, 1, true)
	r.later(t, 2*backoffice.UploadLease)
	fresh := r.upload(t, store, 1, true)
	r.forget(t, forgotten...)
	if line := tidy(t, r, store); !strings.Contains(line, "forgotten=1 quarantined=1 ") {
		t.Error(line)
	}
	wantKeys(t, store, kept, fresh)
	if keys, err := r.ForgottenFiles(t.Context(), 10); err != nil || len(keys) != 0 {
		t.Errorf("%v %v", keys, err)
	}
}

func TestASweepRemovesFilesOfErasedRecordsAlsoFromQuarantine(t *testing.T) {
	t.Parallel()
	r, store := openRecords(t), openFolder(t, t.TempDir())
	claim(t, r, store)
	kept, erased := r.upload(t, store, 60, false), r.upload(t, store, 2, true)
	r.later(t, 2*backoffice.UploadLease)
	r.forget(t, erased[0])
	if swept := sweep(t, r, store, false); swept.Forgotten != 1 || swept.Quarantined != 1 {
		t.Errorf("%+v", swept)
	}
	r.forget(t, erased[1])
	if swept := sweep(t, r, store, false); swept.Forgotten != 1 {
		t.Errorf("%+v", swept)
	}
	wantKeys(t, store, kept)
	if n, err := files.Restore(t.Context(), r, store); n != 0 || err != nil {
		t.Errorf("%d come back, %v", n, err)
	}
}

func TestTidyingTellsOfFilesThatItDoesNotTakeByItself(t *testing.T) {
	t.Parallel()
	r, store := openRecords(t), openFolder(t, t.TempDir())
	claim(t, r, store)
	kept, orphans := r.upload(t, store, 10, false), r.upload(t, store, 2, true)
	r.later(t, 2*backoffice.UploadLease)
	if line := tidy(t, r, store); !strings.Contains(line, "level=WARN") || !strings.Contains(line, "backoffice files sweep --yes") {
		t.Error(line)
	}
	wantKeys(t, store, kept, orphans)
}

// execute runs statements on a database beside the program.
func execute(t testing.TB, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(text); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
