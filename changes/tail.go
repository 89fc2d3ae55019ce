package changes

import (
	"context"
	"sort"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// mostKept is how many of the log's last entries are kept for followers. Slower ones read the log.
const mostKept = 4096

// tail is the end of the log, shared by all followers, so that more of them cost no reading.
type tail struct {
	mu      sync.RWMutex
	known   bool
	history string               // of the log
	from    int64                // the entries are all after this number
	to      int64                // the number that was reached
	entries []*backoffice.Change // not to be changed
	grown   chan struct{}        // closed when it has grown
}

// beyond reports whether the tail goes beyond a number, or has another history; else grown is closed when it may.
func (t *tail) beyond(number int64, history string) (grown <-chan struct{}, reached bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.grown, t.known && (t.to > number || t.history != history)
}

// after returns the entries after a number, and the number that they reach; ok reports whether they are complete.
func (t *tail) after(number int64) (entries []*backoffice.Change, to int64, history string, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.known || number < t.from || number > t.to {
		return nil, 0, t.history, false
	}
	first := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].Sequence > number })
	return t.entries[first:], t.to, t.history, true
}

// follow reads new entries; full means that more may have come since. It skips many if nobody has followed for a while.
func (t *tail) follow(ctx context.Context, store backoffice.Store, first bool) (full bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
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
		from-- // the last known entry is read again, to check that the log is still the same
	}
	entries, err := store.Changes(ctx, from, atOnce)
	if err != nil {
		return false, err
	}
	full = len(entries) == atOnce
	switch {
	case last != nil && len(entries) > 0 && entries[0].Same(last):
		entries = entries[1:]
	case last != nil || len(entries) == 0 || entries[0].Sequence > to+1: // gone, or of another log; or nothing tells
		page, err := backoffice.ReadChangePage(ctx, store, backoffice.ChangeQuery{History: history, After: to})
		switch {
		case page == nil:
			return false, err
		case page.History != history, page.Removed > to:
			return false, t.begin(ctx, store)
		case err != nil || last != nil && page.Removed < to: // the followed entries are lost, without a new history
			err := store.RenewHistory(ctx, history, "failover", backoffice.InstantOf(time.Now()))
			if err == nil {
				err = t.begin(ctx, store)
			}
			return false, err
		}
	}
	if len(entries) > 0 && entries[0].History != history || full && first {
		return false, t.begin(ctx, store)
	}
	if len(entries) > 0 {
		t.grow(history, to, entries)
	}
	return full, nil
}

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

// grow appends the entries that follow a number of a history, unless the tail has begun anew since.
func (t *tail) grow(history string, to int64, entries []*backoffice.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.history != history || t.to != to {
		return
	}
	t.entries = append(t.entries, entries...)
	if more := len(t.entries) - mostKept; more > mostKept {
		t.from = t.entries[more-1].Sequence
		t.entries = append([]*backoffice.Change(nil), t.entries[more:]...) // readers of the old slice keep it unchanged
	}
	t.to = t.entries[len(t.entries)-1].Sequence
	t.wake()
}

// wake is called under mu.
func (t *tail) wake() {
	close(t.grown)
	t.grown = make(chan struct{})
}
