package backoffice

import (
	"context"
	"sync/atomic"
	"time"
)

// NounAdministration names acts of administrators in the change log. The feed shows nothing of them.
const NounAdministration Noun = "administration"

// Act is what an administrator does by the command line. The store notes it in the change log once, as an entry of its
// own, in the first transaction that changes something: with what is done or not at all.
type Act struct {
	Action   string        // the command: credentials create
	Operator string        // the user of the operating system and the host
	Flags    []string      // that were given, without their values
	Object   func() string // what it is about; nil: what the transaction's only entry is about

	noted atomic.Bool
}

// WithAct makes what a context's transactions do an administrator's act, and with nil nobody's.
func WithAct(ctx context.Context, act *Act) context.Context {
	return WithRequest(ctx, func(r *Request) { r.act = act })
}

// ActOf returns the act of a context that is not noted yet, nil when there is none.
func ActOf(ctx context.Context) *Act {
	act := RequestOf(ctx).act
	if act == nil || act.noted.Load() {
		return nil
	}
	return act
}

// Entry is the act's entry of the change log, beside the others of its transaction.
func (a *Act) Entry(beside []*Change) *Change {
	c := &Change{At: InstantOf(time.Now()), Action: a.Action, Noun: NounAdministration, Fields: a.Flags, Operator: a.Operator, Done: Updated}
	switch {
	case a.Object != nil:
		c.ObjectID = a.Object()
	case len(beside) == 1:
		c.ObjectID = beside[0].ObjectID
	}
	return c
}

// Noted says that a transaction with the entry is durable.
func (a *Act) Noted() { a.noted.Store(true) }

// NoteAct notes a context's act in a transaction of its own: for acts that change no record, or that are to be known
// of before they begin. It does nothing for one that is noted.
func NoteAct(ctx context.Context, store Store) error {
	act := ActOf(ctx)
	if act == nil {
		return nil
	}
	err := store.Write(WithAct(ctx, nil), func(ctx context.Context, tx Tx) error {
		return tx.LogChanges(ctx, act.Entry(nil))
	})
	if err == nil {
		act.Noted()
	}
	return err
}
