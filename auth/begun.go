package auth

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// revalidateEvery is how often callers are revalidated while something of theirs goes on. With the age of a snapshot
// it ends within the five seconds after a change.
const revalidateEvery = 500 * time.Millisecond

// begun is everything that is going on: requests, streams, sockets.
type begun struct {
	mu      sync.Mutex
	all     map[*doing]struct{}
	polling bool
}

type doing struct {
	principal *backoffice.Principal
	end       context.CancelCauseFunc
	w         http.ResponseWriter // nil for none
}

// Begin is the one way to do anything as somebody: it puts the principal into the context that it returns, which ends
// as soon as Revalidate says so, for that cause; with it the reading of the body ends for which w answers, nil for
// none. end has to be called.
func (a *Authenticator) Begin(ctx context.Context, as *backoffice.Principal, w http.ResponseWriter) (own context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	d := &doing{as, cancel, w}
	a.begun.mu.Lock()
	defer a.begun.mu.Unlock()
	a.begun.all[d] = struct{}{}
	if !a.begun.polling && a.life.Err() == nil {
		a.begun.polling = true
		a.reads.Go(a.poll)
	}
	return WithPrincipal(ctx, as), func() {
		a.begun.mu.Lock()
		delete(a.begun.all, d)
		a.begun.mu.Unlock()
		cancel(nil)
	}
}

// poll revalidates callers until nothing goes on.
func (a *Authenticator) poll() {
	tick := time.NewTicker(revalidateEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-a.life.Done():
			return
		}
		a.begun.mu.Lock()
		all := slices.Collect(maps.Keys(a.begun.all))
		a.begun.polling = all != nil
		a.begun.mu.Unlock()
		if all == nil {
			return
		}
		for _, d := range all {
			if _, err := a.Revalidate(a.life, d.principal); backoffice.Denies(err) {
				d.end(err)
				a.begun.interrupt(d)
			}
		}
	}
}

// interrupt ends the reading of a request's body, unless the request is over.
func (b *begun) interrupt(d *doing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, goesOn := b.all[d]; goesOn && d.w != nil {
		_ = http.NewResponseController(d.w).SetReadDeadline(time.Now()) // a writer without deadlines is a test's
	}
}
