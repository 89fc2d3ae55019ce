package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

type engine struct {
	path      string
	standBy   bool // refuses every write
	place     *place
	databases []*sql.DB
	writer    *pool // of one connection
	readers   *pool
	own       *pool // the process's own reads: callers that use every connection they can get do not reach these
	commits   commits
	dog       *watchdog
	health    health
	changes   int64 // total_changes of the writer, after the previous transaction
}

var _ store.Engine = (*engine)(nil)

func (e *engine) Dialect() *store.Dialect { return store.SQLite }

// Primary implements store.Engine. There is one database: each statement sees everything committed before it.
func (e *engine) Primary() store.Sender { return e.own }

func (e *engine) Write(ctx context.Context, do func(ctx context.Context, tx store.Sender) error) error {
	e.RenewSnapshot(ctx) // the next read sees the write, and no caller holds a reader while it waits for a writer
	c, err := e.beginWrite(ctx)
	if err != nil {
		return err
	}
	defer e.writer.release(c)
	// A transaction is ended even if its caller has gone: a connection is never left inside one.
	end := context.WithoutCancel(ctx)
	committed := false
	defer func() {
		if !committed {
			_ = c.exec(end, "ROLLBACK")
		}
	}()
	if err := do(ctx, c); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return classify(ctx, err)
	}
	if err := e.count(end, c); err != nil {
		return err
	}
	if err := e.place.check(); err != nil {
		return err
	}
	if err := c.exec(end, "COMMIT"); err != nil {
		return err
	}
	committed = true
	return e.place.check() // nothing keeps the files in their place
}

func (e *engine) Snapshot(ctx context.Context, do func(ctx context.Context, reads store.Sender) error) error {
	s := &snapshot{readers: e.readers}
	defer s.Close()
	return do(ctx, s)
}

// Ping implements store.Engine. It writes to a disk that was full, to see whether it still is.
func (e *engine) Ping(ctx context.Context) error {
	if err := e.place.check(); err != nil {
		return err
	}
	if err := e.health.fault(func() error { return findRoom(filepath.Dir(e.path)) }); err != nil {
		return err
	}
	ping := &store.Statement{Text: "SELECT /*backoffice:server.ping*/ 1", Each: func(*store.Row) error { return nil }}
	return ping.Run(ctx, e.own)
}

func (e *engine) Gauges() []backoffice.Gauge {
	return slices.Concat(store.GaugesOfPool("write", e.writer.scheduler),
		store.GaugesOfPool("read", e.readers.scheduler), store.GaugesOfPool("own", e.own.scheduler))
}

func (e *engine) Close() error {
	e.commits.mu.Lock()
	e.commits.release()
	e.commits.mu.Unlock()
	for _, p := range []*pool{e.commits.pool, e.own, e.readers, e.writer} {
		if p != nil {
			p.end()
		}
	}
	e.dog.end()
	var all error
	for _, db := range slices.Backward(e.databases) {
		all = errors.Join(all, db.Close())
	}
	return all
}

func (e *engine) backup(ctx context.Context, path string) error {
	err := with(dsn(e.path), func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, "VACUUM INTO $1", path)
		return err
	})
	if err == nil {
		err = own(ctx, path)
	}
	return classify(ctx, err)
}
