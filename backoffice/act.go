package backoffice

import (
	"context"
	"sync/atomic"
	"time"
)

// NounAdministration names acts of administrators in the change log. The feed does not show them.
const NounAdministration Noun = "administration"

// Act is what an administrator does on the command line. The store adds it to the change log once, as an entry of its
// own, in the first transaction that changes something: the entry and the change are committed together.
type Act struct {
	Action   string        // the command: credentials create
	Operator string        // the user of the operating system and the host
	Flags    []string      // that were given, without their values
	Object   func() string // the object's ID; nil: that of the transaction's only entry
	noted    atomic.Bool
}

// WithAct attributes a context's transactions to an administrator's act; nil attributes them to none.
func WithAct(ctx context.Context, act *Act) context.Context {
	return WithRequest(ctx, func(r *Request) { r.act = act })
}

// ActOf returns the act of a context that is not in the change log yet, or nil.
func ActOf(ctx context.Context) *Act {
	act := RequestOf(ctx).act
	if act == nil || act.noted.Load() {
		return nil
	}
	return act
}

// OperatorOf is the principal of the command line. The register of consultations names by it who ran the command.
func OperatorOf(ctx context.Context) *Principal {
	name := "operator, on the command line"
	if act := RequestOf(ctx).act; act != nil {
		name = act.Operator + ", on the command line"
	}
	return &Principal{ClientID: "operator", Name: name, Scopes: AllScopes}
}

// Entry makes the act's entry of the change log, given the other entries of its transaction.
func (a *Act) Entry(others []*Change) *Change {
	c := &Change{
		At: InstantOf(time.Now()), Action: a.Action, Noun: NounAdministration, Fields: a.Flags, Operator: a.Operator,
		Done: Updated,
	}
	switch {
	case a.Object != nil:
		c.ObjectID = a.Object()
	case len(others) == 1:
		c.ObjectID = others[0].ObjectID
	}
	return c
}

// Noted records that a transaction with the entry is durable.
func (a *Act) Noted() { a.noted.Store(true) }

// NoteAct logs a context's act in a transaction of its own: for acts that change no record, or that must be logged
// before they begin. It does nothing when the act is logged already.
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
