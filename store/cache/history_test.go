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
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/cache"
	"example.org/backoffice/store/storetest"
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

// history has callers write and read through several gateways, and an import beside them. open opens one more store
// over the same data. Moments that are mixed within one query fail the test here; it returns whether the rest is
// linearizable.
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
	list := backoffice.ListQuery[backoffice.DocumentCriteria]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: 10}}
	read := func(ctx context.Context) (map[step]string, error) {
		ctx, end := backoffice.BeginSnapshot(ctx, store)
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
	request := storetest.WithSessionOf(t, &backoffice.Principal{ClientID: "reader"}) // so that replicas may answer
	read1, err := read(request)
	if errors.Is(err, backoffice.ErrSnapshotChanged) {
		read1, err = read(backoffice.ForRetry(request))
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
	for engine, openIn := range everywhere {
		for size, bytes := range map[string]int{"64 MiB": 64 << 20, "a few entries": aFew} {
			t.Run(engine+" with "+size, func(t *testing.T) {
				t.Parallel()
				open := openIn(t)
				importer := open()
				gateways, sources := make([]backoffice.Store, historyGateways), make([]cache.Source, historyGateways)
				for i := range gateways {
					sources[i] = open()
					gateways[i] = before(t, sources[i], cache.Options{Bytes: bytes})
				}
				w := &watch{Context: t.Context(), found: t.Errorf}
				defer gateways[0].(*cache.Store).EndEarly()() // whose queries read in several trips, each of its own version
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
					engine, size, n, w.steps, gauge(gateways[0], "cache_hits_total"), gauge(gateways[0], "cache_misses_total"), gauge(gateways[0], "cache_moved_total"), replica)
			})
		}
	}
}
