package webhooks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// moody answers at random: mostly well, sometimes late, with an error, or not at all. A message that it has taken in
// may so be sent again. It fails at most five times in a row: after ten the webhook would stop, and the later retries
// are days apart.
func moody() func(w http.ResponseWriter, r *http.Request, p posted) int {
	var failed atomic.Int32
	return func(w http.ResponseWriter, _ *http.Request, _ posted) int {
		mood := rand.IntN(8)
		if mood < 3 && failed.Add(1) > 5 {
			mood = 3
		}
		switch mood {
		case 0:
			return http.StatusInternalServerError
		case 1:
			w.Header().Set("Retry-After", "1")
			return http.StatusServiceUnavailable
		case 2:
			panic(http.ErrAbortHandler)
		case 3:
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		}
		failed.Store(0)
		return http.StatusOK
	}
}

// hurries lets a clock pass fast until the test ends, so that retries are due soon.
func hurries(t testing.TB, at *clock) {
	t.Helper()
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	go func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
				at.pass(time.Minute)
			}
		}
	}()
}

// writeAtOnce makes labels by several writers at once, and returns those that were acknowledged.
func (o *office) writeAtOnce(t testing.TB, writers, each int) (ids []string) {
	t.Helper()
	var all sync.WaitGroup
	of := make([][]string, writers)
	for i := range writers {
		all.Go(func() { of[i] = o.labels(t, fmt.Sprint("writer-", i), each) })
	}
	all.Wait()
	return slices.Concat(of...)
}

// missing are the objects of which a receiver was not told exactly once.
func missing(told, acknowledged []string) (ids []string) {
	times := map[string]int{}
	for _, id := range told {
		times[id]++
	}
	for _, id := range acknowledged {
		if times[id] != 1 {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestEveryAcknowledgedWriteIsPostedInOrderToReceiversThatFailAtRandom(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			at := newClock()
			hurries(t, at)
			receivers := []*receiver{receive(t, moody()), receive(t, moody()), receive(t, nil)}
			for _, r := range receivers {
				o.hook(t, r.URL)
			}
			o.sender(t, func(s *Sender) { s.now = at.now })
			acknowledged := o.writeAtOnce(t, 50, 6)
			for _, r := range receivers {
				waits(t, "all are told", func() bool { ids, err := r.told(); return err != nil || len(ids) >= len(acknowledged) })
				ids, err := r.told()
				if lost := missing(ids, acknowledged); lost != nil || err != nil || r.most() > 1 {
					t.Errorf("%d were lost or told twice, %v, %d at once", len(lost), err, r.most())
				}
			}
		})
	}
}

// tooSoon is a store over which the place of a webhook is moved when a message is put on its way, and not when it was
// received.
type tooSoon struct{ backoffice.Store }

func (s tooSoon) StepWebhook(ctx context.Context, hook *backoffice.Webhook) (bool, error) {
	moved := *hook
	if moved.Message != nil {
		moved.At, moved.Message = moved.Message.Through, nil
	}
	done, err := s.Store.StepWebhook(ctx, &moved)
	hook.Steps = moved.Steps
	return done, err
}

