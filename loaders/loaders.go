package loaders

import (
	"context"
	"sync"
	"time"

	"github.com/graph-gophers/dataloader/v7"

	"example.org/backoffice/backoffice"
)

// Loaders are the dataloader of one request, and what the request has read.
type Loaders struct {
	from  context.Context     // the request's
	ctx   context.Context     // carries the snapshot that all reads share
	reads backoffice.Snapshot // the store's snapshot
	store backoffice.Store
	queue *dataloader.Loader[load, struct{}]

	mu      sync.Mutex // of the following
	running int        // calls of the level that neither wait nor have returned
	waiting int        // loads without an answer
	last    bool       // nothing is read after this level
	over    bool       // the last level's batch was sent
	changed bool       // what was read is no longer one snapshot
	sent    []*backoffice.Batch

	reading sync.Mutex // one batch at a time, and of the keys
	keys    []*keyIndex

	making sync.Mutex // of the nouns
	nouns  map[backoffice.Noun]interface{ forget() }

	TranscriptCounts StatusCounts
	Nouns            Nouns
	Changes          Changes
}

// With returns a context with a request's loaders over a store. Call all resolvers by Level. All reads use ctx,
// whichever resolver asks first, and share one snapshot. Close the loaders when their rows are no longer needed.
func With(ctx context.Context, store backoffice.Store) context.Context {
	l := &Loaders{from: ctx, store: store, nouns: map[backoffice.Noun]interface{ forget() }{}}
	l.queue = dataloader.NewBatchedLoader(l.batch,
		dataloader.WithCache(&dataloader.NoCache[load, struct{}]{}),
		dataloader.WithInputCapacity[load, struct{}](16),
		dataloader.WithWait[load, struct{}](time.Hour)) // a level closes each batch, not a timer
	l.begin(ctx)
	l.TranscriptCounts.of, l.TranscriptCounts.reader = l, store.Transcripts()
	l.Nouns.of, l.Nouns.reader = l, store
	l.Changes.of, l.Changes.reader = l, store
	return l.ctx
}

func (l *Loaders) begin(ctx context.Context) {
	l.reads = l.store.BeginSnapshot(ctx)
	l.ctx = backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.Snapshot = l })
}

func (l *Loaders) Unwrap() backoffice.Snapshot { return l.reads }

// From returns the request's loaders, nil in a context that With did not make, which is a wiring fault.
func From(ctx context.Context) *Loaders { return backoffice.SnapshotOf[*Loaders](ctx) }

// Retry reports whether the request must read again because some of it changed before the rest was read. It then
// forgets everything, and further reads share a new snapshot.
func (l *Loaders) Retry() (changed bool) {
	l.mu.Lock()
	changed, l.changed, l.last = l.changed, false, false
	l.mu.Unlock()
	if changed {
		l.reads.Close()
		l.Forget()
		l.begin(backoffice.ForRetry(l.from))
	}
	return changed
}

// Forget drops all that the request has read. A write calls it, so that later reads of the request see it.
func (l *Loaders) Forget() {
	l.mu.Lock()
	l.over = false
	l.mu.Unlock()
	l.reading.Lock()
	defer l.reading.Unlock()
	l.making.Lock()
	for _, noun := range l.nouns {
		noun.forget()
	}
	l.making.Unlock()
	l.TranscriptCounts.loader.known = nil
	l.Nouns.loader.known = nil
	l.Changes.loader.known = nil
}

// Close ends the request's reading and releases the memory of its rows: nobody may use one afterwards. While something
// still reads, the memory is left to the garbage collector instead.
func (l *Loaders) Close() {
	l.reads.Close()
	l.mu.Lock()
	reads, sent := l.waiting > 0, l.sent
	l.sent = nil
	l.mu.Unlock()
	if reads {
		return
	}
	l.Forget() // other requests use the memory released below next
	for _, b := range sent {
		b.Release()
	}
	for _, k := range l.keys {
		k.release()
	}
	l.keys = nil
}
