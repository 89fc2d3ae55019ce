package privacy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// turnEngines open another connection to one empty database each.
var turnEngines = map[string]func(t testing.TB) (open func() backoffice.Store){
	"SQLite": func(t testing.TB) func() backoffice.Store {
		url := sqlitetest.URL(t)
		return func() backoffice.Store {
			store, err := sqlite.Open(t.Context(), url, sqlite.Options{})
			return opened(t, store, err)
		}
	},
	"PostgreSQL": func(t testing.TB) func() backoffice.Store {
		url := pgtest.Migrated(t, postgres.Migrate)
		return func() backoffice.Store {
			store, err := postgres.Open(t.Context(), url, postgres.Options{})
			return opened(t, store, err)
		}
	},
}

func opened(t testing.TB, store backoffice.Store, err error) backoffice.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// turned is a gateway as far as keys go: a keyset file of its own, bound to a store.
type turned struct {
	keys  *Keyset
	store backoffice.Store
	path  string
}

// turnedFrom opens a store with a keyset file; one that has another's name is the same file.
func turnedFrom(t testing.TB, open func() backoffice.Store, path string) *turned {
	t.Helper()
	return turnedBy(t, open, KeysetFile{Path: path})
}

func turnedBy(t testing.TB, open func() backoffice.Store, file KeysetFile) *turned {
	t.Helper()
	keys, err := file.Load()
	if err != nil {
		t.Fatal(err)
	}
	g := &turned{keys, open(), file.Path}
	if err := keys.Bind(t.Context(), g.store); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keys.Release)
	return g
}

func newKeysetFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyset.json")
	if _, err := (KeysetFile{Path: path}).Create(); err != nil {
		t.Fatal(err)
	}
	return path
}

func (g *turned) rotator() *KeyRotator {
	return &KeyRotator{Keys: g.keys, Store: g.store, Wait: time.Minute}
}

// numberFor is the n-th number.
func numberFor(n int) string { return fmt.Sprintf("%011d", n) }

func (g *turned) customer(id, number string) (*backoffice.Customer, error) {
	sealed, err := g.keys.Seal(id, backoffice.RegistrationNumber, number)
	return &backoffice.Customer{ID: id, Type: backoffice.PrivatePerson, FirstName: "A", LastName: "B", DisplayName: "A B", Registration: sealed, CreatedAt: 1, UpdatedAt: 1, Version: 1}, err
}

func (g *turned) insert(ctx context.Context, id, number string) error {
	c, err := g.customer(id, number)
	if err != nil {
		return err
	}
	return g.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, c) })
}

// change gives a customer another number, as the service does: only what differs is a change.
func (g *turned) change(ctx context.Context, id, number string) (changed bool, err error) {
	err = g.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		c, ok, err := backoffice.Find(ctx, tx.Customers(), id)
		if err != nil || !ok {
			return errors.Join(err, errors.New("a customer is gone"))
		}
		sealed, err := g.keys.Seal(id, backoffice.RegistrationNumber, number)
		if err != nil || c.Registration.SameNumber(sealed) {
			return err
		}
		changed = true
		c.Registration = sealed
		c.Version++
		return tx.Customers().Update(ctx, c)
	})
	return changed, err
}

