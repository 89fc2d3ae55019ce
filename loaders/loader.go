package loaders

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/graph-gophers/dataloader/v7"

	"example.org/backoffice/backoffice"
)

// A loader answers asks of one kind. G is what asks must share to travel as one statement (a page's window, filter and
// order); V is the answer for one key.
//
// The dataloader's key is a whole ask, with its list of keys, not a row: it costs the same for one key as for a
// thousand.
type loader[G comparable, V any] struct {
	of    *Loaders
	fetch func(ctx context.Context, group G, keys []string, want backoffice.Columns) (map[string]V, error)

	once   sync.Once
	queue  *dataloader.Loader[*ask[G], []V]
	mu     sync.Mutex
	asked  []G // the groups that wait for the next flush, each once
	places []backoffice.Party
	known  map[G]*known[V]
}

// An ask is one call of a resolver.
type ask[G comparable] struct {
	group G
	keys  []string
	want  backoffice.Columns
}

// known is what this request has already read of a group: the answers for asked keys, found or not.
type known[V any] struct {
	mu      sync.Mutex
	want    backoffice.Columns
	answers map[string]V
	asked   map[string]bool
}

// all answers one ask: as many values as keys, in their order, the zero value where there is nothing.
func (l *loader[G, V]) all(ctx context.Context, group G, keys []string, want backoffice.Columns) ([]V, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	l.once.Do(func() {
		l.queue = dataloader.NewBatchedLoader(l.batch,
			dataloader.WithCache(&dataloader.NoCache[*ask[G], []V]{}),
			dataloader.WithInputCapacity[*ask[G], []V](8),
			dataloader.WithWait[*ask[G], []V](l.of.wait))
	})
	l.mu.Lock()
	if !slices.Contains(l.asked, group) {
		l.asked = append(l.asked, group)
	}
	l.mu.Unlock()
	answer := l.queue.Load(ctx, &ask[G]{group, keys, want})
	wait(ctx, l)
	return answer()
}

// waiting counts the statements that a flush may take.
func (l *loader[G, V]) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asked)
}

// flush reads what was asked. places, when given, are as many as waiting has counted.
func (l *loader[G, V]) flush(places []backoffice.Party) {
	l.mu.Lock()
	l.places = places
	l.mu.Unlock()
	l.queue.Flush()
}

// batch is the dataloader's batch function: it merges the asks, reads each group once and hands out the answers.
func (l *loader[G, V]) batch(_ context.Context, asks []*ask[G]) []*dataloader.Result[[]V] {
	l.mu.Lock()
	places := l.places
	l.asked, l.places = nil, nil
	l.mu.Unlock()

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
		l.read(place.Context, asks, members, results)
	}
	var others sync.WaitGroup
	for i, members := range groups {
		place := backoffice.Party{Context: l.of.ctx, Leave: func() {}}
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
func (l *loader[G, V]) read(ctx context.Context, asks []*ask[G], members []int, results []*dataloader.Result[[]V]) {
	group, want := asks[members[0]].group, asks[members[0]].want
	for _, i := range members[1:] {
		want = union(want, asks[i].want)
	}
	have := l.knownOf(group, want)
	have.mu.Lock() // under a timer two batches of a group may overlap
	defer have.mu.Unlock()
	err := l.complete(ctx, group, have, asks, members)
	for _, i := range members {
		if err != nil {
			results[i] = &dataloader.Result[[]V]{Error: err}
			continue
		}
		values := make([]V, len(asks[i].keys))
		for at, key := range asks[i].keys {
			values[at] = have.answers[key]
		}
		results[i] = &dataloader.Result[[]V]{Data: values}
	}
}

// knownOf is what this request has of a group with the wanted columns, or a new start.
func (l *loader[G, V]) knownOf(group G, want backoffice.Columns) *known[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	have := l.known[group]
	if have == nil || !covers(have.want, want) {
		if l.known == nil {
			l.known = map[G]*known[V]{}
		}
		have = &known[V]{want: want, asked: map[string]bool{}}
		l.known[group] = have
	}
	return have
}

// complete reads what is asked and not yet known. A panic below is an error of this batch alone, and an error leaves
// nothing behind.
func (l *loader[G, V]) complete(ctx context.Context, group G, have *known[V], asks []*ask[G], members []int) (err error) {
	var missing []string
	for _, i := range members {
		previous := ""
		for at, key := range asks[i].keys {
			if (at > 0 && key == previous) || have.asked[key] {
				continue
			}
			have.asked[key], previous = true, key
			missing = append(missing, key)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = backoffice.Fault(panicked(fault), "loading a batch")
		}
		if err != nil {
			for _, key := range missing {
				delete(have.asked, key)
			}
		}
	}()
	found, err := l.fetch(ctx, group, missing, have.want)
	switch {
	case err != nil:
		return err
	case have.answers == nil:
		have.answers = found
	default:
		maps.Copy(have.answers, found)
	}
	return nil
}

// forget drops what was read, after a write.
func (l *loader[G, V]) forget() {
	l.mu.Lock()
	l.known = nil
	l.mu.Unlock()
}

// union and covers know that no columns stand for all.
func union(a, b backoffice.Columns) backoffice.Columns {
	if a == 0 || b == 0 {
		return 0
	}
	return a | b
}

func covers(have, want backoffice.Columns) bool { return have == 0 || (want != 0 && want&^have == 0) }
