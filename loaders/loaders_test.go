package loaders_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// openStore has labels label-0 to label-9, and customers customer-0 to customer-9 with a transcript for each label of a
// lower number.
func openStore(t testing.TB) backoffice.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	err = store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		for i := range 10 {
			label := &backoffice.Label{ID: fmt.Sprint("label-", i), Name: fmt.Sprint("Label ", i), Color: "#00ff00", CreatedAt: 1}
			if err := tx.Labels().Insert(ctx, label); err != nil {
				return err
			}
			c := &backoffice.Customer{ID: fmt.Sprint("customer-", i), Type: backoffice.Company, OwnName: backoffice.Text(fmt.Sprint("Company ", i)), Email: "a@b.example", Version: 1}
			c.DisplayName = backoffice.DisplayNameOf(c)
			if err := tx.Customers().Insert(ctx, c); err != nil {
				return err
			}
			for j := range i {
				document := &backoffice.CustomerDocument{ID: fmt.Sprintf("document-%d-%d", i, j), Name: "Note", CustomerID: c.ID, CreatedAt: 1,
					File: &backoffice.File{Key: fmt.Sprintf("k%d%d", i, j), ContentType: "text/plain", MD5Hash: "x", SHA256: make([]byte, 32), TimeCreated: 1}}
				if err := tx.Documents().Insert(ctx, document); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func request(t testing.TB, store backoffice.Store) (context.Context, *backoffice.StatementCount) {
	ctx, calls := backoffice.WithStatementCount(t.Context())
	ctx = loaders.With(ctx, store)
	t.Cleanup(loaders.From(ctx).Close)
	return ctx, calls
}

func labelsIn(ctx context.Context) *loaders.Noun[*backoffice.Label, backoffice.LabelCriteria] {
	return loaders.In(ctx, backoffice.LabelTable)
}

func documentsIn(ctx context.Context) *loaders.Noun[*backoffice.CustomerDocument, backoffice.DocumentCriteria] {
	return loaders.In(ctx, backoffice.DocumentTable)
}

func customersIn(ctx context.Context) *loaders.Noun[*backoffice.Customer, backoffice.CustomerCriteria] {
	return loaders.In(ctx, backoffice.CustomerTable)
}

func documentsOf(limit int) backoffice.ListQuery[backoffice.DocumentCriteria] {
	return backoffice.ListQuery[backoffice.DocumentCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: limit}}
}

func TestTheAsksOfALevelTravelAsOneStatementPerQuestion(t *testing.T) {
	t.Parallel()
	ctx, calls := request(t, openStore(t))
	var one, two []*backoffice.Label
	var few, many []backoffice.Page[*backoffice.CustomerDocument]
	loaders.Level(ctx, []func(context.Context){
		func(ctx context.Context) {
			one, _ = labelsIn(ctx).All(ctx, []string{"label-3", "label-1", "label-3"})
		},
		func(ctx context.Context) {
			two, _ = labelsIn(ctx).All(ctx, []string{"label-1", "nobody"})
		},
		func(ctx context.Context) {
			few, _ = documentsIn(ctx).Pages(ctx, documentsOf(2), []string{"customer-5", "customer-1"})
		},
		func(ctx context.Context) {
			many, _ = documentsIn(ctx).Pages(ctx, documentsOf(9), []string{"customer-5"})
		},
		func(context.Context) {}, // asks nothing
	}, false)
	if calls.Count() != 3 {
		t.Errorf("%d statements, want 3: labels, and documents for each of two windows", calls.Count())
	}
	if len(one) != 3 || one[0].ID != "label-3" || one[1].ID != "label-1" || one[2] != one[0] {
		t.Errorf("labels out of place: %v", one)
	}
	if len(two) != 2 || two[0].ID != "label-1" || two[1] != nil {
		t.Errorf("an unknown identifier is not nil: %v", two)
	}
	if len(few) != 2 || len(few[0].Items) != 2 || !few[0].More || len(few[1].Items) != 1 || few[1].More {
		t.Errorf("pages out of place: %v", few)
	}
	if len(many) != 1 || len(many[0].Items) != 5 {
		t.Errorf("a page of another window: %v", many)
	}
}

func TestWhatARequestHasReadIsNotReadAgainUntilItForgets(t *testing.T) {
	t.Parallel()
	ctx, calls := request(t, openStore(t))
	ask := func(ids ...string) {
		loaders.Level(ctx, []func(context.Context){func(ctx context.Context) {
			if _, err := labelsIn(ctx).All(ctx, ids); err != nil {
				t.Error(err)
			}
		}}, false)
	}
	ask("label-1", "nobody")
	ask("nobody", "label-1")
	if calls.Count() != 1 {
		t.Errorf("%d statements for what was read already, want 1", calls.Count())
	}
	ask("label-1", "label-2")
	if calls.Count() != 2 {
		t.Errorf("%d statements with one more label, want 2", calls.Count())
	}
	loaders.From(ctx).Forget()
	ask("label-1")
	if calls.Count() != 3 {
		t.Errorf("%d statements after a write, want 3", calls.Count())
	}
}

func TestOnlyWantedColumnsAreReadAndMoreOnesWhenTheyAreWanted(t *testing.T) {
	t.Parallel()
	ctx, calls := request(t, openStore(t))
	names, all := loaders.NewFields([]string{"displayName"}), loaders.NewFields([]string{"displayName", "email"})
	one := func(fields *loaders.Fields) (c *backoffice.Customer) {
		loaders.Level(loaders.WithFields(ctx, fields), []func(context.Context){func(ctx context.Context) {
			c, _ = customersIn(ctx).One(ctx, "customer-1")
		}}, false)
		return c
	}
	if c := one(names); c.DisplayName != "Company 1" || c.Email != "" {
		t.Errorf("with the name alone: %q, %q", c.DisplayName, c.Email)
	}
	if c := one(all); c.Email != "a@b.example" {
		t.Errorf("the e-mail was not read when it was wanted")
	}
	if one(names); calls.Count() != 2 {
		t.Errorf("%d statements, want 2: the row with more columns serves those who want fewer", calls.Count())
	}
}

func TestAFailureIsToldToAllWhoAskedAndNotRemembered(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	dead, cancel := context.WithCancel(t.Context())
	cancel()
	ctx := loaders.With(dead, store)
	var failed atomic.Int32
	ask := func(ctx context.Context) {
		if _, err := labelsIn(ctx).All(ctx, []string{"label-1"}); err != nil {
			failed.Add(1)
		}
	}
	loaders.Level(ctx, []func(context.Context){ask, ask}, false)
	loaders.Level(ctx, []func(context.Context){ask}, false)
	if failed.Load() != 3 {
		t.Errorf("%d of 3 asks failed; an answer was made up", failed.Load())
	}
}

// silent is a store that refuses batches, of which their reads know nothing.
type silent struct{ backoffice.Store }

func (silent) Send(context.Context, *backoffice.Batch) error {
	return backoffice.Fault(context.DeadlineExceeded, "reading")
}

func TestAnErrorThatNoReadOfABatchHasIsOneOfAllOfThem(t *testing.T) {
	t.Parallel()
	ctx, _ := request(t, silent{openStore(t)})
	var failed atomic.Int32
	loaders.Level(ctx, []func(context.Context){func(ctx context.Context) {
		if _, err := labelsIn(ctx).All(ctx, []string{"label-1"}); err != nil {
			failed.Add(1)
		}
	}, func(ctx context.Context) {
		if _, err := documentsIn(ctx).Pages(ctx, documentsOf(3), []string{"customer-1"}); err != nil {
			failed.Add(1)
		}
	}}, false)
	if failed.Load() != 2 {
		t.Errorf("%d of 2 asks failed; an answer was made up", failed.Load())
	}
}

func TestALevelEndsHoweverItsCallsAskAndReturn(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		ctx, calls := request(t, store)
		rounds := make([]int, 1+r.IntN(6))
		for i := range rounds {
			rounds[i] = r.IntN(4)
		}
		var tasks []func(context.Context)
		for i, n := range rounds {
			tasks = append(tasks, func(ctx context.Context) {
				for round := range n {
					id := fmt.Sprintf("label-%d", (i+round)%10)
					label, err := labelsIn(ctx).One(ctx, id)
					if err != nil || label.ID != id {
						t.Errorf("asked for %s: %v, %v", id, label, err)
					}
				}
			})
		}
		loaders.Level(ctx, tasks, false)
		loaders.From(ctx).Close()
		if most := slices.Max(rounds); calls.Count() > most {
			t.Fatalf("%d statements in at most %d rounds: %v", calls.Count(), most, rounds)
		}
	}
}

