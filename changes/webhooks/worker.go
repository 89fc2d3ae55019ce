package webhooks

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes"
)

const (
	atOnce = 100 // changes of a message

	// A worker's lease lasts so long that an attempt is over before another sender may have the webhook. It renews the
	// lease when less than leaseLeft of it is left, and releases it at its end.
	leaseTime = 30 * time.Second
	leaseLeft = attemptTime + 5*time.Second
)

// worker serves one webhook until its message is not due yet, another sender has it, or it stops.
type worker struct {
	*Sender
	id      string
	version int64
	kinds   backoffice.ChangeKinds
	stop    backoffice.WebhookStop // why it has to stop, "" when it may get changes of kinds
	again   bool                   // the previous one has failed, and logged why
	end     context.CancelFunc
	done    chan struct{}
	broke   bool // by a fault, once done

	leased backoffice.Instant // until then; zero for none
	hook   *backoffice.Webhook
}

var (
	errElsewhere = errors.New("another sender is serving it, or an operator changed it")
	errOver      = errors.New("there is nothing to do for now")
)

// begin starts a worker, in place of one that is done, nil for none.
func (s *Sender) begin(ctx context.Context, hook *backoffice.Webhook, kinds backoffice.ChangeKinds,
	stop backoffice.WebhookStop, before *worker) *worker {
	own, end := context.WithCancel(ctx)
	w := &worker{Sender: s, id: hook.ID, version: hook.Version, kinds: kinds, stop: stop,
		again: before != nil && before.broke, end: end, done: make(chan struct{})}
	s.work.Go(func() {
		defer close(w.done)
		defer end()
		w.run(own)
	})
	return w
}

// is reports whether the worker runs with these settings.
func (w *worker) is(version int64, kinds backoffice.ChangeKinds, stop backoffice.WebhookStop) bool {
	return w.version == version && w.kinds == kinds && w.stop == stop
}

func (w *worker) working() bool {
	select {
	case <-w.done:
		return false
	default:
		return true
	}
}

func (w *worker) run(ctx context.Context) {
	defer w.release(ctx)
	err := w.serve(ctx)
	w.broke = err != nil && !errors.Is(err, errElsewhere) && !errors.Is(err, errOver) && ctx.Err() == nil
	if w.broke && !w.again {
		w.Log.WarnContext(ctx, "a webhook cannot be served now", "webhook", w.id, "cause", backoffice.Cause(err))
	}
}

// release lets another sender have the webhook immediately.
func (w *worker) release(ctx context.Context) {
	if w.leased.IsZero() {
		return
	}
	_ = w.Store.EndLease(ctx, nameOf(w.id), w.holder) // else it expires
}

func (w *worker) serve(ctx context.Context) (err error) {
	if w.hook, err = w.Store.Webhook(ctx, w.id); err != nil {
		return err
	}
	if w.stop != "" {
		return w.halt(ctx, w.stop)
	}
	var reader *changes.Reader
	for {
		switch {
		case w.hook.Message == nil:
			if reader == nil || reader.At() < w.hook.At { // the message pending at the start moved the webhook on
				reader = w.Feed.Read(w.hook.History, w.hook.At, w.kinds)
			}
			err = w.compose(ctx, reader)
		case !w.hook.May(w.kinds):
			if err = w.own(ctx); err == nil {
				w.hook.Withdraw()
				err = w.step(ctx)
			}
		case !w.hook.IsDue(backoffice.InstantOf(w.now())):
			return errOver
		default:
			err = w.attempt(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// own makes sure that the webhook is unchanged, and this sender's for longer than an attempt takes.
func (w *worker) own(ctx context.Context) error {
	now := w.now()
	if w.leased >= backoffice.InstantOf(now.Add(leaseLeft)) {
		return nil
	}
	lease := backoffice.Lease{Name: nameOf(w.id), Holder: w.holder, Since: backoffice.InstantOf(now),
		Until: backoffice.InstantOf(now.Add(leaseTime))}
	taken, err := w.Store.TakeLease(ctx, lease, backoffice.InstantOf(now), "")
	if err != nil {
		return err
	}
	if !taken {
		return errElsewhere
	}
	w.leased = lease.Until
	stored, err := w.Store.Webhook(ctx, w.id)
	if err != nil {
		return err
	}
	if stored.Version != w.hook.Version || stored.Steps != w.hook.Steps {
		return errElsewhere
	}
	return nil
}

// step stores how far the webhook has come. The worker must own it.
func (w *worker) step(ctx context.Context) error {
	done, err := w.Store.StepWebhook(ctx, w.hook)
	if err == nil && !done {
		err = errElsewhere
	}
	return err
}

// halt stops the webhook until an operator rewinds it.
func (w *worker) halt(ctx context.Context, why backoffice.WebhookStop) error {
	if err := w.own(ctx); err != nil {
		return err
	}
	w.hook.Stop = why
	if err := w.step(ctx); err != nil {
		return err
	}
	w.Log.WarnContext(ctx, "a webhook is stopped", "webhook", w.id, "reason", why.Sentence())
	return errOver
}

// compose waits for changes, and makes a message of them. It stores the message before its first attempt, so that every
// attempt sends the same, by any sender.
func (w *worker) compose(ctx context.Context, reader *changes.Reader) error {
	idle, cancel := context.WithTimeout(ctx, w.idle)
	defer cancel()
	found, err := reader.Next(idle, atOnce)
	w.hook.History = reader.History() // which may continue the previous one
	switch {
	case backoffice.KindOf(err) == backoffice.CursorExpired:
		return w.halt(ctx, backoffice.WebhookExpired)
	case err != nil && idle.Err() != nil && ctx.Err() == nil:
		return w.moveOn(ctx, reader.At())
	case err != nil:
		return err
	}
	if err := w.own(ctx); err != nil {
		return err
	}
	message, err := changesMessage(w.hook.History, w.hook.At, found, w.now())
	if err != nil {
		return err
	}
	w.hook.Begin(message)
	return w.step(ctx)
}

// moveOn stores that the webhook gets nothing up to a number. Without it, its cursor would expire while others write.
func (w *worker) moveOn(ctx context.Context, at int64) error {
	if at <= w.hook.At {
		return nil
	}
	if err := w.own(ctx); err != nil {
		return err
	}
	w.hook.At = at
	return w.step(ctx)
}

// attempt sends the pending message once, and stores the outcome.
func (w *worker) attempt(ctx context.Context) error {
	if err := w.own(ctx); err != nil {
		return err
	}
	if stored, err := w.Store.Webhook(ctx, w.id); err != nil || stored.Version != w.version { // disabled, or altered
		return cmp.Or(err, errElsewhere)
	}
	id := w.hook.MessageID()
	answer, err := w.client.post(ctx, w.hook, id, w.hook.Message.Body, w.now())
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err()) // we cut it off: the outcome is unknown, so it is sent again
	}
	now := backoffice.InstantOf(w.now())
	switch {
	case answer.Received():
		w.hook.Received(now)
		w.received.Add(1)
		return w.step(ctx)
	case answer.gone():
		w.hook.Refused(now, answer.Failure)
	default:
		w.hook.Failed(now, answer.Failure, answer.retryAfter, rand.Float64())
	}
	w.failed.Add(1)
	if err := w.step(ctx); err != nil {
		return err
	}
	w.Log.WarnContext(ctx, "a webhook's message was not delivered", "webhook", w.id, "message", id,
		"attempt", w.hook.Attempts, "failure", answer.Failure, "next", w.hook.Due,
		"stopped", w.hook.Stop.Sentence(), "cause", answer.cause)
	return errOver
}
