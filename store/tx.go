package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

// tx is a transaction. A failure makes it unusable: PostgreSQL accepts no statement after a failed one, and a rejected
// write may be half done. So it keeps the first failure, even if the caller ignores it.
type tx struct {
	nounReader
	backoffice.WritersByName
	store     *Store
	to        Sender
	conn      Conn
	copier    Copier     // nil when the engine cannot copy
	batchConn BatchConn  // nil when the engine is local
	running   *coroutine // of several that share round trips; nil when there are none
	failed    error
	changes   []*backoffice.Change
	visible   visibility
	later     []*later
	late      bool  // a write that waited has failed
	eager     bool  // none waits
	aside     int64 // entries of the change log that are in a temporary table
	early     int64 // the number of the first entry that is in the log already; 0 for none

	acts  bool            // something that is an act when an administrator does it
	noted *backoffice.Act // whose entry is among the changes

	touched        map[object]*touch // what is not in the log yet
	touchedInOrder []object
	author         *backoffice.Change // the last entry that was logged explicitly

	erased    bool                // something is deleted, for now or for good
	forgotten []string            // see ForgottenWith
	keeping   *backoffice.Keeping // see KeepDeleted
	dryRun    bool                // see DryRun

	importing int64 // see KeepBefore; 0 for none

	restricted bool
	wrote      map[backoffice.Noun]map[string]bool // whether the records exist at the end, in a restricted transaction
	passed     map[object]bool                     // by goesInView
}

var _ backoffice.Tx = (*tx)(nil)

// fail records and returns the reason why the transaction can't be committed any more.
func (t *tx) fail(err error) error {
	if violationOf(t.failed) != nil || t.failed == nil {
		t.failed = err
	}
	return err
}

// inTx sends statements, with those of other coroutines; none after a failure. The causing writer reports a violation.
type inTx struct{ tx *tx }

func (i inTx) Send(ctx context.Context, statements ...*Statement) {
	t := i.tx
	if t.failed != nil {
		FailAll(statements, t.failed)
		return
	}
	t.trip(ctx, statements)
	for _, s := range statements {
		if s.Err != nil && t.failed == nil && violationOf(s.Err) == nil {
			t.failed = s.Err
		}
	}
}

// trip sends statements, or leaves that to the coroutines.
func (t *tx) trip(ctx context.Context, statements []*Statement) {
	if t.running == nil {
		t.sendWaiting(ctx, statements)
	} else if !t.running.ask(statements) {
		FailAll(statements, ErrNotRun)
	}
}

// FailAll gives statements that were not run their error.
func FailAll(statements []*Statement, err error) {
	for _, s := range statements {
		s.Err = err
	}
}

// The purposes of advisory locks. An engine with a single writer needs none.
const (
	lockIdentifiers   int64 = iota + 1 // identifiers that come from elsewhere
	lockChanges                        // the end of the change log
	lockChains                         // the register of consultations: its number of chains
	lockAssignments                    // who has which checklist, for those who assign one to many
	lockDocuments                      // the trusted documents
	lockDiscrepancies                  // what is open
	lockKeys                           // the keys of the keyset, and who knows them
	lockMirror                         // what the store mirrors
	lockTrash                          // what comes back, or is erased
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
