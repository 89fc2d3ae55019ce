package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// throughBouncer opens databases of their own, one for each store, through PgBouncer: it can't be told a schema.
func throughBouncer(t testing.TB, mode postgres.QueryMode) func(testing.TB) backoffice.Store {
	through := pgtest.Bouncer(t)
	return func(t testing.TB) backoffice.Store {
		t.Helper()
		direct := pgtest.Migrated(t, postgres.Migrate)
		store, err := postgres.Open(t.Context(), through(direct), postgres.Options{QueryMode: mode})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		return store
	}
}

func TestTheContractOfStoresIsKeptThroughPgBouncerInTransactionMode(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for mode, run := range map[postgres.QueryMode]func(*testing.T, func(testing.TB) backoffice.Store){
		postgres.Described: storetest.Run, postgres.Plain: storetest.RunReads,
	} {
		t.Run("with statements "+string(mode), func(t *testing.T) {
			t.Parallel()
			run(t, throughBouncer(t, mode))
		})
	}
}

func TestManyClientsShareFewConnectionsThroughPgBouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	through := pgtest.Bouncer(t)
	for _, mode := range []postgres.QueryMode{postgres.Described, postgres.Plain} {
		t.Run("with statements "+string(mode), func(t *testing.T) {
			t.Parallel()
			direct := pgtest.Migrated(t, postgres.Migrate)
			opened := openAt(t, through(direct), postgres.Options{QueryMode: mode, MaxConns: 16})
			var clients sync.WaitGroup
			for client := range 16 {
				clients.Go(func() {
					for i := range 100 { // texts of several shapes, so that connections would remember different ones
						if err := opened.Ping(t.Context()); err != nil {
							t.Error(err, cause(err))
						}
						ids := make([]string, 1+i%3)
						for n := range ids {
							ids[n] = fmt.Sprint("none-", n)
						}
						if _, err := backoffice.ReadByID(t.Context(), opened.Labels(), ids, backoffice.Columns(i%8)); err != nil {
							t.Error(err, cause(err))
						}
						if i%10 == 0 {
							if _, err := label(t.Context(), opened, "client", fmt.Sprint("label ", client, " ", i)); err != nil {
								t.Error(err, cause(err))
							}
						}
					}
				})
			}
			clients.Wait()
			counts, err := backoffice.ReadCounts(t.Context(), opened.Labels(), backoffice.Root, backoffice.LabelCriteria{}, []string{backoffice.NoParent})
			if err != nil || counts[backoffice.NoParent] != 160 {
				t.Errorf("%d of 160 labels were written: %v", counts[backoffice.NoParent], err)
			}
		})
	}
}
