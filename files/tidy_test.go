package files_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// told passes the messages of a log on.
type told chan string

func (t told) Write(line []byte) (int, error) {
	t <- string(line)
	return len(line), nil
}

func TestTidyingClearsWhatCrashesLeftAndNothingElse(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	dir := t.TempDir()
	folder, err := files.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	put := func() string {
		file, err := folder.Put(t.Context(), strings.NewReader("content"), "text/plain; charset=utf-8")
		if err != nil {
			t.Fatal(err)
		}
		return file.Key
	}
	forgotten, orphan, fresh := put(), put(), put()
	old := time.Now().Add(-2 * files.Grace)
	age(t, dir, orphan, old)
	if err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.ForgetFiles(ctx, []string{forgotten}) }); err != nil {
		t.Fatal(err)
	}
	log := make(told)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		files.Tidy(ctx, store, folder, time.Hour, slog.New(slog.NewTextHandler(log, nil)))
		close(ended)
	}()
	if line := <-log; !strings.Contains(line, "forgotten=1 orphans=1") {
		t.Error(line)
	}
	stop()
	<-ended
	for key, want := range map[string]bool{forgotten: false, orphan: false, fresh: true} {
		content, err := folder.Open(t.Context(), key, 0, -1)
		if err == nil {
			_ = content.Close()
		}
		if (err == nil) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
	if keys, err := store.ForgottenFiles(t.Context(), 10); err != nil || len(keys) != 0 {
		t.Errorf("%v %v", keys, err)
	}
}

// age makes a stored file as old as a moment.
func age(t *testing.T, dir, key string, at time.Time) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(filepath.ToSlash(path), key) {
			found = true
			return os.Chtimes(path, at, at)
		}
		return err
	})
	if err != nil || !found {
		t.Fatalf("%t %v", found, err)
	}
}
