// Package sqlitetest makes embedded stores for tests, and does to their files what a running store never does.
package sqlitetest

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.org/backoffice/store/sqlite"
)

// empty is the content of a database that was opened once: migrating one for each test would take longer than testing.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "empty")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "empty.db")
	store, err := sqlite.Open(context.Background(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// URL leads to an empty database in a folder of the test's own, whose schema is up to date.
func URL(t testing.TB) string {
	t.Helper()
	content, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "backoffice.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

// Execute runs statements on a database behind the back of its store.
func Execute(t testing.TB, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
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

// Overwrite writes over a part of a file.
func Overwrite(t testing.TB, path string, at int64, with []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(with, at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// DamagePages overwrites the beginnings of pages in the middle of a database, as a failing disk does: what is behind
// them may be unused.
func DamagePages(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(20 * 4096); at < info.Size(); at += 7 * 4096 {
		Overwrite(t, path, at, bytes.Repeat([]byte{0xa5}, 2000))
	}
}
