package cache_test

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// everywhere are all engines, one with a replica that is now and then behind, and one through a pooler.
var everywhere = func() map[string]func(t testing.TB) (open func() cache.Source) {
	all := maps.Clone(engines)
	all["PostgreSQL with a replica"] = laggingPair
	all["PostgreSQL through PgBouncer"] = throughBouncer
	return all
}()

func throughBouncer(t testing.TB) func() cache.Source {
	through := pgtest.Bouncer(t)
	direct := pgtest.Migrated(t, postgres.Migrate)
	return func() cache.Source {
		s, err := postgres.Open(t.Context(), through(direct), postgres.Options{MaxConns: 6, QueryMode: postgres.Described})
		return opened(t, s, err)
	}
}

func laggingPair(t testing.TB) func() cache.Source {
	pair := pgtest.NewPair(t)
	url := pair.Primary.URL("backoffice")
	if err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	var lag sync.WaitGroup
	over := make(chan struct{})
	lag.Go(func() {
		for {
			for _, text := range []string{"SELECT pg_wal_replay_pause()", "SELECT pg_wal_replay_resume()"} {
				pair.Standby.Execute(t, "backoffice", text)
				select {
				case <-over:
					return
				case <-time.After(30 * time.Millisecond):
				}
			}
		}
	})
	t.Cleanup(func() { close(over); lag.Wait() })
	return func() cache.Source {
		s, err := postgres.Open(t.Context(), url, postgres.Options{MaxConns: 6, Replicas: []string{pair.Standby.URL("backoffice")}})
		return &replicas{Source: opened(t, s, err)}
	}
}

// replicas counts what replicas answer.
type replicas struct {
	cache.Source
	asked   sync.Map
	answers atomic.Int64
	hidden  bool // the cache is not told
}

func (r *replicas) NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *store.Query {
	q := r.Source.NewestChanges(b, from, limit, each)
	r.asked.Store(b, q)
	return q
}

func (r *replicas) Send(ctx context.Context, b *backoffice.Batch) error {
	err := r.Source.Send(ctx, b)
	if q, ok := r.asked.LoadAndDelete(b); ok && q.(*store.Query).Replica {
		r.answers.Add(1)
		q.(*store.Query).Replica = !r.hidden
	}
	return err
}

// gauge is what a gauge of a store with a cache before it says.
func gauge(of backoffice.Store, name string) int64 {
	for _, g := range of.(*cache.Store).Gauges() {
		if g.Name == name {
			return g.Read()
		}
	}
	return -1
}
