package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
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

func newStore(t testing.TB) backoffice.Store {
	t.Helper()
	content, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "backoffice.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func TestTheEmbeddedStoreKeepsTheContractOfStores(t *testing.T) {
	t.Parallel()
	storetest.Run(t, newStore)
}

func BenchmarkReads(b *testing.B) { storetest.Benchmark(b, newStore) }

func BenchmarkWrites(b *testing.B) { storetest.BenchmarkWrites(b, newStore) }
