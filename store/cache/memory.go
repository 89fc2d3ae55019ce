package cache

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

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

// place is where something is kept. A change touches records, identifiers and the lists of parents; the place of a
// root question is made of its digest, and nothing touches it: it is good while its nouns are not changed.
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

// leastEntry is what a small entry takes. otter counts how often something is used only from when it knows how many
// entries there may be: without being told, from when it is half full, and what was used until then would go with the
// first walk.
const leastEntry = 256

func newMemory(bytes int) (*otter.Cache[place, *kept], error) {
	return otter.New(&otter.Options[place, *kept]{
		MaximumWeight:   uint64(bytes),
		InitialCapacity: bytes/leastEntry + 1,
		Weigher:         func(at place, e *kept) uint32 { return uint32(overhead + len(at.id) + e.bytes) },
	})
}

// row is what is known of a record as of a number of the log; nil is nothing, or not all that is wanted. Then have
// tells what more is worth reading with it.
func (s *Store) row(of view, id string, want backoffice.Columns, at int64) (e *kept, have backoffice.Columns) {
	e, ok := s.memory.GetIfPresent(place{aRow, of, id})
	if !ok || e.filled > at {
		return nil, want
	}
	if e.value != nil && !e.want.Cover(want) {
		return nil, e.want.With(want)
	}
	return e, 0
}

// seed is that of digests of root questions and of places.
var seed = maphash.MakeSeed()

// rootPlace is where the answer to a question about a parent is kept that depends on whole nouns.
func rootPlace(of view, parent string, question any) place {
	digest := maphash.Comparable(seed, question)
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

// keepAnswer keeps what recall finds, if it is let in; then make makes it.
func (s *Store) keepAnswer(of view, parent string, question any, depends nounSet, as moment, make func() (value any, bytes int)) {
	at := place{lists, of, parent}
	if depends != 0 {
		at = rootPlace(of, parent, question)
	}
	if !s.door.opens(at, false) {
		return
	}
	value, bytes := make()
	if depends == 0 {
		at.id = strings.Clone(parent) // which may be a piece of a block that was read, and would hold all of it
		s.keepList(at, answer{question: question, filled: as.at, bytes: bytes, value: value}, as)
		return
	}
	s.keep(as, &kept{place: at, filled: as.at, bytes: overhead + bytes, value: value, question: question, depends: depends})
}

// keepRow keeps a record, nil for none.
func (s *Store) keepRow(at place, want backoffice.Columns, value any, bytes int, as moment) {
	if e, ok := s.memory.GetIfPresent(at); ok && e.filled <= as.at && e.want.Cover(want) {
		return
	}
	s.keep(as, &kept{place: at, filled: as.at, bytes: bytes, want: want, value: value})
}

// keep keeps what was read as of a moment, unless it may be old by now.
func (s *Store) keep(as moment, e *kept) {
	s.log.whileStands(as, e.place, e.depends, func() { s.memory.Set(e.place, e) })
	s.noteRoom()
}

// keepList adds an answer to what is known of a parent's lists.
func (s *Store) keepList(at place, a answer, as moment) {
	s.log.whileStands(as, at, 0, func() {
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
	s.noteRoom()
}

// noteRoom looks now and then whether there is room left.
func (s *Store) noteRoom() {
	const often = 256
	if s.filled.Add(1)%often == 0 {
		s.door.full.Store(s.memory.WeightedSize() >= s.memory.GetMaximum()/8*7)
	}
}
