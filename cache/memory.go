package cache

import (
	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
)

// kind tells places apart.
type kind uint8

const (
	aRow  kind = iota + 1
	lists      // all that is known of what hangs on one parent
	aRoot      // one question whose answer depends on whole nouns
	aNoun      // of which noun an identifier is
)

// view is a noun as a reader shows it. Customers have two, with registration numbers and without.
type view uint8

// place is what a change touches: a record, the lists of a parent.
type place struct {
	kind kind
	of   view
	id   string
}

// key is where something is kept.
type key struct {
	place
	question any // of a root question; else nil
}

// kept is what is known of a place. It is never changed once it is kept.
type kept struct {
	filled  int64 // the number of the log as of which it was read
	bytes   int
	want    backoffice.Columns // of a row
	value   any                // a row, nil for none; the answer to a root question; a noun
	answers []answer           // about the lists of a parent
}

// answer is what is known of one list of a parent: a page, a total, or totals by status.
type answer struct {
	question any
	filled   int64
	bytes    int
	value    any
}

// overhead is what an entry takes beside its texts: its key, its place in the maps, what otter notes of it.
const overhead = 160

// mostAnswers is how many questions about the lists of one parent are kept. A caller chooses page sizes and filters.
const mostAnswers = 24

func newMemory(bytes int) (*otter.Cache[key, *kept], error) {
	return otter.New(&otter.Options[key, *kept]{
		MaximumWeight: uint64(bytes),
		Weigher:       func(k key, e *kept) uint32 { return uint32(overhead + len(k.id) + e.bytes) },
	})
}

// row is what is known of a record as of a number of the log; nil is nothing, or not all that is wanted. Then have tells
// what more is worth reading with it.
func (s *Store) row(of view, id string, want backoffice.Columns, at int64) (e *kept, have backoffice.Columns) {
	e, ok := s.memory.GetIfPresent(key{place: place{aRow, of, id}})
	if !ok || e.filled > at {
		return nil, want
	}
	if e.value != nil && !covers(e.want, want) {
		return nil, union(e.want, want)
	}
	return e, 0
}

// list is what is known of one list of a parent.
func (s *Store) list(of view, parent string, question any, at int64) (a answer, ok bool) {
	e, ok := s.memory.GetIfPresent(key{place: place{lists, of, parent}})
	if !ok {
		return a, false
	}
	for _, a := range e.answers {
		if a.question == question && a.filled <= at {
			return a, true
		}
	}
	return a, false
}

// root is what is known of a question that depends on whole nouns.
func (s *Store) root(of view, parent string, question any, depends nounSet, at int64) (a answer, ok bool) {
	e, ok := s.memory.GetIfPresent(key{place{aRoot, of, parent}, question})
	if !ok || e.filled > at || s.log.changedSince(depends, e.filled) {
		return a, false
	}
	return answer{question, e.filled, e.bytes, e.value}, true
}

// recall is what is known of a question about a parent: one of its lists, or an answer that depends on whole nouns.
func (p *pass) recall(of view, parent string, question any, depends nounSet) (a answer, ok bool) {
	kind := lists
	if depends == 0 {
		a, ok = p.of.list(of, parent, question, p.as.at)
	} else {
		kind = aRoot
		a, ok = p.of.root(of, parent, question, depends, p.as.at)
	}
	if ok {
		p.take(place{kind, of, parent}, a.filled, depends)
	}
	return a, ok
}

// keepAnswer keeps what recall finds.
func (s *Store) keepAnswer(of view, parent string, a answer, depends nounSet, as moment) {
	if depends == 0 {
		s.keepList(of, parent, a, as)
	} else {
		s.keepRoot(of, parent, a, depends, as)
	}
}

// keepRow keeps a record as of a number of the log, nil for none, if it can't be old.
func (s *Store) keepRow(of view, id string, want backoffice.Columns, value any, bytes int, as moment) {
	p := place{aRow, of, id}
	s.keep(as, p, 0, func() {
		if e, ok := s.memory.GetIfPresent(key{place: p}); ok && covers(e.want, want) {
			return
		}
		s.memory.Set(key{place: p}, &kept{filled: as.at, bytes: bytes, want: want, value: value})
	})
}

// keepNoun keeps of which noun an identifier is.
func (s *Store) keepNoun(id string, noun backoffice.Noun, as moment) {
	p := place{kind: aNoun, id: id}
	s.keep(as, p, 0, func() { s.memory.Set(key{place: p}, &kept{filled: as.at, value: noun}) })
}

// keepList adds an answer to what is known of a parent's lists.
func (s *Store) keepList(of view, parent string, a answer, as moment) {
	p := place{lists, of, parent}
	a.filled = as.at
	s.keep(as, p, 0, func() {
		s.memory.Compute(key{place: p}, func(e *kept, there bool) (*kept, otter.ComputeOp) {
			next := &kept{filled: a.filled, answers: []answer{a}, bytes: overhead + a.bytes}
			if there {
				for _, known := range e.answers {
					if known.question == a.question {
						return e, otter.CancelOp
					}
					if len(next.answers) < mostAnswers {
						next.answers, next.bytes = append(next.answers, known), next.bytes+overhead+known.bytes
					}
				}
			}
			return next, otter.WriteOp
		})
	})
}

// keepRoot keeps the answer to a question that depends on whole nouns.
func (s *Store) keepRoot(of view, parent string, a answer, depends nounSet, as moment) {
	p := place{aRoot, of, parent}
	s.keep(as, p, depends, func() {
		s.memory.Set(key{p, a.question}, &kept{filled: as.at, bytes: overhead + a.bytes, value: a.value})
	})
}

// union and covers know that no columns stand for all.
func union(a, b backoffice.Columns) backoffice.Columns {
	if a == 0 || b == 0 {
		return 0
	}
	return a | b
}

func covers(have, want backoffice.Columns) bool { return have == 0 || (want != 0 && want&^have == 0) }
