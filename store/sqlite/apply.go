package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
)

// applicationIDAt is where the first page has the application id.
const applicationIDAt = 68

// Pages are the pages of a stand-by's database in a transaction that writes them.
type Pages struct {
	ctx      context.Context
	get, put *sql.Stmt
	size     int64  // of a page
	count    int64  // with those that were written
	end      int64  // the count at the end
	first    []byte // the first page
	cookie   uint32 // in the first page before: it changes with the schema
}

// Apply writes pages in one transaction, by way of SQLite: those who read see it as that of any program. It asks keep
// whether to commit, with the state after it, which is unknown if the schema changed.
func Apply(ctx context.Context, path string, write func(*Pages) error,
	keep func(after State, schema bool) error) error {
	// Each time on another connection: SQLite does not notice that pages are written below what it has parsed.
	return with(dsn(path, "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)"), func(db *sql.DB) error {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		if _, err = conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err == nil {
			err = apply(ctx, conn, write, keep)
		}
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
		return errors.Join(err, conn.Close())
	})
}

func apply(ctx context.Context, conn *sql.Conn, write func(*Pages) error, keep func(State, bool) error) error {
	p := &Pages{ctx: ctx}
	err := conn.QueryRowContext(ctx, "SELECT page_size, page_count, schema_version FROM pragma_page_size,"+
		" pragma_page_count, pragma_schema_version").Scan(&p.size, &p.count, &p.cookie)
	if err != nil {
		return err
	}
	p.end = p.count
	if p.get, err = conn.PrepareContext(ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = $1"); err != nil {
		return err
	}
	defer p.get.Close()
	if p.put, err = conn.PrepareContext(ctx, "INSERT INTO sqlite_dbpage (pgno, data) VALUES ($1, $2)"); err != nil {
		return err
	}
	defer p.put.Close()
	if err := write(p); err != nil {
		return err
	}
	if err := p.finish(conn); err != nil {
		return err
	}
	var after State
	schema := p.first != nil && word(p.first, cookieAt) != p.cookie
	if !schema {
		// A savepoint has SQLite read again how many pages there are.
		if _, err := conn.ExecContext(ctx, "SAVEPOINT written; RELEASE written"); err != nil {
			return err
		}
		if after, err = stateOf(ctx, conn); err != nil {
			return err
		}
	}
	if err := keep(after, schema); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}

// WriteAt writes a page, unless the database has it already.
func (p *Pages) WriteAt(page []byte, at int64) (int, error) {
	if int64(len(page)) != p.size {
		return 0, fmt.Errorf("its pages have %d bytes, and those of this database %d: remove this one",
			len(page), p.size)
	}
	number := at/p.size + 1
	if number == 1 { // last: with it, SQLite reads the schema anew
		p.first = bytes.Clone(page)
		binary.BigEndian.PutUint32(p.first[applicationIDAt:], standByID)
		return len(page), nil
	}
	var has []byte
	err := p.get.QueryRowContext(p.ctx, number).Scan(&has)
	if err == nil && bytes.Equal(has, page) || err != nil && !errors.Is(err, sql.ErrNoRows) {
		return len(page), err
	}
	p.count = max(p.count, number)
	_, err = p.put.ExecContext(p.ctx, number, page)
	return len(page), err
}

// Truncate makes the database that many bytes long.
func (p *Pages) Truncate(size int64) error {
	p.end = size / p.size
	return nil
}

// finish writes the first page, and makes the database as long as the last Truncate asks for.
func (p *Pages) finish(conn *sql.Conn) error {
	if p.end > p.count { // the last page was never written
		if _, err := p.put.ExecContext(p.ctx, p.end, make([]byte, p.size)); err != nil {
			return err
		}
	}
	text, args := "INSERT INTO sqlite_dbpage (pgno, data) VALUES ($1, $2)", []any{1, p.first}
	switch cut := p.end < p.count; {
	case cut && p.first == nil:
		args = []any{p.end + 1, nil}
	case cut:
		text, args = text+", ($3, NULL)", append(args, p.end+1) // both at once
	case p.first == nil:
		return nil
	}
	_, err := conn.ExecContext(p.ctx, text, args...)
	return err
}

// MarkStandBy makes a database that is not open a stand-by's.
func MarkStandBy(ctx context.Context, path string) error {
	return classify(ctx, with(dsn(path), func(db *sql.DB) error { // which is no change of the schema
		_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", standByID))
		return err
	}))
}
