package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/ship"
	"example.org/backoffice/store/sqlite"
)

// StandBy is a server that follows another one by what that ships, and answers reads. It can be promoted.
type StandBy struct {
	settings *Settings
	from     *ship.StandBy
	files    *shippedFiles // nil before Run
	unfit    atomic.Bool   // its keyset lacks a key of the database
	done     func()        // ends the renewal of requests
	log      *slog.Logger
}

const (
	followPeriod  = time.Second            // between two polls of the place
	requestPeriod = 100 * time.Millisecond // between two polls for a request to promote it
	keysPeriod    = 10 * time.Second       // between two checks of the keyset
	drainTime     = 2 * time.Second        // for reads that run when it is promoted
	// positionHeader has the number of the last entry of the change log that a stand-by's answer is not older than.
	positionHeader = "Backoffice-Position"
)

var errIsStandBy = errors.New("the database is a stand-by's: run backoffice stand-by, or backoffice promote to write " +
	"to it")

func isStandBy(store backoffice.Store) bool {
	embedded, ok := store.(*sqlite.Store)
	return ok && embedded.StandBy()
}

// StandBy opens a place that a server ships to.
func (s *Settings) StandBy(url string) (*StandBy, error) {
	path, err := sqlite.Path(s.Database)
	if err != nil {
		return nil, errors.New("a stand-by has an embedded store; PostgreSQL has replicas: see --replica")
	}
	place, err := s.Shipped(url)
	if err != nil {
		return nil, err
	}
	return &StandBy{settings: s, from: &ship.StandBy{Place: place, Path: path}}, nil
}

// Run follows and answers on a listener until ctx ends, which returns nil, or until it is promoted, or if it was
// before. It calls started when it answers.
func (b *StandBy) Run(ctx context.Context, listener *net.TCPListener, c Config, started func()) (*Promotion, error) {
	b.log = c.Log
	if b.forgetRequest() {
		b.answer("", errors.New("the stand-by was started before it answered: if it still follows, promote it again"))
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.done = stop
	go backoffice.Every(renewing, requestPeriod, b.takeRequest)
	// Nothing is written here, and others wait for the next server.
	c.Ship.Wait, c.Server.StopDelay, c.Server.StopTime = false, 0, min(c.Server.StopTime, drainTime)
	for began := false; ; began = true {
		err := b.from.Begin(ctx)
		if err == nil {
			err = b.serve(ctx, listener, c, started)
			started = func() {}
		} else if began && ctx.Err() == nil {
			b.log.ErrorContext(ctx, "the stand-by cannot follow; retrying", "cause", backoffice.Cause(err))
			if b.asked() {
				b.answer("", fmt.Errorf("nothing was promoted: %w", backoffice.Cause(err)))
			}
			_ = backoffice.Sleep(ctx, 2*followPeriod)
			continue
		}
		var promoted *Promotion
		switch {
		case errors.As(err, &promoted):
			err := b.takeOver(context.WithoutCancel(ctx), promoted)
			if err == nil && ctx.Err() != nil { // it was told to stop: the next start serves
				promoted.stopped = true
				promoted.Done(nil)
				promoted = nil
			}
			return promoted, err
		case ctx.Err() != nil:
			return nil, nil //nolint:nilnil // it was not promoted
		case errors.Is(err, ship.ErrWasPromoted): // and starts again
			switch _, release, err := b.from.Place.From.Hold(ctx); {
			case errors.Is(err, backoffice.ErrHeld): // by another server, if the database was copied
				return nil, fmt.Errorf("the stand-by was promoted, and cannot ship: %w", backoffice.Cause(err))
			case err == nil: // else it ships when the place answers
				release()
			}
			return &Promotion{by: b}, nil
		case !errors.Is(err, ship.ErrNotContinued):
			return nil, err
		}
	}
}

// serve answers until the stand-by has to begin anew (ship.ErrNotContinued), is promoted (*Promotion) or ctx ends.
func (b *StandBy) serve(ctx context.Context, listener *net.TCPListener, c Config, started func()) error {
	backend, err := b.settings.openBackend(ctx)
	if err != nil {
		return err
	}
	defer backend.Close()
	store, ok := backend.Store.(*sqlite.Store)
	if !ok {
		return errors.New("a stand-by has an embedded store")
	}
	copied := map[string]bool{}
	if b.files != nil { // it begins anew
		copied = b.files.copied
	}
	b.files = &shippedFiles{Store: backend.Files, from: ship.Files(b.from.Place), records: store, copied: copied}
	backend.Files, backend.standBy, backend.ship = b.files, b, nil
	// Each server closes its listener; connections wait at this one for the next.
	again, err := shared(listener)
	if err != nil {
		return err
	}
	serving, end := context.WithCancelCause(ctx)
	defer end(nil)
	var following sync.WaitGroup
	var followed error
	following.Go(func() { followed = b.follow(serving, backend); end(followed) })
	err = backend.Serve(serving, again, c, started)
	end(err) // unless it ended for another reason
	following.Wait()
	if promoted, is := followed.(*Promotion); is { // also if ctx ended meanwhile: the place is taken
		return promoted
	}
	return context.Cause(serving)
}

func shared(listener *net.TCPListener) (net.Listener, error) {
	file, err := listener.File()
	if err != nil {
		return nil, fmt.Errorf("a stand-by cannot listen on this system: %w", err)
	}
	defer file.Close()
	return net.FileListener(file)
}

// follow applies what is shipped, and copies stored files, until ctx ends, or an error is a reason to stop serving.
func (b *StandBy) follow(ctx context.Context, backend *Backend) error {
	var copying sync.WaitGroup
	defer copying.Wait()
	copies, stop := context.WithCancel(ctx)
	defer stop()
	copying.Go(func() { b.files.watch(copies, b.log) })
	copying.Go(func() { b.checkKeys(copies, backend) })
	told := ""
	for next := time.Now(); ctx.Err() == nil; _ = backoffice.Sleep(ctx, requestPeriod) {
		if b.asked() {
			promoted, err := b.promote(ctx, backend)
			if err == nil {
				return promoted
			}
			if errors.Is(err, ship.ErrNotContinued) { // it goes on when it has begun anew
				return err
			}
			b.answer("", fmt.Errorf("nothing was promoted: %w", backoffice.Cause(err)))
		}
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(followPeriod)
		switch err := b.from.Next(ctx); {
		case errors.Is(err, ship.ErrNotContinued):
			return err
		case err == nil:
			told = ""
		case ctx.Err() == nil && backoffice.Cause(err).Error() != told:
			told = backoffice.Cause(err).Error()
			b.log.ErrorContext(ctx, "the stand-by cannot follow; retrying", "cause", told)
		}
	}
	return context.Cause(ctx)
}

// checkKeys notices, now and then, when the server has rotated its keys and the stand-by lacks the new keyset file.
func (b *StandBy) checkKeys(ctx context.Context, backend *Backend) {
	backoffice.Every(ctx, keysPeriod, func() {
		err := backend.Keys.Fits(ctx, backend.Store)
		if err != nil { // perhaps the file was copied since
			var read *privacy.Keyset
			if read, err = b.settings.keysetOf(ctx, backend.Store); err == nil {
				backend.Keys.Replace(read)
			}
		}
		if ctx.Err() == nil && b.unfit.Swap(err != nil) != (err != nil) && err != nil {
			b.log.ErrorContext(ctx, "the stand-by cannot be promoted", "cause", backoffice.Cause(err))
		}
	})
}

// alarms are what an operator must look at although requests are answered.
func (b *Backend) alarms() []string {
	if b.standBy != nil && b.standBy.unfit.Load() {
		return []string{"this stand-by cannot be promoted: copy the keyset file of the server to it"}
	}
	return b.Vault.Alarms() // a stand-by writes no register
}

// marks adds the stand-by's position to each answer.
func (b *StandBy) marks(next http.Handler) http.Handler {
	if b == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(positionHeader, strconv.FormatInt(b.from.Last(), 10))
		next.ServeHTTP(w, r)
	})
}

