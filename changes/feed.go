package changes

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

type Options struct {
	Keep Age // of entries; 0 keeps all
	// Bounds are 20 per credential and 1,000 per server when zero.
	Bounds Bounds
	Log    *slog.Logger
}

const (
	// pollEvery is how often the log is polled for the commits of other processes, while a caller waits. Own commits
	// are polled for immediately, but betweenPolls apart, for when many callers write.
	pollEvery    = 250 * time.Millisecond
	betweenPolls = 5 * time.Millisecond
	pollTime     = 5 * time.Second // of one poll
	atOnce       = 1000            // entries of a poll
)

// Feed is the change feed of a process. It is safe for concurrent use. Close it.
type Feed struct {
	store   backoffice.Store
	options Options
	tail    tail
	streams streams
	work    sync.WaitGroup
	life    context.Context
	end     context.CancelFunc
	wrote   chan struct{} // this process has committed something

	mu      sync.Mutex
	waiting int  // callers that wait for the log to grow
	polling bool // a goroutine polls for them
}

// New makes the feed of a store. It reads the durable log, past any cache.
func New(store backoffice.Store, o Options) *Feed {
	o.Log = cmp.Or(o.Log, slog.Default())
	o.Bounds.OfCredential = cmp.Or(o.Bounds.OfCredential, usual.OfCredential)
	o.Bounds.OfServer = cmp.Or(o.Bounds.OfServer, usual.OfServer)
	f := &Feed{store: store, options: o, wrote: make(chan struct{}, 1)}
	f.life, f.end = context.WithCancel(context.Background())
	f.tail.grown = make(chan struct{})
	return f
}

// Close ends all streams, and waits until nothing runs.
func (f *Feed) Close() {
	f.Stop()
	f.work.Wait()
}

// Stop ends all streams, which may continue elsewhere, and prevents new ones.
func (f *Feed) Stop() { f.end() }

// Watching wraps a store so that the feed notices its writes immediately.
func (f *Feed) Watching(store backoffice.Store) backoffice.Store { return watched{store, f} }

type watched struct {
	backoffice.Store
	feed *Feed
}

func (w watched) Write(ctx context.Context, do func(ctx context.Context, tx backoffice.Tx) error) error {
	err := w.Store.Write(ctx, do)
	if err == nil {
		select {
		case w.feed.wrote <- struct{}{}:
		default: // a poll is due anyhow
		}
	}
	return err
}

// wait waits until the log is known to reach beyond a number, in the tail or after another history's end.
func (f *Feed) wait(ctx context.Context, beyond int64, history string) error {
	f.mu.Lock()
	f.waiting++
	if !f.polling && f.life.Err() == nil {
		f.polling = true
		f.work.Go(f.poll)
	}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.waiting--
		f.mu.Unlock()
	}()
	for {
		grown, reached := f.tail.beyond(beyond, history)
		if reached {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-f.life.Done():
			return errStopping
		}
	}
}

// Growth returns a function that waits until the log has grown beyond its present end.
func (f *Feed) Growth(ctx context.Context) (wait func(context.Context) error, err error) {
	page, err := f.page(ctx, backoffice.ChangeQuery{After: backoffice.FromOldest})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return f.wait(ctx, page.Latest, page.History) }, nil
}

// poll polls the log while callers wait, until none has for a while.
func (f *Feed) poll() {
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	idle, failed := 0, false
	first := true // nobody has followed for a while
	for {
		began := time.Now()
		full, err := f.tail.follow(f.life, f.store, first)
		first = first && err != nil
		if err != nil && !failed && f.life.Err() == nil {
			f.options.Log.WarnContext(f.life, "the change log cannot be followed now", "cause", backoffice.Cause(err))
		}
		failed = err != nil
		if full {
			continue
		}
		select {
		case <-f.life.Done():
			return
		case <-ticks.C:
		case <-f.wrote:
			if soon := betweenPolls - time.Since(began); soon > 0 && backoffice.Sleep(f.life, soon) != nil {
				return
			}
		}
		f.mu.Lock()
		if idle++; f.waiting > 0 {
			idle = 0
		}
		if idle > 4 {
			f.polling = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
	}
}
