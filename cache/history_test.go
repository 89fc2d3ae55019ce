package cache_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/cache"
	"example.org/backoffice/store"
)

// histories is how many are checked on each engine: 25 in the tests, and as many as one likes by
// make histories.
var histories = flag.Int("histories", 25, "histories of each engine that are checked for linearizability")

// What is written and read: colours of labels, each a register; and documents of customers, each customer's list a set.
const (
	historyLabels    = 3
	historyCustomers = 3
	historyGateways  = 3
)

// step is what a caller asked for.
type step struct {
	of    string // the label or customer
	value string // a colour that was written, or a document that was added; with "-" before it, taken away
	reads bool
}

// historyModel is what the registers and sets do. The state of one is its text.
var historyModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, o := range history {
			of := o.Input.(step).of
			parts[of] = append(parts[of], o)
		}
		var all [][]porcupine.Operation
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		s, now := input.(step), state.(string)
		switch {
		case s.reads:
			return output.(string) == now, now
		case strings.HasPrefix(s.of, "label"):
			return true, s.value
		}
		set := strings.Fields(now)
		if gone, ok := strings.CutPrefix(s.value, "-"); ok {
			set = slices.DeleteFunc(set, func(id string) bool { return id == gone })
		} else if !slices.Contains(set, s.value) {
			set = append(set, s.value)
		}
		slices.Sort(set)
		return true, strings.Join(set, " ")
	},
	DescribeOperation: func(input, output any) string {
		s := input.(step)
		if s.reads {
			return fmt.Sprintf("%s is %q", s.of, output)
		}
		return fmt.Sprintf("%s gets %q", s.of, s.value)
	},
}

// watch is where a history reports what it finds by itself: a test, or one who waits for something to be found.
type watch struct {
	context.Context
	found func(format string, args ...any)
	steps int // that were checked
}

// recording is a history in the making.
type recording struct {
	mu    sync.Mutex
	steps []porcupine.Operation
	began time.Time
}

// do records what a caller does from before to after.
func (r *recording) do(caller int, do func() map[step]string) {
	call := time.Since(r.began).Nanoseconds()
	done := do()
	end := time.Since(r.began).Nanoseconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	for s, output := range done {
		r.steps = append(r.steps, porcupine.Operation{ClientId: caller, Input: s, Call: call, Output: output, Return: end})
	}
}

// history has callers write and read through several gateways, and an import beside them. open opens one more store over
// the same data. Moments that are mixed within one query fail the test here; it returns whether the rest is linearizable.
func history(t *watch, seed uint64, gateways []backoffice.Store, importer backoffice.Store) bool {
	r := &recording{began: time.Now()}
	var callers sync.WaitGroup
	for caller := range 6 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(caller)))
			store := gateways[caller%len(gateways)]
			for i := range 14 {
				if random.IntN(3) > 0 {
					r.do(caller, func() map[step]string { return readSome(t, store, random) })
				} else {
					r.do(caller, func() map[step]string { return writeSome(t, store, random, fmt.Sprintf("%d-%d-%d", seed, caller, i)) })
				}
			}
		})
	}
	callers.Go(func() { // an import writes some of all in one transaction
		for i := range 4 {
			r.do(99, func() map[step]string {
				done := map[step]string{}
				write(t, importer, func(ctx context.Context, tx backoffice.Tx) error {
					clear(done)
					var labels []*backoffice.Label
					for l := range historyLabels {
						labels = append(labels, colour(l, fmt.Sprintf("import-%d-%d", seed, i)))
						done[step{of: labels[l].ID, value: string(labels[l].Color)}] = ""
					}
					return tx.Labels().Upsert(ctx, labels)
				})
				return done
			})
		}
	})
	callers.Wait()
	t.steps += len(r.steps)
	return porcupine.CheckOperations(historyModel, r.steps)
}

func colour(label int, text string) *backoffice.Label {
	id := fmt.Sprint("label-", label)
	return &backoffice.Label{ID: id, Name: id, Color: backoffice.Text(text), CreatedAt: 1}
}

