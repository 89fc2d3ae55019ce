package webhooks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
)

// flaky is a store whose connection breaks at random, before a step is done or behind it: then nobody knows.
type flaky struct{ backoffice.Store }

var errBroken = &backoffice.Error{Kind: backoffice.Unavailable, Message: "the store is away", Cause: errors.New("the connection broke")}

func broken() error {
	if rand.IntN(6) == 0 {
		return errBroken
	}
	return nil
}

func (f flaky) Webhooks(ctx context.Context) ([]*backoffice.Webhook, error) {
	if err := broken(); err != nil {
		return nil, err
	}
	return f.Store.Webhooks(ctx)
}

func (f flaky) Webhook(ctx context.Context, id string) (*backoffice.Webhook, error) {
	if err := broken(); err != nil {
		return nil, err
	}
	return f.Store.Webhook(ctx, id)
}

func (f flaky) StepWebhook(ctx context.Context, hook *backoffice.Webhook) (bool, error) {
	if err := broken(); err != nil {
		return false, err
	}
	as := *hook
	done, err := f.Store.StepWebhook(ctx, &as)
	if err == nil {
		err = broken()
	}
	if err != nil {
		return false, err
	}
	hook.Steps = as.Steps
	return done, nil
}

func (f flaky) TakeLease(ctx context.Context, lease backoffice.Lease, now backoffice.Instant, gone string) (bool, error) {
	if err := broken(); err != nil {
		return false, err
	}
	taken, err := f.Store.TakeLease(ctx, lease, now, gone)
	return taken, errors.Join(err, broken())
}

func (f flaky) EndLease(ctx context.Context, name, holder string) error {
	if err := broken(); err != nil {
		return err
	}
	return f.Store.EndLease(ctx, name, holder)
}

func TestAStoreWhoseConnectionBreaksAtRandomLosesNoMessage(t *testing.T) {
	t.Parallel()
	for engine, open := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, open(t), nil)
			r := receive(t, nil)
			id, _ := o.hook(t, r.URL)
			s, _ := o.sender(t, func(s *Sender) { s.Store = flaky{o.Store} })
			var acknowledged []string
			for round := range 30 {
				acknowledged = append(acknowledged, o.labels(t, fmt.Sprint("round-", round), 5)...)
			}
			waits(t, "all are told", func() bool { ids, err := r.told(); return err != nil || len(ids) >= len(acknowledged) })
			ids, err := r.told()
			if lost := missing(ids, acknowledged); lost != nil || err != nil || r.most() > 1 {
				t.Errorf("%d were lost or told twice, %v, %d at once", len(lost), err, r.most())
			}
			waits(t, "that is stored", func() bool { hook := o.stored(t, id); return hook.Message == nil && hook.State() == "live" })
			if n := len(r.all()); int64(n) < s.Received() {
				t.Errorf("%d posts, and %d were received", n, s.Received())
			}
		})
	}
}

func TestADatabaseThatIsKilledLosesNoMessage(t *testing.T) {
	t.Parallel()
	node := pgtest.NewNode(t)
	if err := postgres.Migrate(t.Context(), node.URL("backoffice")); err != nil {
		t.Fatal(err)
	}
	o := newOffice(t, openPostgres(t, node.URL("backoffice")), nil)
	r := receive(t, nil)
	id, _ := o.hook(t, r.URL)
	at := newClock() // so that nobody waits for the next attempt
	o.sender(t, func(s *Sender) { s.now = at.now })
	var acknowledged []string
	refused := 0
	write := func(until time.Time) {
		for ; time.Now().Before(until); at.pass(time.Second) {
			label := backoffice.NewID()
			err := o.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
				if err := tx.Labels().Insert(ctx, &backoffice.Label{ID: label, Name: label}); err != nil {
					return err
				}
				return tx.LogChanges(ctx, &backoffice.Change{At: backoffice.InstantOf(time.Now()), Action: "createLabel", Noun: backoffice.NounLabel, ObjectID: label})
			})
			if err != nil { // it may be there all the same, and be told
				refused++
				time.Sleep(10 * time.Millisecond)
				continue
			}
			acknowledged = append(acknowledged, label)
		}
	}
	for range 3 {
		write(time.Now().Add(300 * time.Millisecond))
		node.Crash(t)
		write(time.Now().Add(50 * time.Millisecond))
		node.Start(t)
	}
	write(time.Now().Add(300 * time.Millisecond))
	waits(t, "all are told", func() bool {
		at.pass(time.Second)
		ids, err := r.told()
		return err != nil || missing(ids, acknowledged) == nil
	})
	ids, err := r.told()
	if lost := missing(ids, acknowledged); lost != nil || err != nil || refused == 0 || r.most() > 1 {
		t.Errorf("%d of %d were lost or told twice, %v; %d writes were refused; %d posts at once", len(lost), len(acknowledged), err, refused, r.most())
	}
	waits(t, "that is stored", func() bool { at.pass(time.Second); return o.stored(t, id).Message == nil })
}
