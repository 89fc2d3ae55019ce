package cache

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// version is a number of the change log in one history. A new history begins when what was known of the log is
// not in it, or when too much happened at once to know what is still valid.
type version struct{ history, at int64 }

// log is what is known of the change log: how far it has come, and what was changed lately.
type log struct {
	mu      sync.RWMutex
	known   bool
	now     version
	last    backoffice.Change // the one with the number now.at
	from    int64             // everything changed after this number is in touched
	touched map[key]int64     // the last number that changed a key
	marks   map[int64]uint64  // of the entries from that number on
	whole   int64             // nothing is dropped as a whole after this number
	clock   [slots]int64      // the last number that changed a key of each slot
	// changed has for each number of a nounSet the last number of the log that counts.
	changed [2 * members]atomic.Int64
}

// mostTouched is how many keys are remembered. What was read before the oldest of them is not cached, and what a query
// has used since then can't be proved valid any more.
const mostTouched = 1 << 15

// next is from which number to read the log: it includes the last known entry, to compare it.
func (l *log) next() (from int64, limit int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.known {
		return 0, 1
	}
	return max(l.now.at, 1), store.MostNew + 1
}

func (l *log) position() version {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.now
}

// advance processes the answer to next: entries, newest first. from is the number from which the primary was asked, so
// that a lower entry is of another history; 0 is for an answer of any server. It returns the version of the answer;
// behind reports that more of the log is known already.
func (s *Store) advance(entries []*backoffice.Change, from int64) (as version, behind bool) {
	l := &s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	var newest backoffice.Change
	if len(entries) > 0 {
		newest = *entries[0]
	}
	known := l.now.at
	switch {
	case !l.known:
		s.dropAll(newest)
	case from <= newest.Sequence && newest.Sequence < known:
		return version{l.now.history, newest.Sequence}, true
	case newest.Sequence < known, !l.continues(entries):
		s.dropAll(newest)
	default:
		for _, e := range slices.Backward(entries) {
			if e.Sequence <= known {
				continue
			}
			if l.marks[e.Sequence] = markOf(e); !s.touch(e) {
				s.dropAll(newest)
				break
			}
		}
		l.now.at, l.last = newest.Sequence, newest
		if len(l.touched) > mostTouched || len(l.marks) > mostTouched {
			l.rememberFrom(&newest)
		}
	}
	return l.now, false
}

// rememberFrom forgets what was changed before an entry. It is called under mu.
func (l *log) rememberFrom(newest *backoffice.Change) {
	l.from, l.touched, l.marks = newest.Sequence, map[key]int64{}, map[int64]uint64{newest.Sequence: markOf(newest)}
}

// markOf distinguishes an entry from others of its number, as its Same does.
func markOf(c *backoffice.Change) uint64 {
	return maphash.Comparable(seed, struct {
		at, visible backoffice.Instant
		client, id  string
		noun        backoffice.Noun
	}{c.At, c.VisibleAt, c.ClientID, c.ObjectID, c.Noun})
}

// versionOf is the version at which the log ended with an entry; none when this history is not known to have it. A
// delayed answer may be of a server whose last writes were lost meanwhile.
func (l *log) versionOf(newest *backoffice.Change) version {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if mark, known := l.marks[newest.Sequence]; !known || mark != markOf(newest) {
		return version{}
	}
	return version{l.now.history, newest.Sequence}
}

// continues reports whether the last known entry is among these, unchanged. It is called under mu.
func (l *log) continues(entries []*backoffice.Change) bool {
	if l.now.at == 0 {
		return len(entries) <= store.MostNew
	}
	for _, e := range entries {
		if e.Sequence == l.now.at {
			return e.Same(&l.last)
		}
	}
	return false
}

