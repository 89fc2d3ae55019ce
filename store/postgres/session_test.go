package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

func TestWhatIsReadIsNeverCompiledUnlessTheURLWantsIt(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	name := strings.TrimPrefix(strings.Split(url, "?")[0], "postgres://postgres@/")
	for _, setting := range []string{"jit = on", "jit_above_cost = 0"} {
		pgtest.Execute(t, url, "ALTER DATABASE "+name+" SET "+setting)
	}
	for what, one := range map[string]struct {
		url     string
		options postgres.Options
		want    bool
	}{
		"as usual":                           {url, postgres.Options{}, false},
		"with a URL that wants it":           {url + "&jit=on", postgres.Options{}, true},
		"on connections that a pooler lends": {url, postgres.Options{QueryMode: postgres.Described}, true}, // whose settings are not ours to change
	} {
		one.options.MaxConns = 1
		plan := strings.Join(openAt(t, one.url, one.options).InRead(t, "EXPLAIN (ANALYZE, TIMING OFF) SELECT count(*) FROM customers WHERE id > 'a'"), "\n")
		if strings.Contains(plan, "JIT") != one.want {
			t.Errorf("%s:\n%s", what, plan)
		}
	}
}

func TestAConnectionKeepsFewPlansUnlessTheURLWantsMore(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	for parameters, want := range map[string]int{"": 128, "&statement_cache_capacity=256": 256} {
		store := openAt(t, url+parameters, postgres.Options{MaxConns: 1})
		for i := range 300 {
			store.InRead(t, fmt.Sprintf("SELECT 'statement %d'", i))
		}
		kept, err := strconv.Atoi(store.InRead(t, "SELECT count(*)::text FROM pg_prepared_statements")[0])
		if err != nil || kept > want+1 || kept < want-2 { // one that made room goes with the next statement
			t.Errorf("with %q a connection keeps %d prepared statements (%v)", parameters, kept, err)
		}
	}
}

func TestATransactionKnowsOnlyStatementsThatItsConnectionKeeps(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	store := openAt(t, migrated(t), postgres.Options{MaxConns: 1})
	texts := make([]string, 200)
	for i := range texts {
		texts[i] = fmt.Sprintf("SELECT 'statement %d'", i)
	}
	if stale := store.Stale(t, texts); len(stale) > 0 {
		t.Errorf("%d are no longer prepared, such as %s", len(stale), stale[0])
	}
}

func TestASnapshotOutlivesItsPausesWhateverTheRoleSays(t *testing.T) {
	t.Parallel()
	store := openAt(t, migrated(t)+"&idle_in_transaction_session_timeout=50", postgres.Options{})
	err := store.Snapshot(t.Context(), func(ctx context.Context, reads backoffice.Readers) error {
		for range 2 {
			if _, err := backoffice.ReadByID(ctx, reads.Labels(), []string{"label"}, 0); err != nil {
				return err
			}
			time.Sleep(300 * time.Millisecond)
		}
		return nil
	})
	if err != nil {
		t.Error(err, cause(err))
	}
}

func TestTheServerSoonNoticesThatAWriterIsGone(t *testing.T) {
	t.Parallel()
	ours := openAt(t, migrated(t), postgres.Options{MaxConns: 1}).InWrite(t,
		"SELECT name FROM pg_settings WHERE name LIKE 'tcp_%' AND source = 'session' ORDER BY 1")
	if len(ours) != 4 {
		t.Errorf("a write sets %v", ours)
	}
}
