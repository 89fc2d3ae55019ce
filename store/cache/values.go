package cache

import (
	"context"
	"log/slog"
	"reflect"
	"strings"

	"example.org/backoffice/backoffice"
)

type valueRead[C comparable, V any] struct {
	of       *Store
	view     view
	rules    *rules[C]
	under    backoffice.Parent
	criteria C
	parents  []string
	into     []V
	question any
	anyOrder bool // as rules.depends has it
	ask      func(b *backoffice.Batch, parents []string, into []V) backoffice.Queued
	err      error

	known   []any // of each parent, nil for those that are missing
	missing []string
	indexes []int
	got     []V
	below   backoffice.Queued
	hits    int
}

func (r *valueRead[C, V]) Err() error { return r.err }

func (r *valueRead[C, V]) fail(err error) { r.err = err }

func (r *valueRead[C, V]) readMemory(p *attempt) {
	r.known, r.missing, r.indexes, r.got, r.below, r.hits = make([]any, len(r.parents)), nil, nil, nil, nil, 0
	if !r.rules.finds(r.criteria) {
		r.below = r.ask(p.idle, r.parents, r.into)
		return
	}
	keeps := r.rules.keeps(r.criteria)
	if !keeps {
		p.trace.end()
	}
	question, depends := p.within.question(r.question), r.depends(p)
	for i, parent := range r.parents {
		if r.under != backoffice.Root && !backoffice.IsID(parent) {
			continue
		}
		if p.memory && keeps {
			if a, ok := p.recall(r.view, parent, question, depends); ok {
				r.known[i] = a
				r.hits++
				if !r.of.check {
					continue
				}
			}
		}
		r.missing, r.indexes = append(r.missing, parent), append(r.indexes, i)
	}
	if len(r.missing) > 0 {
		p.needed = true
		r.got = make([]V, len(r.missing))
		r.below = r.ask(p.batch, r.missing, r.got)
	}
}

func (r *valueRead[C, V]) complete(p *attempt) {
	if r.below != nil {
		if r.err = r.below.Err(); r.err != nil {
			return
		}
	}
	r.of.hits.Add(int64(r.hits))
	r.of.misses.Add(int64(len(r.missing)))
	for i, a := range r.known {
		if a != nil {
			r.into[i] = a.(V)
		}
	}
	question, depends := p.within.question(r.question), r.depends(p)
	bytes, keeps := totalBytes, len(r.missing) > 0 && r.rules.keeps(r.criteria)
	if keeps {
		bytes += sizeOf(r.question)
		keeps = bytes <= mostQuestion
	}
	for i, parent := range r.missing {
		if known := r.known[r.indexes[i]]; known != nil && p.sound {
			r.of.compareAnswer(r.view, parent, known, r.got[i])
		}
		r.into[r.indexes[i]] = r.got[i]
		if keeps {
			r.of.keepAnswer(r.view, parent, question, depends, p.readAt,
				func() (any, int) { return r.got[i], bytes })
		}
	}
}

func (r *valueRead[C, V]) depends(p *attempt) nounSet {
	return p.within.depends(r.rules.depends(r.under, r.criteria, backoffice.KeyID, r.anyOrder), r.rules.noun)
}

const totalBytes = 64

type nounRead struct {
	of   *Store
	ids  []string
	into []backoffice.Noun
	err  error

	missing []string
	indexes []int
	known   []backoffice.Noun
	got     []backoffice.Noun
	below   backoffice.Queued
}

func (s *Store) Nouns(b *backoffice.Batch, ids []string, into []backoffice.Noun) backoffice.Queued {
	return b.Queue(&nounRead{of: s, ids: ids, into: into})
}

func (r *nounRead) Err() error { return r.err }

func (r *nounRead) fail(err error) { r.err = err }

func (r *nounRead) readMemory(p *attempt) {
	r.missing, r.indexes, r.known, r.below = nil, nil, make([]backoffice.Noun, len(r.ids)), nil
	for i, id := range r.ids {
		if !backoffice.IsID(id) {
			continue
		}
		if p.memory && !p.within.isSet() { // a restricted caller sees another noun, or none
			if e, ok := r.of.memory.GetIfPresent(key{kind: aNoun, id: id}); ok && e.filled <= p.as.at {
				p.take(e)
				r.known[i] = e.value.(backoffice.Noun)
				if !r.of.check {
					continue
				}
			}
		}
		r.missing, r.indexes = append(r.missing, id), append(r.indexes, i)
	}
	if len(r.missing) > 0 {
		p.needed = true
		r.got = make([]backoffice.Noun, len(r.missing))
		r.below = r.of.Source.Nouns(p.batch, r.missing, r.got)
	}
}

func (r *nounRead) complete(p *attempt) {
	if r.below != nil {
		if r.err = r.below.Err(); r.err != nil {
			return
		}
	}
	copy(r.into, r.known)
	for i, id := range r.missing {
		if known := r.known[r.indexes[i]]; known != "" && p.sound {
			r.of.compareAnswer(0, id, known, r.got[i])
		}
		r.into[r.indexes[i]] = r.got[i]
		// An entry of the register is in no change log, so neither it nor its absence is cached.
		if r.got[i].Index() >= 0 && !p.within.isSet() {
			if at := (key{kind: aNoun, id: id}); r.of.admission.admit(at, p.once) {
				at.id = strings.Clone(id)
				r.of.keep(p.readAt, &entry{key: at, filled: p.readAt.at, value: r.got[i]})
			}
		}
	}
}

// compareRow counts a cached record that differs from the store's.
func (s *Store) compareRow(of view, id string, e *entry, row any, there bool, want backoffice.Columns) {
	switch {
	case (e.value != nil) != there:
	case !there || e.want != want || reflect.DeepEqual(e.value, row):
		return
	}
	s.differ(of, id)
}

func (s *Store) compareAnswer(of view, id string, known, read any) {
	if !reflect.DeepEqual(known, read) {
		s.differ(of, id)
	}
}

func (s *Store) differ(of view, id string) {
	s.differences.Add(1)
	s.logger.LogAttrs(context.Background(), slog.LevelError, "the cached answer differs from the store's",
		slog.Int("view", int(of)), slog.String("id", id))
}
