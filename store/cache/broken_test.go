package cache_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/storetest"
)

// Copies of a store that break the promise, each in one way.

// forgetsLists tells of no parents: lists are not dropped.
type forgetsLists struct{ cache.Source }

func (f forgetsLists) NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *store.Query {
	return f.Source.NewestChanges(b, from, limit, withoutParents(each))
}

func (f forgetsLists) Listen(to store.Listener) (stop func()) {
	return f.Source.Listen(toldNoParents{to})
}

type toldNoParents struct{ store.Listener }

func (l toldNoParents) BeginPoll() (from int64, behind *store.Statement, heard func(ctx context.Context, entries []*backoffice.Change, err error)) {
	from, behind, hears := l.Listener.BeginPoll()
	return from, behind, func(ctx context.Context, entries []*backoffice.Change, err error) {
		var told []*backoffice.Change
		for _, entry := range entries {
			withoutParents(func(c *backoffice.Change) { told = append(told, c) })(entry)
		}
		hears(ctx, told, err)
	}
}

func withoutParents(each func(*backoffice.Change)) func(*backoffice.Change) {
	return func(c *backoffice.Change) {
		told := *c
		told.Parents = nil
		each(&told)
	}
}

// skipsPolls polls once, and says ever after that nothing has happened since.
type skipsPolls struct {
	cache.Source
	polled atomic.Bool
}

func (s *skipsPolls) Poll(ctx context.Context) error {
	if s.polled.Swap(true) {
		return nil
	}
	return s.Source.Poll(ctx)
}

// unchanging says that nobody has committed.
type unchanging struct{ store.Engine }

func (unchanging) DataVersion(context.Context) (int64, error) { return 1, nil }

// through is a store with something between it and its engine.
func through(s cache.Source, wrap func(store.Engine) store.Engine) cache.Source {
	return s.(interface {
		Through(wrap func(store.Engine) store.Engine) *store.Store
	}).Through(wrap)
}

// admitsOld says of what it has read that it was read later than it was.
type admitsOld struct {
	cache.Source
	mu   sync.Mutex
	told map[*backoffice.Batch]func()
}

func (a *admitsOld) NewestChanges(b *backoffice.Batch, from int64, limit int, each func(*backoffice.Change)) *store.Query {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told[b] = func() {
		later := &backoffice.Batch{}
		a.Source.NewestChanges(later, from, limit, each)
		_ = a.Source.Send(context.Background(), later)
	}
	return a.Source.NewestChanges(b, from, limit, func(*backoffice.Change) {})
}

func (a *admitsOld) Send(ctx context.Context, b *backoffice.Batch) error {
	err := a.Source.Send(ctx, b)
	a.mu.Lock()
	tell := a.told[b]
	delete(a.told, b)
	a.mu.Unlock()
	if tell != nil {
		time.Sleep(2 * time.Millisecond)
		tell()
	}
	return err
}

func TestACacheThatBreaksThePromiseIsFoundOut(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	for name, broken := range map[string]func(cache.Source) cache.Source{
		"forgets lists":  func(s cache.Source) cache.Source { return forgetsLists{s} },
		"skips the poll": func(s cache.Source) cache.Source { return &skipsPolls{Source: s} },
		"takes the data for unchanged": func(s cache.Source) cache.Source {
			return through(s, func(e store.Engine) store.Engine { return unchanging{e} })
		},
		"admits old rows": func(s cache.Source) cache.Source {
			return &admitsOld{Source: s, told: map[*backoffice.Batch]func(){}}
		},
	} {
		for engine, openIn := range engines {
			t.Run(name+" on "+engine, func(t *testing.T) {
				t.Parallel()
				findOut(t, name+", on "+engine+",", openIn(t), broken)
			})
		}
	}
	t.Run("takes a replica for the primary", func(t *testing.T) {
		t.Parallel()
		findOut(t, "takes a replica for the primary", laggingPair(t), func(s cache.Source) cache.Source {
			s.(*replicas).hidden = true
			return s
		})
	})
}

// findOut fails when histories do not show that a store is broken.
func findOut(t *testing.T, name string, open func() cache.Source, broken func(cache.Source) cache.Source) {
	importer := open()
	gateways := make([]backoffice.Store, historyGateways)
	for i := range gateways {
		gateways[i] = before(t, broken(open()), cache.Options{Bytes: 64 << 20})
	}
	until := time.Now().Add(2 * time.Minute)
	for seed := uint64(0); ; seed++ {
		var mixed atomic.Bool // what is wrong within one query is one way of being found out
		w := &watch{Context: t.Context(), found: func(string, ...any) { mixed.Store(true) }}
		clean(w, importer)
		if !history(w, seed, gateways, importer) || mixed.Load() {
			t.Logf("a copy that %s is found out by history %d", name, seed+1)
			return
		}
		if time.Now().After(until) {
			t.Fatal("nothing was found, so the histories show nothing")
		}
	}
}
