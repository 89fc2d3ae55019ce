package cache

import (
	"encoding/binary"
	"hash/maphash"

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

// place is where something is kept. A change touches records, identifiers and the lists of parents; the place of a root question
// is made of its digest, and nothing touches it: it is good while its nouns are not changed.
type place struct {
	kind kind
	of   view
	id   string
}

// kept is what is known of a place. It is never changed once it is kept.
type kept struct {
	place
	filled   int64 // the number of the log as of which it was read; of lists, as of which the latest was
	bytes    int
	want     backoffice.Columns // of a row
	value    any                // a row, nil for none; the answer to a root question; a noun
	question any                // of a root question
	depends  nounSet            // likewise
	answers  []answer           // about the lists of a parent
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

// leastEntry is what a small entry takes. otter counts how often something is used only from when it knows how many entries
// there may be: without being told, from when it is half full, and what was used until then would go with the first walk.
const leastEntry = 256

func newMemory(bytes int) (*otter.Cache[place, *kept], error) {
	return otter.New(&otter.Options[place, *kept]{
		MaximumWeight:   uint64(bytes),
		InitialCapacity: bytes/leastEntry + 1,
		Weigher:         func(at place, e *kept) uint32 { return uint32(overhead + len(at.id) + e.bytes) },
	})
}

// row is what is known of a record as of a number of the log; nil is nothing, or not all that is wanted. Then have tells
// what more is worth reading with it.
func (s *Store) row(of view, id string, want backoffice.Columns, at int64) (e *kept, have backoffice.Columns) {
	e, ok := s.memory.GetIfPresent(place{aRow, of, id})
	if !ok || e.filled > at {
		return nil, want
	}
	if e.value != nil && !covers(e.want, want) {
		return nil, union(e.want, want)
	}
	return e, 0
}

// rootSeed makes digests of root questions.
var rootSeed = maphash.MakeSeed()

// rootPlace is where the answer to a question about a parent is kept that depends on whole nouns.
func rootPlace(of view, parent string, question any) place {
	digest := maphash.Comparable(rootSeed, question)
	return place{aRoot, of, string(binary.LittleEndian.AppendUint64(nil, digest)) + parent}
}

// recall is what is known of a question about a parent: one of its lists, or an answer that depends on whole nouns.
func (p *pass) recall(of view, parent string, question any, depends nounSet) (value any, ok bool) {
	if depends != 0 {
		e, ok := p.of.memory.GetIfPresent(rootPlace(of, parent, question))
		if !ok || e.question != question || e.filled > p.as.at || p.of.log.changedSince(depends, e.filled) {
			return nil, false
		}
		p.take(e)
		return e.value, true
	}
	e, ok := p.of.memory.GetIfPresent(place{lists, of, parent})
	if !ok {
		return nil, false
	}
	for i := range e.answers {
		if a := &e.answers[i]; a.question == question && a.filled <= p.as.at {
			p.take(e)
			return a.value, true
		}
	}
	return nil, false
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
	at := place{aRow, of, id}
	s.keep(as, at, 0, func() {
		if e, ok := s.memory.GetIfPresent(at); ok && covers(e.want, want) {
			return
		}
		s.memory.Set(at, &kept{place: at, filled: as.at, bytes: bytes, want: want, value: value})
	})
}

// keepNoun keeps of which noun an identifier is.
func (s *Store) keepNoun(id string, noun backoffice.Noun, as moment) {
	at := place{kind: aNoun, id: id}
	s.keep(as, at, 0, func() { s.memory.Set(at, &kept{place: at, filled: as.at, value: noun}) })
}

// keepList adds an answer to what is known of a parent's lists.
func (s *Store) keepList(of view, parent string, a answer, as moment) {
	at := place{lists, of, parent}
	a.filled = as.at
	s.keep(as, at, 0, func() {
		s.memory.Compute(at, func(e *kept, there bool) (*kept, otter.ComputeOp) {
			next := &kept{place: at, filled: a.filled, answers: []answer{a}, bytes: overhead + a.bytes}
			if there {
				next.filled = max(next.filled, e.filled)
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
	at := rootPlace(of, parent, a.question)
	s.keep(as, at, depends, func() {
		s.memory.Set(at, &kept{place: at, filled: as.at, bytes: overhead + a.bytes, value: a.value, question: a.question, depends: depends})
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
