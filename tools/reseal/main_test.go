package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFolderThatIsThereIsLeftAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "keyset.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if good, err := (&run{folder: folder}).all(t.Context()); good || err == nil {
		t.Errorf("it ran: %t, %v", good, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "keyset.json")); err != nil {
		t.Error(err)
	}
}
