package changes

import (
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// readTime is how long a page of the log may take.
const readTime = 10 * time.Second

// Reader gives all that the feed has of some kinds after a number, in order, each once. It is for one goroutine.
type Reader struct {
	feed    *Feed
	kinds   backoffice.ChangeKinds
	history string // "" until one was read
	at      int64  // all up to here was given, or is nothing that the reader sees
}

// Read begins behind a number of a history. That the log does not reach from there on is found out by Next.
func (f *Feed) Read(history string, after int64, kinds backoffice.ChangeKinds) *Reader {
	return &Reader{feed: f, kinds: kinds, history: history, at: after}
}

// Follow is Read, but finds out at once whether the log reaches from there on. With backoffice.FromOldest it begins at
// the end of the log. Errors: CursorExpired, and those of the store.
func (f *Feed) Follow(ctx context.Context, history string, after int64, kinds backoffice.ChangeKinds) (*Reader, error) {
	page, err := f.page(ctx, backoffice.ChangeQuery{History: history, After: after, Kinds: kinds})
	if err != nil {
		return nil, err
	}
	if after == backoffice.FromOldest {
		after = page.Latest
	}
	return f.Read(page.History, after, kinds), nil
}

// At is the number up to which the reader has come, in History.
func (r *Reader) At() int64       { return r.at }
func (r *Reader) History() string { return r.history }

// Next waits for the next changes that are visible to the context, and returns at most so many. Errors: CursorExpired
// when the log no longer has them, the cause of the context's end, those of the store.
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

// read returns what there is.
func (r *Reader) read(ctx context.Context, most int) (changes []*backoffice.VisibleChange, err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	entries, to, history, ok := r.feed.tail.after(r.at)
	if ok && (r.history == "" || r.history == history) && !backoffice.RestrictionOf(ctx).IsSet() { // the store knows views
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
	page, err := r.feed.page(ctx, backoffice.ChangeQuery{History: r.history, After: r.at, First: most, Kinds: r.kinds})
	if err != nil {
		return nil, err
	}
	if r.history = page.History; history != "" && history != page.History { // the tail has not seen yet that it is another one
		if err := r.feed.tail.begin(ctx, r.feed.store); err != nil {
			return nil, err
		}
	}
	changes = page.Show(r.kinds)
	if r.at = page.Latest; page.More {
		r.at = page.Changes[len(page.Changes)-1].Sequence
	}
	return changes, nil
}

// page reads the log itself.
func (f *Feed) page(ctx context.Context, q backoffice.ChangeQuery) (*backoffice.ChangePage, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return backoffice.ReadChangePage(ctx, f.store, q)
}
