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

// revalidateEvery is how often callers are revalidated while a request of theirs is in progress. Together with the age
// of a snapshot it ends within five seconds of a change.
const revalidateEvery = 500 * time.Millisecond

// begun is everything in progress: requests, streams, sockets.
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

// Begin is the only way to act as somebody. It returns a context with the principal that ends, with that cause, as soon
// as Revalidate rejects it; the reading of the body that w answers then ends too (nil for none). Call end.
func (a *Authenticator) Begin(
	ctx context.Context, as *backoffice.Principal, w http.ResponseWriter) (own context.Context, end func()) {
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

// poll revalidates callers until nothing is in progress.
func (a *Authenticator) poll() {
	for backoffice.Sleep(a.life, revalidateEvery) == nil {
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

// interrupt stops the reading of a request's body, unless the request is over.
func (b *begun) interrupt(d *doing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, goesOn := b.all[d]; goesOn && d.w != nil {
		_ = http.NewResponseController(d.w).SetReadDeadline(time.Now()) // only writers of tests have no deadlines
	}
}
