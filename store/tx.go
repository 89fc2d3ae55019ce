package store

import (
	"context"

	"example.org/backoffice/backoffice"
)

// tx is a transaction. What fails in it makes it good for nothing: PostgreSQL takes no statement after a failed one, and
// a part of a refused write may be done. So the first failure is kept, whatever the caller makes of it.
type tx struct {
	nounReader
	store     *Store
	conn      Conn
	copier    Copier    // nil when the engine copies nothing
	batchConn BatchConn // nil when the engine is here
	failed    error
	changes   []*backoffice.Change
	visible   visibility
	aside     int64 // entries of the change log that are in a temporary table

	touched        map[object]*touch // what the log does not tell of yet
	touchedInOrder []object
	author         *backoffice.Change // the last entry that somebody logged
}

var _ backoffice.Tx = (*tx)(nil)

// fail notes and returns the reason for which the transaction can't be committed any more.
func (t *tx) fail(err error) error {
	if violationOf(t.failed) != nil || t.failed == nil {
		t.failed = err
	}
	return err
}

// txConn refuses statements after a failure.
type txConn struct {
	conn Conn // for an engine without trips
	tx   *tx
}

func (c *txConn) Query(ctx context.Context, text string, args []any, each func(*Row) error) error {
	if c.tx.failed != nil {
		return c.tx.failed
	}
	if c.tx.batchConn == nil {
		return c.note(c.conn.Query(ctx, text, args, each))
	}
	each, end := metered(ctx, each)
	s := &Statement{Text: text, Args: args, Each: each}
	if c.tx.send(ctx, s); s.Err == nil {
		s.Err = end()
	}
	return c.note(s.Err)
}

func (c *txConn) Exec(ctx context.Context, text string, args []any) (n int64, err error) {
	if c.tx.failed != nil {
		return 0, c.tx.failed
	}
	if c.tx.batchConn == nil {
		n, err = c.conn.Exec(ctx, text, args)
		return n, c.note(err)
	}
	s := &Statement{Text: text, Args: args}
	c.tx.send(ctx, s)
	return s.Changed, c.note(s.Err)
}

// note keeps a failure. What became of a violation is told by the writer that met it.
func (c *txConn) note(err error) error {
	if err != nil && c.tx.failed == nil && violationOf(err) == nil {
		c.tx.failed = err
	}
	return err
}

// What advisory locks are for. An engine with a single writer needs none.
const (
	lockIdentifiers int64 = iota + 1 // identifiers that come from elsewhere
	lockChanges                      // the end of the change log
	lockChains                       // the register of consultations: its number of chains
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

func simpleWriter[T any, C comparable](t *tx, of *table[T, C]) *writer[T, C] {
	w := writerOf(t, of)
	return &w
}
