package files_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAFolderThatGoesIsUnavailableUntilItOrACopyOfItIsBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	store := openFolder(t, dir)
	if _, err := store.Mark(t.Context(), "owner"); err != nil {
		t.Fatal(err)
	}
	content := []byte("what was stored")
	file := put(t, store, content)
	refused := func(when string) {
		t.Helper()
		if _, err := store.Put(t.Context(), newKey(), bytes.NewReader(content), "text/plain"); backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("%s: a file was written: %v", when, err)
		}
		if _, err := store.Missing(t.Context(), []string{file.Key}); backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("%s: files are missing: %v", when, err)
		}
	}
	serves := func(when string) {
		t.Helper()
		if got := read(t, store, file.Key, 0, -1); !bytes.Equal(got, content) {
			t.Errorf("%s: %q is read", when, got)
		}
		put(t, store, content)
	}
	copied := dir + ".copy"
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	refused("moved away")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	refused("an empty one in its place")
	if err := os.WriteFile(filepath.Join(dir, ".owner"), []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("another's in its place")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	serves("put back")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	refused("removed")
	if _, err := store.Open(t.Context(), file.Key, 0, -1); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("removed: a file is not there: %v", err)
	}
	if err := os.Rename(copied, dir); err != nil {
		t.Fatal(err)
	}
	serves("a copy put in its place")
}
