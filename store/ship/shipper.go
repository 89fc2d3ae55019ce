package ship

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

const (
	second   = time.Second      // between two objects
	retry    = 2 * time.Second  // after a failure
	mostWait = time.Minute      // before a snapshot, after those that failed
	lastTime = 10 * time.Second // for what is left when the server stops
	day      = 24 * time.Hour   // of a generation
	mostLog  = 16 << 20         // bytes
	fewBytes = 1 << 20          // of the log, which writers may wait for
	oldLog   = 10 * time.Minute // what is erased is overwritten in the database by then
)

// Shipper ships a store. Its fields must not change while it runs.
type Shipper struct {
	Store *sqlite.Store
	Files backoffice.FileStore
	To    backoffice.ObjectStore
	Key   tink.StreamingAEAD
	KeyID string
	Most  int64         // bytes of the log that wait for the place at most
	Keep  time.Duration // how far back states stay; 0 keeps all
	Wait  bool          // whether the server acknowledges only shipped writes
	Log   *slog.Logger

	period  time.Duration   // between two objects; 0 is a second
	tidy    time.Duration   // between two looks for what is old at the place; 0 is an hour
	large   map[object]bool // what is too large for a bundle
	renewAt int64           // bytes of the log that is then written back to the database; 0 is mostLog
	pause   time.Duration   // before the next snapshot
	marked  bool            // the place, as the store's own

	whole  atomic.Int64 // everything committed until so long after started is away
	behind atomic.Int64 // bytes
	last   atomic.Int64 // the number of the last shipped entry of the change log

	shipped, wanted signal
}

var started = time.Now() // what is away is timed from here: the machine's clock may jump

// Lag is the greatest age of an unshipped write.
func (s *Shipper) Lag() time.Duration {
	return time.Since(started) - time.Duration(s.whole.Load())
}

// Behind is the unshipped bytes of the log.
func (s *Shipper) Behind() int64 { return s.behind.Load() }

// Last is the number of the last shipped change; -1 before the first snapshot.
func (s *Shipper) Last() int64 { return s.last.Load() }

// errTooFar ends a generation whose log has become too large.
var errTooFar = errors.New("the log is longer than --ship-most: it goes back into the database, and the next " +
	"snapshot ships what was not shipped")

// Run ships until ctx ends, and then what is left. It starts again after each failure, with a snapshot.
func (s *Shipper) Run(ctx context.Context) {
	s.last.Store(-1)
	s.whole.Store(int64(time.Since(started)))
	var told string
	for ctx.Err() == nil {
		err := s.hold(ctx)
		switch {
		case ctx.Err() != nil:
			if err != nil {
				s.Log.ErrorContext(ctx, "the last writes were not shipped", "cause", backoffice.Cause(err))
			}
			return
		case err == nil:
			told = ""
			continue
		}
		if why := backoffice.Cause(err).Error(); why != told {
			told = why
			s.Log.ErrorContext(ctx, "the store is not shipped; retrying", "cause", why)
		}
		_ = backoffice.Sleep(ctx, retry)
	}
}

// hold ships generations as the only holder of the place. Its context ends a while after ctx.
func (s *Shipper) hold(ctx context.Context) error {
	taking, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	untaken := context.AfterFunc(ctx, end)
	held, release, err := s.To.Hold(taking)
	if err != nil {
		return err
	}
	defer release()
	untaken()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastTime, end) })()
	if err := s.clear(held); err != nil {
		return err
	}
	var tidying sync.WaitGroup
	tidying.Go(func() { s.tidies(held) })
	defer tidying.Wait()
	defer end()
	for err == nil && ctx.Err() == nil {
		err = s.generation(ctx, held)
	}
	if err != nil && held.Err() != nil && ctx.Err() == nil {
		err = errors.Join(errors.New("another program may ship there now, so this one stopped"), err)
	}
	return err
}

// generation ships a snapshot, and what is committed after it for a day.
func (s *Shipper) generation(ctx, held context.Context) error {
	beginning, cancel := context.WithCancel(held)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	if err := backoffice.Sleep(beginning, s.pause); err != nil {
		return err
	}
	if err := s.own(held); err != nil {
		return err
	}
	all, name, err := list(held, s.To)
	if err != nil {
		return err
	}
	began := time.Now() // what is committed while it begins to follow may be missing in the snapshot
	from, err := s.Store.Follow(held)
	if err != nil {
		return err
	}
	g := &generation{Shipper: s, name: name, from: from, renewed: began,
		writer: &writer{from: from, pages: newPages(), since: began}}
	if len(all) > 0 {
		g.before = all[len(all)-1][0].generation
	}
	wanted := s.wanted.next() // before writers learn that the snapshot lacks what they wait for
	err = g.unlessTooFar(beginning, 0, g.begin)
	until := time.Now().Add(day)
	for err == nil && time.Now().Before(until) {
		stopping := rest(ctx, cmp.Or(s.period, second), wanted) != nil
		wanted = s.wanted.next()
		now := int64(time.Since(started))
		if err = g.next(held); stopping && s.whole.Load() >= now { // else another process wrote
			break
		}
	}
	if s.pause = min(2*s.pause+second, mostWait); time.Until(until) < day-mostWait {
		s.pause = 0
	}
	return errors.Join(err, from.Close(held))
}

