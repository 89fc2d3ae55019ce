package exports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

func TestAnEmptyFolderIsNotTakenForTheStoredFilesOfADatabaseThatHasSome(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	stored := filepath.Join(folder, "files")
	settings := gateway.Settings{Database: "sqlite:" + filepath.Join(folder, "backoffice.db"), Files: "file:" + stored, Keyset: filepath.Join(folder, "keyset.json")}
	open := func() error {
		b, err := settings.Open(t.Context())
		if err == nil {
			err = b.Close()
		}
		return err
	}
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := &backoffice.Principal{ClientID: "test", Scopes: backoffice.AllScopes}
	c, err := b.Service().CreateCustomer(t.Context(), all, backoffice.CustomerFields{Type: backoffice.Value(backoffice.Company)}, backoffice.Optional[string]{})
	if err != nil {
		t.Fatal(err)
	}
	draft := backoffice.DocumentDraft{CustomerID: c.ID, Name: "a.txt", Content: strings.NewReader("content"), Max: 100}
	if _, err := b.Service().CreateDocument(t.Context(), all, draft, backoffice.Optional[string]{}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(stored, stored+".away"); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"missing", "empty", "an empty disk"} {
		if when == "an empty disk" {
			_ = os.Mkdir(filepath.Join(stored, "lost+found"), 0o700)
		}
		if err := open(); err == nil || !strings.Contains(err.Error(), "refers to files in it: mount its disk") {
			t.Errorf("with a folder that is %s: %v", when, err)
		}
		_ = os.Mkdir(stored, 0o700)
	}
	if err := os.Mkdir(filepath.Join(stored, ".part"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Errorf("the operator says that they are lost: %v", err)
	}
}