// touch evicts what an entry changes; false when that is unknown. It is called under mu.
func (s *Store) touch(e *backoffice.Change) bool {
	if e.Done == "" || e.Done == backoffice.Unknown {
		return false
	}
	no := e.Noun.Index()
	if no < 0 {
		return true // nothing of it is cached
	}
	s.log.changed[no].Store(e.Sequence)
	if e.Done != backoffice.Updated {
		s.log.changed[members+no].Store(e.Sequence)
	}
	drop := func(k key) {
		s.log.touched[k], s.log.clock[k.slot()] = e.Sequence, e.Sequence
		if _, was := s.memory.Invalidate(k); was {
			s.dropped.Add(1)
		}
	}
	for _, of := range viewsOf(no) {
		drop(key{aRow, of, e.ObjectID})
		for _, parent := range e.Parents {
			drop(key{lists, of, parent.ID})
		}
	}
	drop(key{kind: aNoun, id: e.ObjectID})
	return true
}

// dropAll begins another history, in which only its last entry is known. It is called under mu.
func (s *Store) dropAll(newest backoffice.Change) {
	l := &s.log
	l.known, l.last = true, newest
	l.now = version{l.now.history + 1, newest.Sequence}
	l.rememberFrom(&newest)
	l.whole, l.clock = newest.Sequence, [slots]int64{}
	for no := range l.changed {
		l.changed[no].Store(0) // its numbers are of the previous history
	}
	s.dropped.Add(int64(s.memory.EstimatedSize()))
	s.memory.InvalidateAll()
}

// dropNouns evicts all records of the nouns changed up to the newest entry; false when last is not the last known one,
// or what was done is unknown. What was read before the newest entry is not cached and can't be proved valid.
func (s *Store) dropNouns(last *backoffice.Change, nouns []backoffice.Noun, newest *backoffice.Change) bool {
	l := &s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	var changed nounSet
	for _, noun := range nouns {
		if no := noun.Index(); no >= 0 {
			changed |= 1<<no | 1<<(members+no)
		} else if noun == "" {
			return false
		}
	}
	if !l.known || !last.Same(&l.last) {
		return false
	}
	for no := range changed.all() {
		l.changed[no].Store(newest.Sequence)
	}
	for at, e := range s.memory.All() {
		if changed&e.nouns() == 0 {
			continue
		}
		if _, was := s.memory.Invalidate(at); was {
			s.dropped.Add(1)
		}
	}
	l.now.at, l.last, l.whole = newest.Sequence, *newest, newest.Sequence
	l.rememberFrom(newest)
	return true
}

// nouns are those on which a cached entry may depend.
func (e *entry) nouns() nounSet {
	switch noun, _ := e.value.(backoffice.Noun); {
	case e.kind == aNoun:
		return 1 << noun.Index()
	case e.kind == aRoot:
		return e.depends
	case e.of == withoutNumbers:
		return 1 << customers
	}
	return 1 << e.of
}

// changedSince reports whether a change that counts for one of the nouns came after a number.
func (l *log) changedSince(of nounSet, at int64) bool {
	for no := range of.all() {
		if l.changed[no].Load() > at {
			return true
		}
	}
	return false
}

func (s nounSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(bits.TrailingZeros32(uint32(s))) {
				return
			}
		}
	}
}

// whileValid calls a function with what was read at a version, unless a later change affects its key or the nouns it
// depends on: then it may be stale. Nothing is evicted meanwhile.
func (l *log) whileValid(as version, k key, depends nounSet, do func()) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.validAs(as, k, depends) {
		do()
	}
}

// good reports whether everything that was valid at one version is valid at another, too.
func (l *log) good(used []*entry, as, readAt version) bool {
	if len(used) == 0 || as == readAt {
		return true
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if as.history != readAt.history || readAt.history != l.now.history {
		return false
	}
	for _, u := range used {
		switch {
		case readAt.at < as.at:
			if u.filled > readAt.at {
				return false
			}
		case as.at < l.from || l.touched[u.key] > as.at || l.changedSince(u.depends, as.at):
			return false
		}
	}
	return true
}
