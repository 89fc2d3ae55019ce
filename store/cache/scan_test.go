package cache_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
)

func TestAWalkOverEverythingDoesNotPushOutWhatIsUsedOften(t *testing.T) {
	t.Parallel()
	const rows, used = 4000, 100 // and room for some 400
	source := engines["SQLite"](t)()
	s := before(t, source, cache.Options{Bytes: 256 << 10})
	write(&watch{Context: t.Context(), found: t.Errorf}, source, func(ctx context.Context, tx backoffice.Tx) error {
		var labels []*backoffice.Label
		for i := range rows {
			labels = append(labels, &backoffice.Label{ID: fmt.Sprintf("label-%04d", i), Name: fmt.Sprintf("the label %04d", i)})
		}
		return tx.Labels().Upsert(ctx, labels)
	})
	// hits counts how many of these labels are in memory as each is read.
	hits := func(first, n int) int64 {
		t.Helper()
		before := gauge(s, "cache_hits_total")
		for i := range n {
			id := fmt.Sprintf("label-%04d", first+i)
			if found, err := backoffice.ReadByID(t.Context(), s.Labels(), []string{id}, 0); err != nil || found[id] == nil {
				t.Fatal(id, err)
			}
		}
		return gauge(s, "cache_hits_total") - before
	}
	for range 20 {
		hits(0, used)
	}
	walked := 0
	list := backoffice.ListQuery[backoffice.LabelCriteria]{Window: backoffice.Window{Limit: 100}}
	for more := true; more; {
		pages, err := backoffice.ReadPages(t.Context(), s.Labels(), list, []string{backoffice.NoParent}, 0)
		if err != nil {
			t.Fatal(err)
		}
		page := pages[backoffice.NoParent]
		walked, more = walked+len(page.Items), page.More
		list.Window.After, list.Window.HasAfter = page.Items[len(page.Items)-1].Position(list.Order.Key), true
	}
	if n := hits(0, used); walked != rows || n < used*2/3 { // not every use is counted, so a few may go
		t.Errorf("after a walk over %d labels, %d of %d that were used often are in memory", walked, n, used)
	}
	if n := hits(rows/2, 1000); n > 500 {
		t.Errorf("%d of 1,000 labels of the walk are in memory, so it showed nothing", n)
	}
}

func TestWhatIsReadOnceLeavesNothingInMemoryButWhatIsAskedForAgain(t *testing.T) {
	t.Parallel()
	source := engines["SQLite"](t)()
	s := before(t, source, cache.Options{Bytes: 8 << 20})
	write(&watch{Context: t.Context(), found: t.Errorf}, source, func(ctx context.Context, tx backoffice.Tx) error {
		var labels []*backoffice.Label
		for i := range 200 {
			labels = append(labels, &backoffice.Label{ID: fmt.Sprintf("label-%04d", i), Name: fmt.Sprintf("the label %04d", i)})
		}
		return tx.Labels().Upsert(ctx, labels)
	})
	once := backoffice.WithRequest(t.Context(), func(r *backoffice.Request) { r.ReadOnce = true })
	list := backoffice.ListQuery[backoffice.LabelCriteria]{Window: backoffice.Window{Limit: 200}}
	for range 3 {
		pages, err := backoffice.ReadPages(once, s.Labels(), list, []string{backoffice.NoParent}, 0)
		if err != nil || len(pages[backoffice.NoParent].Items) != 200 || pages[backoffice.NoParent].Items[7].Name != "the label 0007" {
			t.Fatal(pages, err)
		}
	}
	if held := gauge(s, "cache_bytes"); held != 0 {
		t.Errorf("lists left %d bytes", held)
	}
	for i, hits := range []int64{0, 0, 1} {
		if found, err := backoffice.ReadByID(once, s.Labels(), []string{"label-0007"}, 0); err != nil || found["label-0007"].Name != "the label 0007" {
			t.Fatal(found, err)
		}
		if known := gauge(s, "cache_hits_total"); known != hits {
			t.Errorf("after %d questions for one record memory has answered %d", i+1, known)
		}
	}
}

func TestWhatDoesNotFitCostsFewCopiesHoweverOftenItIsAskedFor(t *testing.T) {
	t.Parallel()
	const rows = 800 // and room for some 350
	source := engines["SQLite"](t)()
	s := before(t, source, cache.Options{Bytes: 256 << 10})
	write(&watch{Context: t.Context(), found: t.Errorf}, source, func(ctx context.Context, tx backoffice.Tx) error {
		var labels []*backoffice.Label
		for i := range rows {
			labels = append(labels, &backoffice.Label{ID: fmt.Sprintf("label-%04d", i), Name: fmt.Sprintf("%s %04d", strings.Repeat("x", 500), i)})
		}
		return tx.Labels().Upsert(ctx, labels)
	})
	ask := func(first, n int) (hits, copies int64) {
		t.Helper()
		hits, copies = gauge(s, "cache_hits_total"), cache.Filled(s)
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprintf("label-%04d", first+i))
		}
		if found, err := backoffice.ReadByID(t.Context(), s.Labels(), ids, 0); err != nil || len(found) != n {
			t.Fatal(len(found), err)
		}
		cache.Evict(s)
		return gauge(s, "cache_hits_total") - hits, cache.Filled(s) - copies
	}
	for round := range 16 {
		copies := int64(0)
		for first := 0; first < rows; first += 100 {
			_, n := ask(first, 100)
			copies += n
		}
		if round >= 10 && copies > rows/4 {
			t.Errorf("round %d: %d of %d labels were copied into memory", round, copies, rows)
		}
	}
	hits := int64(0)
	for again := 0; hits < 90 && again < 200; again++ { // eviction is random: mostly after 30
		hits, _ = ask(0, 100)
	}
	if hits < 90 {
		t.Errorf("of 100 labels that alone are asked for from now on, %d are in memory", hits)
	}
}
