// Package sqlitetest does to the files of embedded stores, for tests, what a running store never does. The driver has
// to be imported by whoever uses it, as the store does.
package sqlitetest

import (
	"bytes"
	"database/sql"
	"os"
	"testing"
)

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

// DamagePages overwrites the beginnings of pages in the middle of a database, as a failing disk does: what is behind them
// may be unused.
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
