package changes

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	readTime     = 10 * time.Second
	betweenReads = 40 * time.Millisecond // of the log's end from the store, by one reader
)

// Reader returns all changes of some kinds after a number, in order, each once. It is for one goroutine.
type Reader struct {
	feed    *Feed
	kinds   backoffice.ChangeKinds
	history string    // "" until one was read
	at      int64     // all up to here was returned, or is invisible to the reader
	ended   time.Time // when the store had no more
}

// Read begins after a number of a history. Next finds out whether the log still has the changes from there on.
func (f *Feed) Read(history string, after int64, kinds backoffice.ChangeKinds) *Reader {
	return &Reader{feed: f, kinds: kinds, history: history, at: after}
}

// Follow is Read, but checks immediately whether the log has the changes from there on. With backoffice.FromOldest it
// begins at the end of the log. Errors: CursorExpired, and those of the store.
func (f *Feed) Follow(ctx context.Context, history string, after int64, kinds backoffice.ChangeKinds) (*Reader, error) {
	page, err := f.page(ctx, backoffice.ChangeQuery{History: history, After: after})
	if err != nil {
		return nil, err
	}
	if after == backoffice.FromOldest {
		after = page.Latest
	}
	return f.Read(page.History, after, kinds), nil
}

// At is the number that the reader has reached, in History.
func (r *Reader) At() int64       { return r.at }
func (r *Reader) History() string { return r.history }

// Next waits for the next changes that are visible to the context, and returns most of them at most. Errors:
// CursorExpired when the log no longer has them, the cause of the context's end, those of the store.
func (r *Reader) Next(ctx context.Context, most int) ([]*backoffice.VisibleChange, error) {
	for {
		changes, err := r.read(ctx, most)
		if err != nil || len(changes) > 0 {
			return changes, err
		}
		if err := r.feed.wait(ctx, r.at, r.history); err != nil {
			return nil, err
		}
	}
}

// read returns the changes without waiting. A restricted caller's come from the store, which alone knows its view.
func (r *Reader) read(ctx context.Context, most int) (changes []*backoffice.VisibleChange, err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	entries, to, history, ok := r.feed.tail.after(r.at)
	if ok && (r.history == "" || r.history == history) && !backoffice.RestrictionOf(ctx).IsSet() {
		r.history = history
		for _, entry := range entries {
			if shown := r.kinds.Show(entry); shown != nil {
				if changes = append(changes, shown); len(changes) == most {
					r.at = entry.Sequence
					return changes, nil
				}
			}
		}
		r.at = to
		return changes, nil
	}
	if err := backoffice.Sleep(ctx, time.Until(r.ended.Add(betweenReads))); err != nil {
		return nil, context.Cause(ctx)
	}
	page, err := r.feed.page(ctx, backoffice.ChangeQuery{History: r.history, After: r.at, First: most, Kinds: r.kinds})
	if err != nil {
		return nil, err
	}
	if r.history = page.History; history != "" && history != page.History { // the tail has the old one
		if err := r.feed.tail.begin(ctx, r.feed.store); err != nil {
			return nil, err
		}
	}
	changes = page.Show(r.kinds)
	if r.at, r.ended = page.Latest, time.Now(); page.More {
		r.at, r.ended = page.Changes[len(page.Changes)-1].Sequence, time.Time{}
	}
	return changes, nil
}

func (f *Feed) page(ctx context.Context, q backoffice.ChangeQuery) (*backoffice.ChangePage, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return backoffice.ReadChangePage(ctx, f.store, q)
}
