package postgres_test

import (
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

func newStore(options postgres.Options) func(t testing.TB) backoffice.Store {
	return func(t testing.TB) backoffice.Store {
		t.Helper()
		store, err := postgres.Open(t.Context(), migrated(t), options)
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
}

// migrated is the URL of a fresh schema that is up to date.
func migrated(t testing.TB) string {
	t.Helper()
	return pgtest.Migrated(t, postgres.Migrate)
}

func TestPostgreSQLKeepsTheContractOfStores(t *testing.T) {
	t.Parallel()
	storetest.Run(t, newStore(postgres.Options{}))
}

func TestEveryQueryModeReadsTheSame(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for _, mode := range []postgres.QueryMode{postgres.Described, postgres.Plain} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			storetest.RunReads(t, newStore(postgres.Options{QueryMode: mode}))
		})
	}
}

func BenchmarkReads(b *testing.B) { storetest.Benchmark(b, newStore(postgres.Options{})) }

func BenchmarkWrites(b *testing.B) { storetest.BenchmarkWrites(b, newStore(postgres.Options{})) }
