package auth

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// revalidateEvery is how often callers are revalidated while a request of theirs is in progress. Together with the age
// of a snapshot it ends within five seconds of a change.
const revalidateEvery = 500 * time.Millisecond

// inFlight is everything in progress: requests, streams, sockets.
type inFlight struct {
	mu      sync.Mutex
	all     map[*activeRequest]struct{}
	polling bool
}

type activeRequest struct {
	principal *backoffice.Principal
	end       context.CancelCauseFunc

	// A request's body. Only a Read is interrupted: at any other time net/http would end all later requests of the
	// connection with a deadline that passes.
	io.ReadCloser
	inFlight         *inFlight
	w                http.ResponseWriter
	reading, stopped bool
}

// Read reads the request's body until the caller's rights end.
func (d *activeRequest) Read(p []byte) (int, error) {
	if !d.startsRead() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := d.ReadCloser.Read(p)
	d.endsRead(err)
	return n, err
}

func (d *activeRequest) startsRead() bool {
	d.inFlight.mu.Lock()
	defer d.inFlight.mu.Unlock()
	d.reading = !d.stopped
	return d.reading
}

func (d *activeRequest) endsRead(err error) {
	d.inFlight.mu.Lock()
	defer d.inFlight.mu.Unlock()
	if d.reading = false; d.stopped && errors.Is(err, io.EOF) { // the deadline came after the last byte
		d.w.Header().Set("Connection", "close")
	}
}

// Begin is the only way to act as somebody. It returns a context with the principal that ends, with that cause, as soon
// as Revalidate rejects it. Call end.
func (a *Authenticator) Begin(ctx context.Context, as *backoffice.Principal) (own context.Context, end func()) {
	return a.begin(ctx, &activeRequest{principal: as})
}

func (a *Authenticator) begin(ctx context.Context, d *activeRequest) (own context.Context, end func()) {
	ctx, d.end = context.WithCancelCause(ctx)
	a.inFlight.mu.Lock()
	defer a.inFlight.mu.Unlock()
	a.inFlight.all[d] = struct{}{}
	if !a.inFlight.polling && a.life.Err() == nil {
		a.inFlight.polling = true
		a.reads.Go(a.poll)
	}
	return WithPrincipal(ctx, d.principal), func() {
		a.inFlight.mu.Lock()
		delete(a.inFlight.all, d)
		a.inFlight.mu.Unlock()
		d.end(nil)
	}
}

// poll revalidates callers until nothing is in progress.
func (a *Authenticator) poll() {
	for backoffice.Sleep(a.life, revalidateEvery) == nil {
		a.inFlight.mu.Lock()
		all := slices.Collect(maps.Keys(a.inFlight.all))
		a.inFlight.polling = all != nil
		a.inFlight.mu.Unlock()
		if all == nil {
			return
		}
		away := false // the store: each credential would wait for it, and people do not need it
		for _, d := range all {
			person := d.principal != nil && d.principal.Person != nil
			if away && !person {
				continue
			}
			_, err := a.Revalidate(a.life, d.principal)
			if backoffice.Denies(err) {
				d.end(err)
				a.inFlight.interrupt(d)
			}
			away = away || !person && backoffice.KindOf(err) == backoffice.Unavailable
		}
	}
}

// beginRequest is Begin for a request, whose body is read no further when that context ends.
func (a *Authenticator) beginRequest(
	w http.ResponseWriter, r *http.Request, as *backoffice.Principal) (own *http.Request, end func()) {
	d := &activeRequest{principal: as, ReadCloser: r.Body, inFlight: &a.inFlight, w: w}
	ctx, end := a.begin(r.Context(), d)
	own = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		own.Body = d
	}
	return own, end
}

// interrupt stops the reading of a request's body, unless the request is over.
func (b *inFlight) interrupt(d *activeRequest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, goesOn := b.all[d]; goesOn && d.reading {
		_ = http.NewResponseController(d.w).SetReadDeadline(time.Now()) // only writers of tests have no deadlines
	}
	d.stopped = true
}
