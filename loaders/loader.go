package loaders

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/graph-gophers/dataloader/v7"

	"example.org/backoffice/backoffice"
)

// A loader answers asks of one kind. G is what asks must share to travel as one statement (a page's window, filter and
// order); V is the answer for one key.
//
// The dataloader's key is a whole ask, with its list of keys, not a row: it costs the same for one key as for a
// thousand.
type loader[G comparable, V any] struct {
	of   *Loaders
	from source[G, V]
	work atomic.Pointer[work[G, V]] // nil before the first ask: a request uses few of its loaders
}

// work is what a loader has to do and has done.
type work[G comparable, V any] struct {
	*loader[G, V]
	queue *dataloader.Loader[*ask[G], []V]

	mu     sync.Mutex
	asked  []G // the groups that wait for the next flush, each once
	places []backoffice.Party
	known  []*known[G, V]
}

// begun is the loader's work, begun if need be.
func (l *loader[G, V]) begun() *work[G, V] {
	if w := l.work.Load(); w != nil {
		return w
	}
	w := &work[G, V]{loader: l}
	w.queue = dataloader.NewBatchedLoader(w.batch,
		dataloader.WithCache(&dataloader.NoCache[*ask[G], []V]{}),
		dataloader.WithInputCapacity[*ask[G], []V](8),
		dataloader.WithWait[*ask[G], []V](l.of.wait))
	if l.work.CompareAndSwap(nil, w) {
		return w
	}
	return l.work.Load()
}

// A source reads what a loader has not yet: it sets the answers of the keys, all different, in their order. at finds the
// place of a key among them, -1 for any other text.
type source[G comparable, V any] interface {
	fetch(ctx context.Context, group G, keys []string, want backoffice.Columns, answers []V, at func(string) int) error
}

// An ask is one call of a resolver.
type ask[G comparable] struct {
	group G
	keys  []string
	want  backoffice.Columns
	alone bool // nothing else is read for the request
}

// known is what this request has already read of a group: the answers for asked keys, found or not.
type known[G comparable, V any] struct {
	group   G
	mu      sync.Mutex
	want    backoffice.Columns
	places  *places // of the answers
	answers []V
}

// all answers one ask: as many values as keys, in their order, the zero value where there is nothing.
func (l *loader[G, V]) all(ctx context.Context, group G, keys []string, want backoffice.Columns) ([]V, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	alone, err := isAlone(ctx)
	if err != nil {
		return nil, err
	}
	l.of.waiting.Add(1)
	defer l.of.waiting.Add(-1)
	w := l.begun()
	w.mu.Lock()
	if !slices.Contains(w.asked, group) {
		w.asked = append(w.asked, group)
	}
	w.mu.Unlock()
	answer := w.queue.Load(ctx, &ask[G]{group, keys, want, alone})
	wait(ctx, w)
	return answer()
}

// waiting counts the statements that a flush may take.
func (w *work[G, V]) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// flush reads what was asked. places, when given, are as many as waiting has counted.
func (w *work[G, V]) flush(places []backoffice.Party) {
	w.mu.Lock()
	w.places = places
	w.mu.Unlock()
	w.queue.Flush()
}

// batch is the dataloader's batch function: it merges the asks, reads each group once and hands out the answers.
func (w *work[G, V]) batch(_ context.Context, asks []*ask[G]) []*dataloader.Result[[]V] {
	w.mu.Lock()
	places := w.places
	w.asked, w.places = nil, nil
	w.mu.Unlock()

	var groups [][]int // places in asks
	for i, a := range asks {
		at := slices.IndexFunc(groups, func(members []int) bool { return asks[members[0]].group == a.group })
		if at < 0 {
			groups = append(groups, []int{i})
		} else {
			groups[at] = append(groups[at], i)
		}
	}
	results := make([]*dataloader.Result[[]V], len(asks))
	read := func(members []int, place backoffice.Party) {
		defer place.Leave()
		w.read(place.Context, asks, members, results)
	}
	var others sync.WaitGroup
	for i, members := range groups {
		place := backoffice.Party{Context: w.of.ctx, Leave: func() {}}
		if asks[members[0]].alone {
			place.Context = w.of.alone
		}
		if i < len(places) {
			place = places[i]
		}
		if i == len(groups)-1 {
			read(members, place)
			break
		}
		others.Go(func() { read(members, place) })
	}
	for i := len(groups); i < len(places); i++ {
		places[i].Leave()
	}
	others.Wait()
	return results
}

// read answers the asks of one group.
func (w *work[G, V]) read(ctx context.Context, asks []*ask[G], members []int, results []*dataloader.Result[[]V]) {
	group, want := asks[members[0]].group, asks[members[0]].want
	for _, i := range members[1:] {
		want = union(want, asks[i].want)
	}
	have := w.knownOf(group, want)
	have.mu.Lock() // under a timer two batches of a group may overlap
	defer have.mu.Unlock()

	total := 0
	for _, i := range members {
		total += len(asks[i].keys)
	}
	places := make([]int32, 0, total) // of the answers, ask by ask
	for _, i := range members {
		for _, key := range asks[i].keys {
			places = append(places, int32(have.places.of(key)))
		}
	}
	if err := w.complete(ctx, have); err != nil {
		for _, i := range members {
			results[i] = &dataloader.Result[[]V]{Error: err}
		}
		return
	}
	for _, i := range members {
		values := make([]V, len(asks[i].keys))
		for at := range values {
			values[at] = have.answers[places[at]]
		}
		places = places[len(values):]
		results[i] = &dataloader.Result[[]V]{Data: values}
	}
}

// knownOf is what this request has of a group with the wanted columns, or a new start.
func (w *work[G, V]) knownOf(group G, want backoffice.Columns) *known[G, V] {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.IndexFunc(w.known, func(have *known[G, V]) bool { return have.group == group })
	if at >= 0 && covers(w.known[at].want, want) {
		return w.known[at]
	}
	have := &known[G, V]{group: group, want: want, places: w.of.borrowPlaces()}
	if at >= 0 {
		w.known[at] = have
	} else {
		w.known = append(w.known, have)
	}
	return have
}

// complete reads what has a place and no answer yet. A panic below is an error of this batch alone, and an error leaves
// nothing behind.
func (w *work[G, V]) complete(ctx context.Context, have *known[G, V]) (err error) {
	first := len(have.answers)
	missing := have.places.since(first)
	if len(missing) == 0 {
		return nil
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = backoffice.Fault(panicked(fault), "loading a batch")
		}
		if err != nil {
			have.places.cut(first)
			have.answers = have.answers[:first]
		}
	}()
	have.answers = slices.Grow(have.answers, len(missing))[:first+len(missing)]
	answers := have.answers[first:]
	clear(answers)
	return w.from.fetch(ctx, have.group, missing, have.want, answers, func(key string) int {
		return max(have.places.known(key)-first, -1)
	})
}

// forget drops what was read, after a write.
func (l *loader[G, V]) forget() {
	if w := l.work.Load(); w != nil {
		w.mu.Lock()
		w.known = nil
		w.mu.Unlock()
	}
}

// union and covers know that no columns stand for all.
func union(a, b backoffice.Columns) backoffice.Columns {
	if a == 0 || b == 0 {
		return 0
	}
	return a | b
}

func covers(have, want backoffice.Columns) bool { return have == 0 || (want != 0 && want&^have == 0) }
