package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"example.org/backoffice/store"
)

// Follower reads the log (-wal) of an open store transaction by transaction and misses none, whichever process wrote
// it. Use it from one goroutine.
//
// SQLite starts the log anew, and overwrites it, when all of it was written back to the database. The follower holds a
// transaction that reads, its pin, which prevents that for all that is committed later: a log starts anew only where
// the pin is. It moves the pin when it has read everything and holds the write lock, so nothing comes between.
type Follower struct {
	engine *engine
	log    *os.File
	db     *sql.DB
	pin    *sql.Conn
	page   int64       // size
	at     logPosition // everything before was read
	pinned logPosition // where the pin began
	last   int64       // the number of the last entry of the change log there
}

// ErrLostLog reports that the log was overwritten before it was read.
var ErrLostLog = errors.New("the database's log was started anew before it was read")

const (
	lockTime = 5 * time.Second // how long a follower waits for the write lock: longer than any write of a server
	// ownCheckpoints is SQLite's own setting of when a commit writes the log back.
	ownCheckpoints = 1000
	logLimit       = 64 << 20 // bytes, of a log that begins anew
)

// Follow begins to follow the log from what is committed now, which Pages reads. Close the follower before the store.
func (s *Store) Follow(ctx context.Context) (*Follower, error) {
	f := &Follower{engine: s.engine}
	err := f.open(ctx)
	if err == nil {
		err = f.locked(ctx, func(c *lease) error {
			if err := f.keepLog(ctx, c, 0, 0); err != nil {
				return err
			}
			end, err := f.end(ctx)
			if err == nil && end > 0 {
				_, f.at, err = readLog(f.log, f.page, logPosition{}, end)
			}
			if err == nil {
				f.last, err = lastEntry(ctx, c)
			}
			if err != nil {
				return err
			}
			return f.putPin(ctx)
		})
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(ctx))
	}
	return f, nil
}

func (f *Follower) open(ctx context.Context) (err error) {
	path := f.engine.path
	if f.db, err = sql.Open("sqlite", dsn(path)); err != nil {
		return err
	}
	if f.pin, err = f.db.Conn(ctx); err != nil {
		return err
	}
	if err = f.pin.QueryRowContext(ctx, "PRAGMA page_size").Scan(&f.page); err != nil {
		return err
	}
	f.log, err = os.Open(path + "-wal") // which has no locks that closing it would release
	return err
}

// Close gives the log back to SQLite.
func (f *Follower) Close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	if f.pin != nil {
		_, _ = f.pin.ExecContext(ctx, "ROLLBACK")
		errs = append(errs, f.pin.Close())
		c, err := f.engine.writer.acquire(ctx) // without the write lock, which another process may hold
		if err == nil {
			err = f.keepLog(ctx, c, ownCheckpoints, logLimit)
			f.engine.writer.release(c)
		}
		errs = append(errs, err)
	}
	if f.db != nil {
		errs = append(errs, f.db.Close())
	}
	if f.log != nil {
		errs = append(errs, f.log.Close())
	}
	return errors.Join(errs...)
}

// keepLog has the log written back after so many frames, 0 for never, and cut to so many bytes when it begins anew: to
// its new end while it is followed, as nothing that is erased may stay behind it.
func (f *Follower) keepLog(ctx context.Context, c *lease, frames, limit int) error {
	set := func(pragma string, value int) error {
		text := fmt.Sprintf("PRAGMA %s = %d", pragma, value)
		return (&store.Statement{Text: text, Each: func(*store.Row) error { return nil }}).Run(ctx, c)
	}
	return errors.Join(set("wal_autocheckpoint", frames), set("journal_size_limit", limit))
}

// locked runs do while no process writes.
func (f *Follower) locked(ctx context.Context, do func(*lease) error) error {
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	c, err := f.engine.beginWrite(waiting)
	if err != nil {
		return err
	}
	defer f.engine.writer.release(c)
	defer func() { _ = c.exec(context.WithoutCancel(ctx), "ROLLBACK") }()
	if err := f.engine.place.check(); err != nil {
		return err
	}
	return do(c)
}

// putPin begins the pin where the log ends. It is called with the write lock, when everything was read.
func (f *Follower) putPin(ctx context.Context) error {
	if _, err := f.pin.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	var pages int64
	f.pinned = f.at
	return f.pin.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&pages)
}

// end is where the log ends for SQLite, in bytes. What follows was not committed.
func (f *Follower) end(ctx context.Context) (end int64, err error) {
	read := &store.Statement{Text: "PRAGMA wal_checkpoint(NOOP)", Each: func(row *store.Row) error {
		if frames := row.Int(1); frames > 0 {
			end = logHeader + frames*(logFrame+f.page)
		}
		return nil
	}}
	err = read.Run(ctx, f.engine.own)
	return end, err
}

// Large reports whether the log has more bytes than these, so that Renew is due.
func (f *Follower) Large(bytes int64) bool { return f.at.at > bytes }

