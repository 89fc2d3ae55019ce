package changes

import (
	"context"
	"sort"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// mostKept is how many entries of the log's end are kept for followers. Slower ones read the log.
const mostKept = 4096

// tail is the end of the log, which all who follow it share: so their number costs no reading.
type tail struct {
	mu      sync.RWMutex
	known   bool
	history string               // of the log
	from    int64                // the entries are all behind this number
	to      int64                // up to this one
	entries []*backoffice.Change // not to be changed
	grown   chan struct{}        // closed when there is more
}

// beyond reports whether there is something behind a number, or another history than that which the caller knows; else
// grown tells when there may be.
func (t *tail) beyond(number int64, history string) (grown <-chan struct{}, reached bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.grown, t.known && (t.to > number || t.history != history)
}

// after are the entries behind a number, and up to where they go; ok reports whether they are all here.
func (t *tail) after(number int64) (entries []*backoffice.Change, to int64, history string, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.known || number < t.from || number > t.to {
		return nil, 0, t.history, false
	}
	first := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].Sequence > number })
	return t.entries[first:], t.to, t.history, true
}

// follow reads what came; full says that there may be more by now.
func (t *tail) follow(ctx context.Context, store backoffice.Store) (full bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	t.mu.RLock()
	known, to, history := t.known, t.to, t.history
	var last *backoffice.Change
	if len(t.entries) > 0 {
		last = t.entries[len(t.entries)-1]
	}
	t.mu.RUnlock()
	if !known {
		return false, t.begin(ctx, store)
	}
	from := to
	if last != nil {
		from-- // the last known entry is read again, to see that the log is still the same
	}
	entries, err := store.Changes(ctx, from, atOnce)
	if err != nil {
		return false, err
	}
	full = len(entries) == atOnce
	switch {
	case last != nil && len(entries) > 0 && entries[0].Same(last):
		entries = entries[1:]
	case last != nil || len(entries) == 0: // it was removed, or was never there; or there is nothing that would tell
		page, err := backoffice.ReadChangePage(ctx, store, backoffice.ChangeQuery{History: history, After: to})
		switch {
		case page == nil:
			return false, err
		case page.History != history, page.Removed > to:
			return false, t.begin(ctx, store)
		case err != nil || last != nil && page.Removed < to: // what was followed is lost, and nobody said so
			err := store.RenewHistory(ctx, history, "failover", backoffice.InstantOf(time.Now()))
			if err != nil {
				return false, err
			}
			return false, t.begin(ctx, store)
		}
	}
	if len(entries) > 0 && entries[0].History != history {
		return false, t.begin(ctx, store)
	}
	if len(entries) > 0 {
		t.grow(entries)
	}
	return full, nil
}

// begin begins anew at the end of the log.
func (t *tail) begin(ctx context.Context, store backoffice.Store) error {
	page, err := backoffice.ReadChangePage(ctx, store, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.history = true, page.History
	t.from, t.to, t.entries = page.Latest, page.Latest, nil
	t.wake()
	return nil
}

func (t *tail) grow(entries []*backoffice.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, entries...)
	if more := len(t.entries) - mostKept; more > mostKept {
		t.from = t.entries[more-1].Sequence
		t.entries = append([]*backoffice.Change(nil), t.entries[more:]...) // what others hold is left as it is
	}
	t.to = t.entries[len(t.entries)-1].Sequence
	t.wake()
}

// wake is called under mu.
func (t *tail) wake() {
	close(t.grown)
	t.grown = make(chan struct{})
}
