package loaders

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// A loader answers loads of one kind. Loads with equal G (a page's window, filter and order) are answered by one read;
// V is the answer for one key.
type loader[G comparable, V any] struct {
	known []*known[G, V]
	asked []*group[G, V] // in the current batch
}

// A reader queues the read of unknown keys, all different, and sets their answers in order. at returns the index of a
// key, -1 for any other text.
type reader[G comparable, V any] func(b *backoffice.Batch, by G, keys []string, want backoffice.Columns, answers []V,
	at func(string) int) backoffice.Queued

// load is one question of a resolver, the dataloader's key, with all of its keys: one costs as much as a thousand.
type load interface {
	// join adds the load to those that the same read answers; it returns them to the first load.
	join() loads
	finish() error
}

// loads are all loads of a batch that one read answers.
type loads interface {
	queue(*backoffice.Batch)
	// complete records the outcome of the read; err is the whole batch's.
	complete(err error)
}

// known is what this request has read of a group: the answers for asked keys, found or not.
type known[G comparable, V any] struct {
	by      G
	want    backoffice.Columns
	keys    *keyIndex // of the answers
	answers []V
}

type question[G comparable, V any] struct {
	of     *Loaders
	from   *loader[G, V]
	read   reader[G, V]
	by     G
	keys   []string
	want   backoffice.Columns
	group  *group[G, V]
	places []int32 // of the answers
	values []V
}

// group is the questions that one read answers.
type group[G comparable, V any] struct {
	from      *loader[G, V]
	by        G
	want      backoffice.Columns
	questions []*question[G, V]

	known *known[G, V]
	first int // of the answers from this read
	asked backoffice.Queued
	err   error
}

// all answers one question: a value for each key, in order, the zero value where there is none.
func (l *loader[G, V]) all(ctx context.Context, of *Loaders, read reader[G, V], by G, keys []string,
	want backoffice.Columns) ([]V, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	q := &question[G, V]{of: of, from: l, read: read, by: by, keys: keys, want: want}
	if err := of.ask(ctx, q); err != nil {
		return nil, err
	}
	return q.values, nil
}

func (q *question[G, V]) join() (first loads) {
	l := q.from
	at := slices.IndexFunc(l.asked, func(g *group[G, V]) bool { return g.by == q.by })
	if at < 0 {
		at = len(l.asked)
		l.asked = append(l.asked, &group[G, V]{from: l, by: q.by, want: q.want})
		first = l.asked[at]
	}
	q.group = l.asked[at]
	q.group.want = q.group.want.With(q.want)
	q.group.questions = append(q.group.questions, q)
	return first
}

func (g *group[G, V]) queue(b *backoffice.Batch) {
	of, read := g.questions[0].of, g.questions[0].read
	k := g.from.knownOf(of, g.by, g.want)
	g.known, g.first = k, len(k.answers)
	for _, q := range g.questions {
		q.places = make([]int32, len(q.keys))
		for i, key := range q.keys {
			q.places[i] = int32(k.keys.add(key))
		}
	}
	missing := k.keys.since(g.first)
	if len(missing) == 0 {
		return
	}
	k.answers = slices.Grow(k.answers, len(missing))[:g.first+len(missing)]
	answers := k.answers[g.first:]
	clear(answers)
	g.asked = read(b, g.by, missing, k.want, answers, func(key string) int { return max(k.keys.find(key)-g.first, -1) })
}

// knownOf returns what this request has of a group with the wanted columns, or starts anew.
func (l *loader[G, V]) knownOf(of *Loaders, by G, want backoffice.Columns) *known[G, V] {
	at := slices.IndexFunc(l.known, func(k *known[G, V]) bool { return k.by == by })
	if at >= 0 && l.known[at].want.Cover(want) {
		return l.known[at]
	}
	k := &known[G, V]{by: by, want: want, keys: of.borrowKeys()}
	if at >= 0 {
		l.known[at] = k
	} else {
		l.known = append(l.known, k)
	}
	return k
}

// complete forgets the keys of a read that failed.
func (g *group[G, V]) complete(err error) {
	if err == nil && g.asked != nil {
		err = g.asked.Err()
	}
	g.from.asked, g.err = nil, err
	if k := g.known; k != nil && err != nil {
		k.keys.cut(g.first)
		k.answers = k.answers[:g.first]
	}
}

func (q *question[G, V]) finish() error {
	if q.group.err != nil {
		return q.group.err
	}
	q.values = make([]V, len(q.keys))
	for i, place := range q.places {
		q.values[i] = q.group.known.answers[place]
	}
	return nil
}