type generation struct {
	*Shipper
	name   string
	before string // the newest one before; "" for none
	from   *sqlite.Follower
	writer *writer

	renewed time.Time // when the log was last written back
	failed  bool      // the last attempt to send
}

// unlessTooFar ends what it does when the log becomes too long meanwhile; size bytes of it were read before.
func (g *generation) unlessTooFar(ctx context.Context, size int64, do func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer func() { end(nil); watching.Wait() }()
	watching.Go(func() {
		for backoffice.Sleep(ctx, retry) == nil {
			if unread, err := g.from.Unread(ctx); err == nil {
				g.behind.Store(size + unread)
				if size+unread > g.Most {
					end(errTooFar)
				}
			}
		}
	})
	if err := do(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return nil
}

func (g *generation) begin(ctx context.Context) error {
	at, follows := g.renewed, time.Now() // everything in the snapshot was committed before
	unnamed, err := g.shipFiles(ctx)
	if err == nil && g.Keep > 0 {
		err = g.noteUnnamed(ctx, unnamed)
	}
	if err != nil {
		return err
	}
	o := object{generation: g.name, first: 1, from: g.from.Last(), to: g.from.Last(), at: follows}
	content := sealing(g.Key, o.String(), func(to io.Writer) error { return g.writer.snapshot(ctx, to) })
	err = g.To.Put(ctx, o.String(), content)
	_ = content.Close()
	if err != nil {
		return err
	}
	g.shippedTo(at, o.to)
	g.Log.InfoContext(ctx, "shipped a snapshot", "change", o.to, "milliseconds", time.Since(at).Milliseconds())
	return nil
}

func (g *generation) shippedTo(at time.Time, last int64) {
	g.whole.Store(int64(at.Sub(started)))
	g.writer.since = at
	g.last.Store(last)
	g.behind.Store(0)
	g.shipped.fire()
}

// next ships what was committed since the last call.
func (g *generation) next(ctx context.Context) error {
	at := time.Now()
	unread, err := g.from.Unread(ctx)
	if err != nil {
		return err
	}
	renew := unread > 0 && g.from.Large(cmp.Or(g.renewAt, mostLog)) || at.Sub(g.renewed) > oldLog
	switch {
	case unread == 0 && !renew:
		g.shippedTo(at, g.from.Last())
	case unread > fewBytes || !renew:
		err = g.ship(ctx, false)
		if err == nil && renew { // it may have waited for the place
			unread, err = g.from.Unread(ctx)
		}
	}
	if err == nil && renew && unread <= mostLog { // after the rest, which writers do not wait for
		err = g.ship(ctx, true)
	}
	return err
}

// ship ships one object, and then has the log start anew if it is to.
func (g *generation) ship(ctx context.Context, renew bool) error {
	at, before := time.Now(), g.from.Last()
	sealed, err := newSpool()
	if err != nil { // nothing of the log has been read yet
		err = g.unlessTooFar(ctx, 0, func(ctx context.Context) error {
			return g.send(ctx, func() error { sealed, err = newSpool(); return err })
		})
	}
	if err != nil {
		return err
	}
	defer func() { _ = sealed.close() }()
	o := object{generation: g.name, first: g.writer.last + 1, from: before}
	var size int64
	write := func(batch *sqlite.Batch) error {
		o.to, o.at, size = batch.Last, time.Now(), batch.Bytes
		return seal(g.Key, o.String(), sealed.file, func(to io.Writer) error {
			return g.writer.transactions(batch, to)
		})
	}
	if renew {
		err, g.renewed = g.from.Renew(ctx, write), at
	} else {
		var batch *sqlite.Batch
		if batch, err = g.from.Next(ctx); err == nil {
			err = write(batch)
		}
	}
	switch {
	case errors.Is(err, sqlite.ErrBusy): // another process writes; what it writes is not committed yet
		return nil
	case err != nil:
		return err
	case g.writer.last < o.first: // nothing was committed
		g.shippedTo(at, before)
		return nil
	}
	g.behind.Store(size)
	err = g.unlessTooFar(ctx, size, func(ctx context.Context) error {
		if err := g.send(ctx, func() error { return g.shipChanged(ctx, before) }); err != nil {
			return err
		}
		return g.send(ctx, func() error {
			content, err := sealed.reader()
			if err != nil {
				return err
			}
			return g.To.Put(ctx, o.String(), content)
		})
	})
	if err == nil {
		g.shippedTo(at, o.to)
	}
	return err
}

// send does something until it succeeds.
func (g *generation) send(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil {
			if g.failed {
				g.failed = false
				g.Log.InfoContext(ctx, "the store is shipped again")
			}
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		if !g.failed {
			g.failed = true
			g.Log.WarnContext(ctx, "what is written cannot be shipped now", "cause", backoffice.Cause(err))
		}
		if err := backoffice.Sleep(ctx, retry); err != nil {
			return err
		}
	}
}
