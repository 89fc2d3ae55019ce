package postgres_test

import (
	"fmt"
	"sync"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

func TestManyClientsShareFewConnectionsThroughPgBouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	through := pgtest.Bouncer(t)
	for _, mode := range []postgres.QueryMode{postgres.Described, postgres.Plain} {
		t.Run("with statements "+string(mode), func(t *testing.T) {
			t.Parallel()
			direct := pgtest.Database(t)
			if err := postgres.Migrate(t.Context(), direct); err != nil {
				t.Fatal(err)
			}
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
						if _, err := opened.Labels().ByID(t.Context(), ids, backoffice.Columns(i%8)); err != nil {
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
			counts, err := opened.Labels().Counts(t.Context(), backoffice.Root, backoffice.LabelCriteria{}, []string{backoffice.NoParent})
			if err != nil || counts[backoffice.NoParent] != 160 {
				t.Errorf("%d of 160 labels were written: %v", counts[backoffice.NoParent], err)
			}
		})
	}
}
