package cache_test

import (
	"context"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/cache"
)

// counting counts how often the end of the change log was read by itself.
type counting struct {
	cache.Source
	read atomic.Int64
}

func (c *counting) NewestDurableChanges(ctx context.Context, from int64, limit int, each func(*backoffice.Change)) error {
	c.read.Add(1)
	return c.Source.NewestDurableChanges(ctx, from, limit, each)
}

func TestTheLogOfTheEmbeddedStoreIsReadAfterACommitAlone(t *testing.T) {
	t.Parallel()
	open := places["SQLite"](t)
	source, other := &counting{Source: open()}, open()
	s := before(t, source, cache.Options{Bytes: 1 << 20})
	w := &watch{Context: t.Context(), found: t.Errorf}
	colours := []string{"#000000", "#111111", "#222222"}
	for i, by := range []backoffice.Store{other, s, other} {
		write(w, by, func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(0, colours[i])})
		})
		for range 20 {
			rows, err := backoffice.ReadByID(t.Context(), s.Labels(), []string{"label-0"}, 0)
			if err != nil || string(rows["label-0"].Color) != colours[i] {
				t.Errorf("the label is %+v, want %s (%v)", rows["label-0"], colours[i], err)
			}
		}
	}
	if n := source.read.Load(); n != 3 {
		t.Errorf("the log was read %d times for 60 reads between which there were 3 commits", n)
	}
}
