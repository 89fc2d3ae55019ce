package numbers

import (
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestAStoreIsNotOpenedWithAnotherKeysetThanItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := gateway.Settings{
		Database: "sqlite:" + filepath.Join(folder, "backoffice.db"),
		Files:    "file:" + filepath.Join(folder, "files"),
		Keyset:   filepath.Join(folder, "keyset.json"),
	}
	for range 2 {
		h, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	settings.Keyset = gatewaytest.Path("testdata", "keyset.json")
	if _, err := settings.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "--keyset") {
		t.Errorf("another keyset was taken: %v", err)
	}
}

func TestAKeysetIsNotMadeAnewBesideAStoreThatHasLostItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	settings := gateway.Settings{
		Database: "sqlite:" + filepath.Join(folder, "backoffice.db"),
		Files:    "file:" + filepath.Join(folder, "files"),
		Keyset:   gatewaytest.Path("testdata", "keyset.json"),
	}
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	settings.Keyset = filepath.Join(folder, "keyset.json")
	if _, err := settings.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "restore") {
		t.Errorf("a new keyset was made beside old data: %v", err)
	}
}
