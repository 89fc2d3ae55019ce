package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/storetest"
)

// BenchmarkUpsert prints how many customers a second import's way of writing stores, new ones and the same once more:
// go test -run - -bench Upsert -benchtime 1x ./store/postgres.
func BenchmarkUpsert(b *testing.B) {
	for _, chunk := range []int{99, 1000, 10_000} { // 99 go as arguments, more are copied
		b.Run(fmt.Sprintf("chunksOf%d", chunk), func(b *testing.B) {
			store := newStore(postgres.Options{StatementTimeout: time.Minute})(b)
			const total = 49_500
			now := backoffice.InstantOf(time.Now())
			customers := make([]*backoffice.Customer, total)
			for i := range customers {
				name := fmt.Sprintf("Customer %d", i)
				customers[i] = &backoffice.Customer{ID: backoffice.NewID(), Type: backoffice.Company, OwnName: backoffice.Text(name), DisplayName: name, CreatedAt: now, UpdatedAt: now, Version: 1}
			}
			for b.Loop() {
				for _, round := range []string{"new", "again"} {
					began := time.Now()
					for left := customers; len(left) > 0; left = left[min(chunk, len(left)):] {
						part := left[:min(chunk, len(left))]
						err := store.Write(context.Background(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Upsert(ctx, part) })
						if err != nil {
							b.Fatal(err, cause(err))
						}
					}
					b.ReportMetric(total/time.Since(began).Seconds(), round+"-rows/s")
				}
			}
		})
	}
}

func TestManyRowsAreCopiedAndUpsertedLikeFew(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	store := newStore(postgres.Options{})(t)
	labels := make([]*backoffice.Label, 250)
	ids := make([]string, len(labels))
	for i := range labels {
		ids[i] = backoffice.NewID()
		labels[i] = &backoffice.Label{ID: ids[i], Name: fmt.Sprint("label ", i), Color: "#112233", CreatedAt: 1}
	}
	upsert := func() error {
		return store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Labels().Upsert(ctx, labels) })
	}
	for _, color := range []backoffice.Text{"#112233", "#445566"} {
		labels[7].Color = color
		if err := upsert(); err != nil {
			t.Fatal(err, cause(err))
		}
		found, err := backoffice.ReadByID(t.Context(), store.Labels(), ids, 0)
		if err != nil || len(found) != len(labels) || found[ids[7]].Color != color {
			t.Fatalf("%d of %d rows are there, and the colour is %s: %v", len(found), len(labels), found[ids[7]].Color, err)
		}
	}
	labels[8].Name = labels[9].Name
	if err := upsert(); backoffice.KindOf(err) != backoffice.Refused {
		t.Fatalf("a value that is taken: %v (%v)", err, cause(err))
	}
}

// A first import writes where there are no statistics, of which the planner makes what it likes.
func TestAFirstImportLooksUpByKeyWhatItsTriggersAskFor(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	store, conn := open(t)
	const customers = 1_500
	err := store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		year := &backoffice.FinancialYear{ID: "year", StartDate: "2025-01-01", EndDate: "2025-12-31"}
		checklist := &backoffice.Checklist{ID: "checklist", FinancialYearID: year.ID, Name: "Checklist"}
		err := errors.Join(tx.FinancialYears().Insert(ctx, year), tx.Checklists().Insert(ctx, checklist))
		if err != nil {
			return err
		}
		var companies []*backoffice.Customer
		var transcripts []*backoffice.Transcript
		for i := range customers {
			id := fmt.Sprint("c", i)
			companies = append(companies, &backoffice.Customer{ID: id, Type: backoffice.Company, OwnName: "Name", DisplayName: "Name", Version: 1})
			transcripts = append(transcripts, &backoffice.Transcript{ID: "t" + id, CustomerID: id, ChecklistID: checklist.ID, FinancialYearID: year.ID, OwnStatus: backoffice.ToProcess})
		}
		return errors.Join(tx.Customers().Upsert(ctx, companies), tx.Transcripts().Upsert(ctx, transcripts))
	})
	if err != nil {
		t.Fatal(err, cause(err))
	}
	for _, table := range []string{"view_pending", "transcripts", "customers", "financial_years"} {
		var read int
		err := errors.New("never known")
		for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); { // what a transaction read is known a moment after its end
			err = conn.QueryRow(t.Context(), `SELECT seq_tup_read + COALESCE((SELECT SUM(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid), 0)
				FROM pg_stat_user_tables t WHERE t.relid = $1::regclass AND t.n_tup_ins > 0`, table).Scan(&read)
			time.Sleep(20 * time.Millisecond)
		}
		if read > 20*customers || err != nil {
			t.Errorf("of %s %d rows are read for %d customers: %v", table, read, customers, err)
		}
	}
}

func TestWritesArePlannedOnceAndNeverCompiled(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	store := openAt(t, migrated(t), postgres.Options{MaxConns: 1})
	caller := storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "writer"}) // whose one connection InWrite looks at
	for round := range 3 {
		labels := make([]*backoffice.Label, 250)
		for i := range labels {
			labels[i] = &backoffice.Label{ID: backoffice.NewID(), Name: fmt.Sprint("label ", round, i), CreatedAt: 1}
		}
		err := store.Write(caller, func(ctx context.Context, tx backoffice.Tx) error {
			if err := tx.Labels().Upsert(ctx, labels); err != nil {
				return err
			}
			_, err := backoffice.ReadByID(ctx, tx.Labels(), []string{labels[0].ID, labels[1].ID}, 0)
			return err
		})
		if err != nil {
			t.Fatal(err, cause(err))
		}
	}
	const plans = `SELECT custom_plans || ' ' || generic_plans || ' ' || statement FROM pg_prepared_statements WHERE statement LIKE '%label%'`
	found := store.InWrite(t, plans)
	if len(found) < 3 {
		t.Fatalf("few statements were prepared: %q", found)
	}
	for _, plan := range found {
		if !strings.HasPrefix(plan, "0 ") {
			t.Errorf("planned for its values (how often, how often not, what): %s", plan)
		}
	}
	const costly = `EXPLAIN (ANALYZE, TIMING OFF) INSERT INTO labels (id, name, created_at) SELECT 'copy-' || id, 'copy ' || name, 1 FROM labels WHERE color IS NULL`
	if plan := strings.Join(store.InWrite(t, costly), "\n"); strings.Contains(plan, "JIT") {
		t.Errorf("a write was compiled:\n%s", plan)
	}
}