func TestTheMemoryOfRowsIsUsedAgainButTheirTextsStay(t *testing.T) {
	t.Parallel()
	store := openStore(t)
	texts := map[string]string{}
	var rows []*backoffice.Label
	for i := range 10 {
		ctx, _ := request(t, store)
		id := fmt.Sprint("label-", i)
		var label *backoffice.Label
		var err error
		loaders.Level(loaders.WithFields(ctx, loaders.NewFields([]string{"name"})), []func(context.Context){func(ctx context.Context) {
			label, err = labelsIn(ctx).One(ctx, id)
		}}, false)
		if err != nil || label.Color != "" || label.CreatedAt != 0 {
			t.Fatalf("%s has something of another row: %+v, %v", id, label, err)
		}
		texts[id], rows = label.Name, append(rows, label)
		loaders.From(ctx).Close()
	}
	for i := range 10 {
		if id := fmt.Sprint("label-", i); texts[id] != fmt.Sprint("Label ", i) {
			t.Errorf("the text that was kept of %s is %q now", id, texts[id])
		}
	}
	for i, row := range rows {
		if row.Name != "" {
			t.Errorf("row %d still holds %q after its request", i, row.Name)
		}
	}
}

func BenchmarkALevelOfThreeAsks(b *testing.B) {
	store := openStore(b)
	ids := []string{"label-0", "label-1", "label-2", "label-3"}
	for b.Loop() {
		ctx := loaders.With(b.Context(), store)
		ask := func(ctx context.Context) { _, _ = labelsIn(ctx).All(ctx, ids) }
		loaders.Level(ctx, []func(context.Context){ask, ask, ask}, false)
		loaders.From(ctx).Close()
	}
}

