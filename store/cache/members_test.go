package cache_test

import (
	"context"
	"fmt"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
)

func TestAnUpdateLeavesListsInTheOrderOfIdentifiersAndTotalsInMemory(t *testing.T) {
	t.Parallel()
	for engine, openIn := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			open := openIn(t)
			s, other := before(t, open(), cache.Options{Bytes: 1 << 20}), open()
			w := &watch{Context: t.Context(), found: t.Errorf}
			names := map[string]string{"label-0": "0", "label-1": "1"}
			put := func(id, name string) {
				write(w, other, func(ctx context.Context, tx backoffice.Tx) error {
					return tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: id, Name: name}})
				})
				names[id] = name
			}
			for id, name := range names {
				put(id, name)
			}
			criteria := backoffice.LabelCriteria{}
			read := func(key backoffice.OrderKey) (misses int64) {
				t.Helper()
				misses = gauge(s, "cache_misses_total")
				pages, err := backoffice.ReadPages(t.Context(), s.Labels(), backoffice.ListQuery[backoffice.LabelCriteria]{Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 10}}, []string{backoffice.NoParent}, 0)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				for _, row := range pages[backoffice.NoParent].Items {
					got[row.ID] = row.Name
				}
				if fmt.Sprint(got) != fmt.Sprint(names) {
					t.Errorf("read %v, want %v", got, names)
				}
				counts, err := backoffice.ReadCounts(t.Context(), s.Labels(), backoffice.Root, criteria, []string{backoffice.NoParent})
				if err != nil || counts[backoffice.NoParent] != len(names) {
					t.Errorf("a total of %v (%v), want %d", counts, err, len(names))
				}
				return gauge(s, "cache_misses_total") - misses
			}
			read(backoffice.KeyID)
			read(backoffice.KeyName)
			for _, step := range []struct {
				id, name     string
				byID, byName int64 // what is missed then
			}{
				{"label-1", "one", 1, 1}, // the record; the list by name
				{"label-2", "two", 2, 1}, // the list and the total; the list by name
			} {
				put(step.id, step.name)
				if n := read(backoffice.KeyID); n != step.byID {
					t.Errorf("after %s became %s %d things were missed, want %d", step.id, step.name, n, step.byID)
				}
				if n := read(backoffice.KeyName); n != step.byName {
					t.Errorf("after %s became %s %d things were missed in the order of names, want %d", step.id, step.name, n, step.byName)
				}
			}
		})
	}
}