func write(t *watch, store backoffice.Store, do func(ctx context.Context, tx backoffice.Tx) error) {
	err := store.Write(t, do)
	for again := 0; again < 10 && backoffice.KindOf(err) == backoffice.Unavailable && strings.Contains(fmt.Sprint(errors.Unwrap(err)), "55P03"); again++ {
		err = store.Write(t, do) // which was not done: on a busy machine others had the lock for too long
	}
	if err != nil {
		t.found("writing: %v (%v)", err, errors.Unwrap(err))
	}
}

func writeSome(t *watch, store backoffice.Store, random *rand.Rand, text string) map[step]string {
	done := map[step]string{}
	if random.IntN(2) == 0 {
		label := colour(random.IntN(historyLabels), text)
		write(t, store, func(ctx context.Context, tx backoffice.Tx) error { return tx.Labels().Update(ctx, label) })
		done[step{of: label.ID, value: text}] = ""
		return done
	}
	customer, other := random.IntN(historyCustomers), random.IntN(historyCustomers)
	id := fmt.Sprint("document-", random.IntN(4))
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		clear(done)
		// Whoever imports goes one at a time, so that what is read here is what is replaced below.
		if err := tx.Labels().Upsert(ctx, []*backoffice.Label{{ID: "turn", Name: "turn"}}); err != nil {
			return err
		}
		// A document that moves is taken from one list and added to another.
		had, err := backoffice.ReadByID(ctx, tx.Documents(), []string{id}, 0)
		if err != nil {
			return err
		}
		if document := had[id]; document != nil {
			done[step{of: document.CustomerID, value: "-" + id}] = ""
			if random.IntN(2) == 0 {
				_, err := tx.Documents().Delete(ctx, id)
				return err
			}
			customer = other
		}
		to := fmt.Sprint("customer-", customer)
		delete(done, step{of: to, value: "-" + id})
		done[step{of: to, value: id}] = ""
		return tx.Documents().Upsert(ctx, []*backoffice.CustomerDocument{{ID: id, Name: text, CustomerID: to, CreatedAt: 1}})
	})
	return done
}

// readSome reads labels, then a customer's documents, in one query.
func readSome(t *watch, store backoffice.Store, random *rand.Rand) map[step]string {
	label, customer := fmt.Sprint("label-", random.IntN(historyLabels)), fmt.Sprint("customer-", random.IntN(historyCustomers))
	list := backoffice.ListQuery[backoffice.DocumentCriteria]{Under: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}
	read := func(ctx context.Context) (map[step]string, error) {
		ctx, end := store.BeginSnapshot(ctx)
		defer end()
		labels, err := backoffice.ReadByID(ctx, store.Labels(), []string{label}, 0)
		if err != nil {
			return nil, err
		}
		pages, err := backoffice.ReadPages(ctx, store.Documents(), list, []string{customer}, 0)
		if err != nil {
			return nil, err
		}
		counts, err := backoffice.ReadCounts(ctx, store.Documents(), backoffice.OfCustomer, backoffice.DocumentCriteria{}, []string{customer})
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, document := range pages[customer].Items {
			ids = append(ids, document.ID)
			if document.CustomerID != customer {
				t.found("the list of %s has a document of %s", customer, document.CustomerID)
			}
		}
		if counts[customer] != len(ids) {
			t.found("%s has %d documents, and a total of %d", customer, len(ids), counts[customer])
		}
		colour := ""
		if row := labels[label]; row != nil {
			colour = string(row.Color)
		}
		return map[step]string{{of: label, reads: true}: colour, {of: customer, reads: true}: strings.Join(ids, " ")}, nil
	}
	request := backoffice.WithSession(t, "reader") // so that replicas may answer
	read1, err := read(request)
	if errors.Is(err, backoffice.ErrMoved) {
		read1, err = read(backoffice.WithoutMemory(request))
	}
	if err != nil {
		t.found("reading: %v (%v)", err, errors.Unwrap(err))
	}
	return read1
}

