package cache

import (
	"encoding/binary"
	"hash/maphash"
	"strings"

	"github.com/maypok86/otter/v2"

	"example.org/backoffice/backoffice"
)

type kind uint8

const (
	aRow  kind = iota + 1
	lists      // everything known of the lists of one parent
	aRoot      // one query whose answer depends on whole nouns
	aNoun      // the noun of an identifier
)

// view is a noun as a reader returns it. Customers have two, with registration numbers and without.
type view uint8

// key is the key of a cache entry. A change evicts records, identifiers and the lists of parents; the key of a root
// query is made of its digest, and nothing evicts it: it is valid while its nouns are not changed.
type key struct {
	kind kind
	of   view
	id   string
}

// entry is a cache entry. It is immutable.
type entry struct {
	key
	filled   int64 // the number of the log at which it was read; of lists, of the latest
	bytes    int
	want     backoffice.Columns // of a row
	value    any                // a row, nil for none; the answer to a root query; a noun
	question any                // of a root query
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

// overhead is what an entry takes in addition to its texts: its key, its place in the maps, otter's data.
const overhead = 160

// mostAnswers is how many queries about the lists of one parent are cached. Clients choose page sizes and filters.
const mostAnswers = 24

// leastEntry is the size of a small entry. otter counts uses only once it knows how many entries may fit: unless set,
// that is when it is half full, and entries used until then would be evicted by the first walk.
const leastEntry = 256

func newMemory(bytes int) (*otter.Cache[key, *entry], error) {
	return otter.New(&otter.Options[key, *entry]{
		MaximumWeight:   uint64(bytes),
		InitialCapacity: bytes/leastEntry + 1,
		Weigher:         func(at key, e *entry) uint32 { return uint32(overhead + len(at.id) + e.bytes) },
	})
}

// row is what is known of a record at a number of the log; nil unless all is known. Then have is worth reading, too.
func (s *Store) row(of view, id string, want backoffice.Columns, at int64) (e *entry, have backoffice.Columns) {
	e, ok := s.memory.GetIfPresent(key{aRow, of, id})
	if !ok || e.filled > at {
		return nil, want
	}
	if e.value != nil && !e.want.Cover(want) {
		return nil, e.want.With(want)
	}
	return e, 0
}

var seed = maphash.MakeSeed()

// rootKey is the key of the answer to a query about a parent that depends on whole nouns.
func rootKey(of view, parent string, question any) key {
	digest := maphash.Comparable(seed, question)
	return key{aRoot, of, string(binary.LittleEndian.AppendUint64(nil, digest)) + parent}
}

// recall is what is known of a query about a parent: one of its lists, or an answer that depends on whole nouns.
func (p *attempt) recall(of view, parent string, question any, depends nounSet) (value any, ok bool) {
	if depends != 0 {
		e, ok := p.of.memory.GetIfPresent(rootKey(of, parent, question))
		if !ok || e.question != question || e.filled > p.as.at || p.of.log.changedSince(depends, e.filled) {
			return nil, false
		}
		p.take(e)
		return e.value, true
	}
	e, ok := p.of.memory.GetIfPresent(key{lists, of, parent})
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

// keepAnswer caches what recall finds, if it is admitted; only then it calls make.
func (s *Store) keepAnswer(of view, parent string, question any, depends nounSet, as version,
	make func() (value any, bytes int)) {
	at := key{lists, of, parent}
	if depends != 0 {
		at = rootKey(of, parent, question)
	}
	if !s.admission.admit(at, false) {
		return
	}
	value, bytes := make()
	if depends == 0 {
		// The parent may be a part of a block that was read, and would keep all of it in memory.
		at.id = strings.Clone(parent)
		s.keepList(at, answer{question: question, filled: as.at, bytes: bytes, value: value}, as)
		return
	}
	bytes += overhead
	s.keep(as, &entry{key: at, filled: as.at, bytes: bytes, value: value, question: question, depends: depends})
}

func (s *Store) keepRow(at key, want backoffice.Columns, value any, bytes int, as version) {
	s.keep(as, &entry{key: at, filled: as.at, bytes: bytes, want: want, value: value})
}

// keep caches what was read at a version, unless it may be stale by now.
func (s *Store) keep(as version, e *entry) {
	s.log.whileValid(as, e.key, e.depends, func() { s.memory.Set(e.key, e) })
	s.noteRoom()
}

// keepList adds an answer to what is known of a parent's lists.
func (s *Store) keepList(at key, a answer, as version) {
	s.log.whileValid(as, at, 0, func() {
		s.memory.Compute(at, func(e *entry, there bool) (*entry, otter.ComputeOp) {
			next := &entry{key: at, filled: a.filled, answers: []answer{a}, bytes: overhead + a.bytes}
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

// noteRoom checks now and then whether there is room left.
func (s *Store) noteRoom() {
	const often = 256
	if s.filled.Add(1)%often == 0 {
		s.admission.full.Store(s.memory.WeightedSize() >= s.memory.GetMaximum()/8*7)
	}
}