func (b *StandBy) measure(s server) {
	if b == nil {
		return
	}
	s.http.Gauge("backoffice_standby_lag_seconds", "How long ago the stand-by had all that was shipped.",
		func() int64 { return int64(b.from.Lag().Seconds()) })
	s.http.Gauge("backoffice_standby_position", "The number of the last entry of the change log that the stand-by has.",
		b.from.Last)
}

// The operator's command asks by a file next to the database, and the stand-by answers by another one. Meanwhile it
// renews a third one, by which the command knows that it runs: the first may be another user's.
func (b *StandBy) request() string { return b.from.Path + ".promote" }
func (b *StandBy) taken() string   { return b.from.Path + ".promoting" }
func (b *StandBy) told() string    { return b.from.Path + ".promoted" }

func (b *StandBy) takeRequest() {
	if b.asked() {
		_ = os.WriteFile(b.taken(), []byte("\n"), 0o600)
	}
}

func (b *StandBy) asked() bool {
	_, err := os.Stat(b.request())
	return err == nil
}

// forgetRequest removes what a command that was killed has left, and reports whether there was a request.
func (b *StandBy) forgetRequest() bool {
	_, _ = os.Remove(b.told()), os.Remove(b.taken())
	return os.Remove(b.request()) == nil
}

// examineStandBy compares a stand-by with what was shipped.
func (s *Settings) examineStandBy(ctx context.Context, shipped int64, tell func(backoffice.Finding)) {
	path, _ := sqlite.Path(s.Database) // it was opened by it
	at, err := sqlite.StateOf(ctx, path)
	found := fmt.Sprintf("at change %d of %d that were shipped", at.Last, shipped)
	switch {
	case err != nil:
		tell(backoffice.Fail("stand-by", err.Error(), "see the log of the stand-by"))
	case at.Last < shipped:
		tell(backoffice.Warn("stand-by", found, "see the log of the stand-by if it stays behind"))
	default:
		tell(backoffice.Pass("stand-by", found))
	}
}
