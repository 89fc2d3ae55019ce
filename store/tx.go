package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

// tx is a transaction. What fails in it makes it good for nothing: PostgreSQL takes no statement after a failed one,
// and a part of a refused write may be done. So the first failure is kept, whatever the caller makes of it.
type tx struct {
	nounReader
	backoffice.WritersByName
	store     *Store
	to        Sender
	conn      Conn
	copier    Copier     // nil when the engine copies nothing
	batchConn BatchConn  // nil when the engine is here
	running   *coroutine // of several that ask together; nil when there are none
	failed    error
	changes   []*backoffice.Change
	visible   visibility
	aside     int64 // entries of the change log that are in a temporary table

	acts  bool            // something that is an act when an administrator does it
	noted *backoffice.Act // whose entry is among the changes

	touched        map[object]*touch // what the log does not tell of yet
	touchedInOrder []object
	author         *backoffice.Change // the last entry that somebody logged

	keeping *backoffice.Keeping // see KeepDeleted
	dryRun  bool                // see DryRun

	restricted bool
	wrote      map[backoffice.Noun]map[string]bool // what is there when it ends, of one that is restricted
	passed     map[object]bool                     // by goesInView
}

var _ backoffice.Tx = (*tx)(nil)

// fail notes and returns the reason for which the transaction can't be committed any more.
func (t *tx) fail(err error) error {
	if violationOf(t.failed) != nil || t.failed == nil {
		t.failed = err
	}
	return err
}

// inTx sends statements with those of the functions beside, if there are such, and none after a failure. What became
// of a violation is told by the writer that met it.
type inTx struct{ tx *tx }

func (i inTx) Send(ctx context.Context, statements ...*Statement) {
	t := i.tx
	if t.failed != nil {
		failAll(statements, t.failed)
		return
	}
	t.trip(ctx, statements)
	for _, s := range statements {
		if s.Err != nil && t.failed == nil && violationOf(s.Err) == nil {
			t.failed = s.Err
		}
	}
}

// trip sends statements, or leaves that to the functions beside.
func (t *tx) trip(ctx context.Context, statements []*Statement) {
	if t.running == nil {
		t.to.Send(ctx, statements...)
	} else if !t.running.ask(statements) {
		failAll(statements, ErrNotRun)
	}
}

func failAll(statements []*Statement, err error) {
	for _, s := range statements {
		s.Err = err
	}
}

// What advisory locks are for. An engine with a single writer needs none.
const (
	lockIdentifiers int64 = iota + 1 // identifiers that come from elsewhere
	lockChanges                      // the end of the change log
	lockChains                       // the register of consultations: its number of chains
	lockAssignments                  // who has which checklist, among those who assign one to many
	lockDocuments                    // the trusted documents
	lockKeys                         // the keys of the keyset, and who knows them
)

func (t *tx) lock(ctx context.Context, what int64) error {
	if lock := t.store.engine.Dialect().lock; lock != "" {
		return t.conn.Query(ctx, lock, []any{what}, func(*Row) error { return nil })
	}
	return nil
}

func writerOf[T any, C comparable](t *tx, of *table[T, C]) writer[T, C] {
	return writer[T, C]{reader[T, C]{on(t.store.nouns, of), t.from}, t.conn, t}
}

func (t *tx) Records(of backoffice.Noun) any { return described[placeOf(of)].writes(t) }
