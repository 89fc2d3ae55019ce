package cache_test

import (
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite/sqlitetest"
	"example.org/backoffice/store/storetest"
)

// urls lead to fresh databases.
var urls = map[string]func(t testing.TB) string{
	"SQLite": sqlitetest.URL,
	"PostgreSQL": func(t testing.TB) string {
		return pgtest.Migrated(t, postgres.Migrate)
	},
}

// engines are where a store can be opened several times.
var engines = func() map[string]func(t testing.TB) (open func() cache.Source) {
	all := map[string]func(t testing.TB) (open func() cache.Source){}
	for engine, fresh := range urls {
		all[engine] = func(t testing.TB) func() cache.Source {
			url := fresh(t)
			return func() cache.Source {
				s, err := openURL(t.Context(), url)
				return opened(t, s, err)
			}
		}
	}
	return all
}()

func opened(t testing.TB, s cache.Source, err error) cache.Source {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// before puts a cache before a store.
func before(t testing.TB, source cache.Source, options cache.Options) *cache.Store {
	t.Helper()
	s, err := cache.New(source, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// aFew is room for a few entries.
const aFew = 3000

// The race detector watches the suite once, where most is evicted; make test runs all of them without it.
func TestAStoreWithACacheBeforeItKeepsTheContractOfStores(t *testing.T) {
	t.Parallel()
	sizes := map[string]cache.Options{"64 MiB": {Bytes: 64 << 20}, "a few entries": {Bytes: aFew}}
	if *histories > 25 { // in the long run
		sizes["64 MiB, compared"] = cache.Options{Bytes: 64 << 20, Check: true}
	}
	for engine, openIn := range engines {
		for size, options := range sizes {
			t.Run(engine+" with "+size, func(t *testing.T) {
				t.Parallel()
				if (engine != "SQLite" || size == "64 MiB") && *histories <= 25 {
					storetest.SkipUnderRace(t)
				}
				storetest.Run(t, func(t testing.TB) backoffice.Store {
					s := before(t, openIn(t)(), options)
					t.Cleanup(func() {
						if n := s.Differences(); n > 0 {
							t.Errorf("%d answers were not those of the store", n)
						}
					})
					return s
				})
			})
		}
	}
}
