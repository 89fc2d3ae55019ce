package storetest

import (
	"context"
	"regexp"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

// through is a store that something can be put into, before its engine.
type through interface {
	Through(wrap func(store.Engine) store.Engine) *store.Store
}

// naming makes stores that let no statement pass which does not say what it is.
func naming(newStore func(t testing.TB) backoffice.Store) func(t testing.TB) backoffice.Store {
	return func(t testing.TB) backoffice.Store {
		opened := newStore(t)
		if of, ok := opened.(through); ok {
			return of.Through(func(engine store.Engine) store.Engine { return &namedEngine{engine, t} })
		}
		return opened
	}
}

// statementName is a table, or what else a statement is about, and in which shape it is asked.
var statementName = regexp.MustCompile(`^[a-z]+(_[a-z]+)*\.[a-z]+(_[a-z]+)*$`)

// checkNames fails a test by statements without a name.
func checkNames(t testing.TB, statements []*store.Statement) {
	t.Helper()
	for _, s := range statements {
		if !statementName.MatchString(s.Name()) {
			t.Errorf("a statement has the name %q: %s", s.Name(), s.Text)
		}
	}
}

// namedEngine checks the names of what is sent.
type namedEngine struct {
	store.Engine
	t testing.TB
}

func (e *namedEngine) Send(ctx context.Context, statements []*store.Statement, last bool) {
	checkNames(e.t, statements)
	e.Engine.Send(ctx, statements, last)
}

func (e *namedEngine) Primary() store.Sender { return namedSender{e.Engine.Primary(), e.t} }

func (e *namedEngine) Snapshot(ctx context.Context, do func(ctx context.Context, reads store.Sender) error) error {
	return e.Engine.Snapshot(ctx, func(ctx context.Context, reads store.Sender) error { return do(ctx, namedSender{reads, e.t}) })
}

func (e *namedEngine) Write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	return e.Engine.Write(ctx, func(ctx context.Context, tx store.Sender) error {
		far, isFar := tx.(store.BatchConn)
		copier, copies := tx.(store.Copier)
		switch {
		case isFar && copies:
			return do(ctx, struct {
				namedBatchConn
				store.Copier
			}{namedBatchConn{far, e.t}, copier})
		case isFar || copies:
			e.t.Error("a transaction whose statements cannot be looked at")
		}
		return do(ctx, namedSender{tx, e.t})
	})
}

type namedSender struct {
	store.Sender
	t testing.TB
}

func (s namedSender) Send(ctx context.Context, statements ...*store.Statement) {
	checkNames(s.t, statements)
	s.Sender.Send(ctx, statements...)
}

type namedBatchConn struct {
	store.BatchConn
	t testing.TB
}

func (s namedBatchConn) Send(ctx context.Context, statements ...*store.Statement) {
	checkNames(s.t, statements)
	s.BatchConn.Send(ctx, statements...)
}

func (s namedBatchConn) SendLast(statements ...*store.Statement) {
	checkNames(s.t, statements)
	s.BatchConn.SendLast(statements...)
}
