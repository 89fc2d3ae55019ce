package cache_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// counting counts how often polls told anything.
type counting struct {
	cache.Source
	read atomic.Int64
}

func (c *counting) Listen(to store.Listener) (stop func()) {
	return c.Source.Listen(toldCounted{to, &c.read})
}

type toldCounted struct {
	store.Listener
	read *atomic.Int64
}

func (l toldCounted) BeginPoll() (from int64, behind *store.Statement, heard func(ctx context.Context, entries []*backoffice.Change, err error)) {
	from, behind, hears := l.Listener.BeginPoll()
	return from, behind, func(ctx context.Context, entries []*backoffice.Change, err error) {
		l.read.Add(1)
		hears(ctx, entries, err)
	}
}

func TestTheLogOfTheEmbeddedStoreIsReadAfterACommitAlone(t *testing.T) {
	t.Parallel()
	open := engines["SQLite"](t)
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

func TestAnAnswerOfAReplicaHangsOnOnePollForItAndForTheCache(t *testing.T) {
	t.Parallel()
	pair := pgtest.NewPair(t)
	url := pair.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	opens, err := postgres.Open(t.Context(), url, postgres.Options{MaxConns: 6, Replicas: []string{pair.Standby.URL("backoffice")}})
	source := &replicas{Source: opened(t, opens, err)}
	s := before(t, source, cache.Options{Bytes: 1 << 20})
	w := &watch{Context: t.Context(), found: t.Errorf}
	write(w, s, func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Upsert(ctx, []*backoffice.Label{colour(0, "#000000")})
	})
	for try := range 1000 {
		answers, polls := source.answers.Load(), gauge(s, "cache_looks_total")
		miss := storetest.WithSessionOf(t.Context(), &backoffice.Principal{ClientID: "reader"})
		if _, err := backoffice.ReadByID(miss, s.Labels(), []string{fmt.Sprint("label-", try)}, 0); err != nil {
			t.Fatal(err)
		}
		if source.answers.Load() == answers { // the replica has not told yet how far it has come
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if n := gauge(s, "cache_looks_total") - polls; n != 1 {
			t.Errorf("a miss that the replica answered hung on %d polls", n)
		}
		return
	}
	t.Fatal("the replica answered nothing")
}
