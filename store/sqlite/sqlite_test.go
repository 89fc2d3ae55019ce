package sqlite_test

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"example.org/backoffice/store/storetest"
)

func newStore(t testing.TB) backoffice.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
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

// The race detector watches the contract in store/cache.
func TestTheEmbeddedStoreKeepsTheContractOfStores(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	storetest.Run(t, newStore)
}

func BenchmarkReads(b *testing.B) { storetest.Benchmark(b, newStore) }

func BenchmarkWrites(b *testing.B) { storetest.BenchmarkWrites(b, newStore) }

func TestAConnectionKeepsNoLongStatement(t *testing.T) {
	t.Parallel()
	opened := newStore(t).(*sqlite.Store)
	for text, kept := range map[string]bool{"": true, strings.Repeat("x", store.MaxKeptText): false} {
		if opened.Keeps(t, "SELECT '"+text+"'") != kept {
			t.Errorf("a statement of %d more bytes is kept: %t", len(text), !kept)
		}
	}
}