func lastEntry(ctx context.Context, c store.Sender) (last int64, err error) {
	read := &store.Statement{Text: store.LastEntry, Each: func(row *store.Row) error { last = row.Int(0); return nil }}
	err = read.Run(ctx, c)
	return last, err
}

// PageSize is the size of a page in bytes.
func (f *Follower) PageSize() int { return int(f.page) }

// Last is the number of the last entry of the change log in what was read.
func (f *Follower) Last() int64 { return f.last }

// Pages reads the whole database as it was where the follower began: call it before Next.
func (f *Follower) Pages(ctx context.Context, begin func(count uint32) error, each func(page uint32, data []byte) error,
) error {
	var count uint32
	if err := f.pin.QueryRowContext(ctx, "PRAGMA page_count").Scan(&count); err != nil {
		return classify(ctx, err)
	}
	if err := begin(count); err != nil {
		return err
	}
	rows, err := f.pin.QueryContext(ctx, "SELECT pgno, data FROM sqlite_dbpage")
	if err != nil {
		return classify(ctx, err)
	}
	defer func() { _ = rows.Close() }()
	var page uint32
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&page, &data); err != nil {
			return classify(ctx, err)
		}
		if err := each(page, data); err != nil {
			return err
		}
	}
	return classify(ctx, rows.Err())
}

// Batch is what was committed after the batch before.
type Batch struct {
	Transactions []LogTransaction
	Bytes        int64 // of the log
	Last         int64 // the number of the last entry of the change log after it
	log          io.ReaderAt
}

// Read reads a page of a transaction, as long as the follower has not moved its pin.
func (b *Batch) Read(frame LogFrame, page []byte) error {
	_, err := b.log.ReadAt(page, frame.at)
	return err
}

// Next returns what was committed since the last call.
func (f *Follower) Next(ctx context.Context) (*Batch, error) {
	ahead, reached := f.readAhead()
	var batch *Batch
	err := f.locked(ctx, func(c *lease) (err error) {
		batch, err = f.read(ctx, c, ahead, reached)
		return err
	})
	return batch, err
}

// Renew is Next, and then lets the log be written back to the database and start anew. keep must read all that it needs
// of the batch; writers wait for it.
func (f *Follower) Renew(ctx context.Context, keep func(*Batch) error) error {
	ahead, reached := f.readAhead()
	return f.locked(ctx, func(c *lease) error {
		batch, err := f.read(ctx, c, ahead, reached)
		if err != nil {
			return err
		}
		if err := keep(batch); err != nil {
			return err
		}
		if _, err := f.pin.ExecContext(ctx, "ROLLBACK"); err != nil {
			return err
		}
		_, _ = f.pin.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)") // if it fails, the log grows until the next one
		return f.putPin(ctx)
	})
}

// readAhead reads without the lock, so that writers need not wait for it. What it finds may not be committed.
func (f *Follower) readAhead() ([]LogTransaction, logPosition) {
	if !f.at.ends(f.log, f.page) {
		return nil, f.at
	}
	ahead, reached, _ := readLog(f.log, f.page, f.at, math.MaxInt64)
	return ahead, reached
}

// read reads the rest of the log, with the write lock. What was read ahead counts if the log has its last frame still,
// whose checksum covers all before.
func (f *Follower) read(ctx context.Context, c *lease, ahead []LogTransaction, reached logPosition) (*Batch, error) {
	end, err := f.end(ctx)
	if err != nil {
		return nil, err
	}
	from := f.at
	if end == 0 || from.at > 0 && !from.isIn(f.log, f.page) {
		if f.at != f.pinned {
			return nil, ErrLostLog
		}
		ahead, reached, from = nil, f.at, logPosition{}
	}
	batch := &Batch{log: f.log, Last: f.last}
	if end == 0 { // written back, and nothing written since
		return batch, nil
	}
	if reached == f.at || reached.at > end || !reached.ends(f.log, f.page) {
		ahead, reached = nil, from
	}
	rest, now, err := readLog(f.log, f.page, reached, end)
	if err != nil {
		return nil, errors.Join(ErrLostLog, err)
	}
	batch.Transactions, batch.Bytes = slices.Concat(ahead, rest), now.at-from.at
	if batch.Last, err = lastEntry(ctx, c); err != nil {
		return nil, err
	}
	f.at, f.last = now, batch.Last
	return batch, nil
}

// isIn reports whether the log is still the run of a position.
func (p logPosition) isIn(log io.ReaderAt, page int64) bool {
	start, err := logStart(log, page)
	return err == nil && start.salts == p.salts
}

// Unread is how many bytes of the log were not read yet.
func (f *Follower) Unread(ctx context.Context) (int64, error) {
	end, err := f.end(ctx)
	if f.at.isIn(f.log, f.page) {
		end -= f.at.at
	}
	return max(0, end), err
}