// sends counts the batches that are sent to a store.
type sends struct {
	backoffice.Store
	batches atomic.Int64
}

func (s *sends) Send(ctx context.Context, b *backoffice.Batch) error {
	s.batches.Add(1)
	return s.Store.Send(ctx, b)
}

func TestSeveralQuestionsOfOneCallAreInTheBatchOfItsLevel(t *testing.T) {
	t.Parallel()
	store := &sends{Store: openStore(t)}
	ctx, statements := request(t, store)
	var labels []*backoffice.Label
	var errs [4]error
	loaders.Level(ctx, []func(context.Context){
		func(ctx context.Context) {
			loaders.From(ctx).Together(ctx,
				func(ctx context.Context) {
					_, errs[0] = documentsIn(ctx).Pages(ctx, documentsOf(1), []string{"customer-5"})
				},
				func(ctx context.Context) {
					_, errs[1] = documentsIn(ctx).Pages(ctx, documentsOf(2), []string{"customer-5"})
				},
				func(context.Context) {})
		},
		func(ctx context.Context) {
			labels, errs[2] = labelsIn(ctx).All(ctx, []string{"label-3"})
		},
		func(ctx context.Context) { loaders.From(ctx).Together(ctx) },
	}, true)
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if n := store.batches.Load(); n != 1 || statements.Count() != 3 || len(labels) != 1 {
		t.Errorf("%d batches, %d statements, %d labels", n, statements.Count(), len(labels))
	}
}

func TestAPanicOfOneOfSeveralQuestionsIsThatOfTheCall(t *testing.T) {
	t.Parallel()
	ctx, _ := request(t, openStore(t))
	var fault any
	var label *backoffice.Label
	loaders.Level(ctx, []func(context.Context){func(ctx context.Context) {
		defer func() { fault = recover() }()
		loaders.From(ctx).Together(ctx,
			func(ctx context.Context) { label, _ = labelsIn(ctx).One(ctx, "label-3") },
			func(context.Context) { panic("a broken question") })
	}}, true)
	if fault != "a broken question" || label == nil {
		t.Errorf("%v, %v", fault, label)
	}
}