func TestASenderThatMovesItsPlaceTooSoonIsFoundOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, engines["the embedded store"](t), nil)
	at := newClock()
	hurries(t, at)
	var posts atomic.Int32
	r := receive(t, func(http.ResponseWriter, *http.Request, posted) int {
		if posts.Add(1)%2 == 1 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	o.hook(t, r.URL)
	o.sender(t, func(s *Sender) { s.now, s.Store = at.now, tooSoon{o.Store} })
	first := o.labels(t, "first", 3)
	waits(t, "it was sent", func() bool { return posts.Load() > 0 })
	var last []string
	waits(t, "what comes later is told", func() bool {
		last = append(last, o.labels(t, fmt.Sprint("later-", len(last)), 1)...)
		ids, _ := r.told()
		return len(ids) > 0
	})
	if ids, _ := r.told(); missing(ids, first) == nil {
		t.Error("nobody would notice a sender that loses what it could not send")
	}
}

// dead is a store to which nobody comes any more when its process is killed.
type dead struct {
	backoffice.Store
	killed *atomic.Bool
}

var errKilled = errors.New("killed")

func (d dead) StepWebhook(ctx context.Context, hook *backoffice.Webhook) (bool, error) {
	if d.killed.Load() {
		return false, errKilled
	}
	return d.Store.StepWebhook(ctx, hook)
}

func (d dead) TakeLease(ctx context.Context, lease backoffice.Lease, now backoffice.Instant, gone string) (bool, error) {
	if d.killed.Load() {
		return false, errKilled
	}
	return d.Store.TakeLease(ctx, lease, now, gone)
}

func (d dead) EndLease(ctx context.Context, name, holder string) error {
	if d.killed.Load() {
		return errKilled
	}
	return d.Store.EndLease(ctx, name, holder)
}

func (d dead) Webhooks(ctx context.Context) ([]*backoffice.Webhook, error) {
	if d.killed.Load() {
		return nil, errKilled
	}
	return d.Store.Webhooks(ctx)
}

func TestOfTwoGatewaysOneServesAWebhookAndTheOtherGoesOnWhenItDies(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t, postgres.Migrate)
	keys, err := privacy.NewKeyset()
	if err != nil {
		t.Fatal(err)
	}
	one, other := newOffice(t, openPostgres(t, url), keys), newOffice(t, openPostgres(t, url), keys)
	at := newClock() // it passes as the test says, so that leases end when it says
	slow := func(http.ResponseWriter, *http.Request, posted) int {
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		return http.StatusOK
	}
	var receivers []*receiver
	hooks := map[string]*receiver{}
	for range 4 {
		r := receive(t, slow)
		id, _ := one.hook(t, r.URL)
		receivers, hooks[id] = append(receivers, r), r
	}
	var killed atomic.Bool
	one.sender(t, func(s *Sender) { s.now, s.Store = at.now, dead{one.Store, &killed} })
	second, _ := other.sender(t, func(s *Sender) { s.now = at.now })
	var acknowledged []string
	for round := range 3 { // the leases end between them, and either sender may have the webhooks then
		acknowledged = append(acknowledged, one.labels(t, fmt.Sprint("one-", round), 20)...)
		acknowledged = append(acknowledged, other.labels(t, fmt.Sprint("other-", round), 20)...)
		at.pass(5 * time.Second)
	}
	told := func(of *receiver) bool { ids, err := of.told(); return err != nil || len(ids) >= len(acknowledged) }
	for _, r := range receivers {
		waits(t, "all are told", func() bool { return told(r) })
	}
	at.pass(time.Minute)
	// One is killed while it holds what it has; the other sends nothing of that before the lease is over.
	acknowledged = append(acknowledged, other.labels(t, "before", 20)...)
	for _, r := range receivers {
		waits(t, "all are told", func() bool { return told(r) })
	}
	killed.Store(true)
	held := 0
	for id := range hooks {
		lease, err := other.Lease(t.Context(), nameOf(id))
		if err != nil || lease == nil {
			t.Fatalf("%+v %v", lease, err)
		}
		if lease.Holder != second.holder {
			held++
		}
	}
	acknowledged = append(acknowledged, other.labels(t, "after", 20)...)
	behind := func() (n int) {
		for _, r := range receivers {
			if !told(r) {
				n++
			}
		}
		return n
	}
	waits(t, "the living one's are told", func() bool { return behind() == held })
	time.Sleep(50 * time.Millisecond) // some polls
	if n := behind(); n != held {
		t.Errorf("%d of %d were taken from a sender that had the time for them", held-n, held)
	}
	at.pass(leaseTime)
	for _, r := range receivers {
		waits(t, "all are told", func() bool { return told(r) })
		ids, err := r.told()
		if lost := missing(ids, acknowledged); lost != nil || err != nil || r.most() > 1 {
			t.Errorf("%d were lost or told twice, %v, %d at once", len(lost), err, r.most())
		}
	}
	t.Logf("the one that was killed had %d of %d", held, len(hooks))
}

// BenchmarkBacklog is how fast what waits in the log is posted to a receiver that answers at once.
func BenchmarkBacklog(b *testing.B) {
	for engine, open := range engines {
		b.Run(engine, func(b *testing.B) {
			o := newOffice(b, open(b), nil)
			r := receive(b, nil)
			id, _ := o.hook(b, r.URL)
			const entries = 20_000
			for range entries / 1000 {
				batch := make([]*backoffice.Change, 1000)
				for i := range batch {
					batch[i] = &backoffice.Change{Noun: backoffice.NounLabel, ObjectID: backoffice.NewID(), Done: backoffice.Updated}
				}
				o.note(b, batch...)
			}
			var last int64
			o.sender(b, nil)
			for b.Loop() {
				if err := Rewind(b.Context(), o.Store, id, o.cursor(b, 1)); err != nil {
					b.Fatal(err)
				}
				waits(b, "all are told", func() bool { last = o.stored(b, id).At; return last >= entries })
			}
			b.ReportMetric(float64(entries)*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}
