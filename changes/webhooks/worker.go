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

	// A worker has the lease of its webhook for so long that an attempt is over before another sender may have it. It
	// asks for more time when less than leaseLeft of it is left, and gives it back when it ends.
	leaseTime = 30 * time.Second
	leaseLeft = attemptTime + 5*time.Second
)

// worker serves one webhook until its message is not due yet, another sender has it, or it stops.
type worker struct {
	*Sender
	id      string
	version int64
	kinds   backoffice.ChangeKinds
	stop    backoffice.WebhookStop // why it has to stop, "" when it may be told of kinds
	again   bool                   // the one before has failed, and said why
	end     context.CancelFunc
	done    chan struct{}
	broke   bool // by a fault, when it is done

	leased backoffice.Instant // until then, zero for not
	hook   *backoffice.Webhook
}

var (
	errElsewhere = errors.New("another sender serves it, or an operator has altered it")
	errMoved     = errors.New("another sender has served it meanwhile")
	errOver      = errors.New("there is nothing to do for now")
)

// begin starts a worker, behind one that is done, nil for none.
func (s *Sender) begin(ctx context.Context, hook *backoffice.Webhook, kinds backoffice.ChangeKinds, stop backoffice.WebhookStop, before *worker) *worker {
	own, end := context.WithCancel(ctx)
	w := &worker{Sender: s, id: hook.ID, version: hook.Version, kinds: kinds, stop: stop, again: before != nil && before.broke, end: end, done: make(chan struct{})}
	s.work.Go(func() {
		defer close(w.done)
		defer end()
		w.run(own)
	})
	return w
}

// is reports whether the worker does what is wanted of it now.
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
	for errors.Is(err, errMoved) {
		err = w.serve(ctx)
	}
	w.broke = err != nil && !errors.Is(err, errElsewhere) && !errors.Is(err, errOver) && ctx.Err() == nil
	if w.broke && !w.again {
		w.Log.WarnContext(ctx, "a webhook cannot be served now", "webhook", w.id, "cause", causeOf(err))
	}
}

// release lets another sender have the webhook at once.
func (w *worker) release(ctx context.Context) {
	if w.leased.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	_ = w.Store.EndLease(ctx, nameOf(w.id), w.holder) // else it ends by its time
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
			if reader == nil || reader.At() < w.hook.At { // the message that was on its way when this worker began took it further
				reader = w.Feed.Read(w.hook.History, w.hook.At, w.kinds)
			}
			err = w.compose(ctx, reader)
		case !w.hook.May(w.kinds):
			if err = w.own(ctx); err == nil {
				w.hook.Withdraw()
				err = w.step(ctx)
			}
		case w.hook.Due > backoffice.InstantOf(w.now()):
			return errOver
		default:
			err = w.attempt(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// own makes sure that the webhook is this sender's for longer than an attempt takes, and as it was read.
func (w *worker) own(ctx context.Context) error {
	now := w.now()
	if w.leased >= backoffice.InstantOf(now.Add(leaseLeft)) {
		return nil
	}
	lease := backoffice.Lease{Name: nameOf(w.id), Holder: w.holder, Since: backoffice.InstantOf(now), Until: backoffice.InstantOf(now.Add(leaseTime))}
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
		return errMoved
	}
	return nil
}

// step stores how far the webhook has come. It has to be owned.
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

// compose waits for changes, and puts a message of them on its way. It is stored before it is sent for the first time:
// so every attempt sends the same, whoever makes it.
func (w *worker) compose(ctx context.Context, reader *changes.Reader) error {
	idle, cancel := context.WithTimeout(ctx, w.idle)
	defer cancel()
	found, err := reader.Next(idle, atOnce)
	w.hook.History = reader.History() // which may go on from the one before
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

// moveOn notes that the webhook is told nothing up to a number: or its place would expire while others write.
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

// attempt sends the message on its way once, and stores what came of it.
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
		return errors.Join(err, ctx.Err()) // it was cut off by us: nobody knows, so it is sent again
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
	w.Log.WarnContext(ctx, "a webhook's message was not received", "webhook", w.id, "message", id, "attempt", w.hook.Attempts, "failure", answer.Failure,
		"next", w.hook.Due, "stopped", w.hook.Stop.Sentence(), "cause", answer.cause)
	return errOver
}

// causeOf is what an error of the store hides from callers.
func causeOf(err error) error {
	var known *backoffice.Error
	if errors.As(err, &known) && known.Cause != nil {
		return known.Cause
	}
	return err
}