// clean makes what histories begin with: labels without a colour, customers without documents.
func clean(t *watch, store backoffice.Store) {
	write(t, store, func(ctx context.Context, tx backoffice.Tx) error {
		if _, err := tx.Documents().Delete(ctx, "document-0", "document-1", "document-2", "document-3"); err != nil {
			return err
		}
		var labels []*backoffice.Label
		for l := range historyLabels {
			labels = append(labels, colour(l, ""))
		}
		var customers []*backoffice.Customer
		for c := range historyCustomers {
			customers = append(customers, &backoffice.Customer{ID: fmt.Sprint("customer-", c), Type: backoffice.Company, DisplayName: "x", Version: 1})
		}
		if err := tx.Labels().Upsert(ctx, labels); err != nil {
			return err
		}
		return tx.Customers().Upsert(ctx, customers)
	})
}

func TestReadsThroughSeveralGatewaysAndAnImportAreLinearizable(t *testing.T) {
	t.Parallel()
	for place, openIn := range everywhere {
		for size, bytes := range map[string]int{"64 MiB": 64 << 20, "a few entries": aFew} {
			t.Run(place+" with "+size, func(t *testing.T) {
				t.Parallel()
				open := openIn(t)
				importer := open()
				gateways, sources := make([]backoffice.Store, historyGateways), make([]cache.Source, historyGateways)
				for i := range gateways {
					sources[i] = open()
					gateways[i] = before(t, sources[i], cache.Options{Bytes: bytes})
				}
				w := &watch{Context: t.Context(), found: t.Errorf}
				n := (*histories + 1) / 2
				for seed := range n {
					clean(w, importer)
					if !history(w, uint64(seed), gateways, importer) {
						t.Fatalf("history %d is not linearizable", seed)
					}
				}
				replica := ""
				if below, ok := sources[0].(*replicas); ok {
					answers, behind := below.answers.Load(), gauge(gateways[0], "cache_behind_total")
					replica = fmt.Sprintf("; the replica gave it %d answers, of which %d were asked of the primary again", answers, behind)
					if answers == 0 || behind == 0 {
						t.Error("the histories show nothing of replicas")
					}
				}
				t.Logf("%s, a cache of %s: %d histories of %d reads and writes are linearizable; one gateway had %d hits and %d misses, and began %d queries anew%s",
					place, size, n, w.steps, gauge(gateways[0], "cache_hits_total"), gauge(gateways[0], "cache_misses_total"), gauge(gateways[0], "cache_moved_total"), replica)
			})
		}
	}
}

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

func (l toldNoParents) BeginLook() (from int64, behind *store.Statement, heard func(ctx context.Context, entries []*backoffice.Change, err error)) {
	from, behind, hears := l.Listener.BeginLook()
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

// skipsLooks looks once, and says ever after that nothing has happened since.
type skipsLooks struct {
	cache.Source
	looked atomic.Bool
}

func (s *skipsLooks) Look(ctx context.Context) error {
	if s.looked.Swap(true) {
		return nil
	}
	return s.Source.Look(ctx)
}

// standsStill says that nobody has committed.
type standsStill struct{ store.Engine }

func (standsStill) DataVersion(context.Context) (int64, error) { return 1, nil }

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
	t.Parallel()
	for name, broken := range map[string]func(cache.Source) cache.Source{
		"forgets lists":  func(s cache.Source) cache.Source { return forgetsLists{s} },
		"skips the look": func(s cache.Source) cache.Source { return &skipsLooks{Source: s} },
		"takes the data for unchanged": func(s cache.Source) cache.Source {
			return through(s, func(e store.Engine) store.Engine { return standsStill{e} })
		},
		"admits old rows": func(s cache.Source) cache.Source {
			return &admitsOld{Source: s, told: map[*backoffice.Batch]func(){}}
		},
	} {
		for place, openIn := range places {
			t.Run(name+" on "+place, func(t *testing.T) {
				t.Parallel()
				findOut(t, name+", on "+place+",", openIn(t), broken)
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