// search finds customers by a number; indexes says what is asked of those that there are.
func (g *turned) search(ctx context.Context, number string, indexes func(string) string) ([]string, error) {
	index, err := g.keys.Indexes(backoffice.RegistrationNumber, number)
	if err != nil {
		return nil, err
	}
	pages, err := backoffice.ReadPages(ctx, g.store.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{
		Criteria: backoffice.CustomerCriteria{RegistrationIndex: indexes(index)}, Window: backoffice.Window{Limit: 10},
	}, []string{backoffice.NoParent}, 0)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range pages[backoffice.NoParent].Items {
		if plain, err := g.keys.open(c.ID, backoffice.RegistrationNumber, c.Registration); err != nil || plain != number {
			return nil, fmt.Errorf("customer %s has the wrong number: %w", c.ID, err)
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

func all(indexes string) string { return indexes }

// byNewKeyAlone is a search that forgets the older key.
func byNewKeyAlone(indexes string) string { return indexes[:backoffice.IndexSize] }

const turnCustomers = 1200

// turnWhileInUse turns the keys of two gateways with files of their own, while each is read, searched and written,
// and the reseal is cut short twice. It returns what was missed.
func turnWhileInUse(t *testing.T, open func() backoffice.Store, indexes func(string) string) (missed []string) {
	t.Helper()
	path := newKeysetFile(t)
	other := filepath.Join(t.TempDir(), "other.json")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, content, 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := turnedFrom(t, open, path), turnedFrom(t, open, other)
	var customers []*backoffice.Customer
	for n := range turnCustomers {
		c, err := a.customer(fmt.Sprintf("c%05d", n), numberFor(n))
		if err != nil {
			t.Fatal(err)
		}
		customers = append(customers, c)
	}
	if err := a.store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, customers...) }); err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	miss := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		missed = append(missed, fmt.Sprintf(format, args...))
	}
	var rounds, written atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var users sync.WaitGroup
	for which, credential := range [][2]*turned{{a, b}, {b, a}} {
		users.Go(func() { // what one has written the other finds at once
			for n := which; ctx.Err() == nil; n += 7 {
				id := fmt.Sprintf("c%05d", n%turnCustomers)
				if found, err := credential[1].search(ctx, numberFor(n%turnCustomers), indexes); ctx.Err() == nil && (err != nil || !slices.Contains(found, id)) {
					miss("searched %s: %v, %v", id, found, err)
				}
				fresh := fmt.Sprintf("n%d-%07d", which, n)
				number := numberFor(1_000_000 + 2_000_000*which + n)
				if err := credential[0].insert(ctx, fresh, number); err != nil {
					if ctx.Err() == nil {
						miss("wrote %s: %v (%v)", fresh, err, errors.Unwrap(err))
					}
					continue
				}
				written.Add(1)
				if found, err := credential[1].search(ctx, number, indexes); ctx.Err() == nil && (err != nil || !slices.Contains(found, fresh)) {
					miss("searched for %s, which was just written: %v, %v", fresh, found, err)
				}
				if changed, err := credential[0].change(ctx, id, numberFor(n%turnCustomers)); ctx.Err() == nil && (err != nil || changed) {
					miss("the same number of %s was taken for another: %t, %v", id, changed, err)
				}
				rounds.Add(1)
			}
		})
	}
	pause := func(rounds *atomic.Int64, n int64) {
		for until := rounds.Load() + n; rounds.Load() < until && ctx.Err() == nil; {
			time.Sleep(time.Millisecond)
		}
	}

	// The other gateway's file is copied late: nothing turns before.
	rotating := a.rotator()
	rotating.after = func(step string, _ int64) {
		if step == "added" {
			go func() {
				pause(&rounds, 20)
				if listed, err := a.store.Keys(ctx); err != nil || listed[0].State != backoffice.KeyPrimary {
					miss("the key turned before all knew it: %v, %v", listed, err)
				}
				content, err := os.ReadFile(path)
				if err == nil {
					err = replaceFile(other, content)
				}
				if err != nil {
					miss("copying: %v", err)
				}
			}()
		}
	}
	fresh, old, err := rotating.Rotate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.rotator().Rotate(ctx); backoffice.KindOf(err) != backoffice.BadInput {
		t.Errorf("a second rotation before the old key is retired: %v", err)
	}
	pause(&rounds, 20)
	for cut := range 3 {
		run, kill := context.WithCancel(ctx)
		resealing := b.rotator()
		resealing.after = func(step string, n int64) {
			pause(&rounds, 5)
			if cut == 0 && step == "batch" && n >= resealBatch || cut == 1 && step == "closing" {
				kill()
			}
		}
		_, err := resealing.Reseal(run)
		kill()
		if (err == nil) != (cut == 2) {
			t.Fatalf("reseal %d: %v", cut, err)
		}
	}
	pause(&rounds, 20)
	stop()
	users.Wait()

	ctx = t.Context()
	for n := range turnCustomers {
		if found, err := b.search(ctx, numberFor(n), byNewKeyAlone); err != nil || len(found) != 1 {
			t.Fatalf("sealed anew, %d: %v, %v", n, found, err)
		}
	}
	keys, stray, err := b.rotator().Status(ctx)
	if err != nil || len(keys) != 2 || keys[0].ID != old || keys[1].ID != fresh || keys[0].Counts[backoffice.SealedNumbers] != 0 ||
		keys[1].Counts[backoffice.SealedNumbers] != turnCustomers+written.Load() || stray[backoffice.SealedNumbers] != 0 {
		t.Errorf("status: %+v %v %v", keys, stray, err)
	}
	return missed
}

func TestNoNumberIsMissedOrWrongWhileTheKeysOfTwoGatewaysTurn(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if missed := turnWhileInUse(t, engine(t), all); len(missed) > 0 {
				t.Errorf("%d were missed: %s", len(missed), strings.Join(missed[:min(len(missed), 5)], "\n"))
			}
		})
	}
}

func TestASearchThatForgetsTheOlderKeyIsCaught(t *testing.T) {
	t.Parallel()
	if missed := turnWhileInUse(t, turnEngines["SQLite"](t), byNewKeyAlone); len(missed) == 0 {
		t.Error("a search by the new key alone missed nothing: the test above proves nothing")
	}
}
