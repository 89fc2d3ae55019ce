package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"

	"example.org/backoffice/store"
)

// conn is a connection with its prepared statements, used by one caller at a time. It calls the driver itself:
// database/sql opens and closes connections, but its conversion of every value would cost more than the driver's work.
type conn struct {
	sql *sql.Conn
	// Statements used lately, and those from before. When there are too many young ones the old are dropped.
	young, old map[string]driver.Stmt
	long       driver.Stmt // the last one that is too long to be kept; nil for none
	broken     bool        // no longer usable
	running    running
	health     *health

	row    store.Row
	values []driver.Value
	args   []driver.NamedValue
}

const maxPrepared = 256

// with runs do with the prepared statement. A panic in it leaves the connection broken.
func (c *conn) with(text string, do func(driver.Stmt) error) error {
	c.broken = true
	err := c.sql.Raw(func(raw any) error {
		statement, err := c.prepared(raw, text)
		if err != nil {
			return err
		}
		return do(statement)
	})
	c.broken = errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone)
	return err
}

func (c *conn) prepared(raw any, text string) (driver.Stmt, error) {
	if known := c.young[text]; known != nil {
		return known, nil
	}
	statement := c.old[text]
	if statement != nil {
		delete(c.old, text)
	} else {
		var err error
		if statement, err = raw.(driver.ConnPrepareContext).PrepareContext(background, text); err != nil {
			return nil, err
		}
	}
	if len(text) > store.MaxKeptText {
		c.closeLong()
		c.long = statement
		return statement, nil
	}
	if len(c.young) >= maxPrepared {
		for _, unused := range c.old {
			_ = unused.Close()
		}
		c.old, c.young = c.young, make(map[string]driver.Stmt, maxPrepared)
	}
	c.young[text] = statement
	return statement, nil
}

// named puts the arguments in the driver's form, which is valid until the next call.
func (c *conn) named(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, arg := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: arg})
	}
	return c.args
}

// background is the context for the driver: for one that can end, the driver starts a goroutine with each statement,
// and checks it only until the first row. The watchdog checks the caller's context, and until the last.
var background = context.Background()

func (c *conn) Send(ctx context.Context, statements ...*store.Statement) {
	failed := false
	for _, s := range statements {
		if s.Err = store.ErrNotRun; !failed {
			s.Err = c.run(ctx, s)
		}
		failed = failed || s.Err != nil
	}
}

func (c *conn) run(ctx context.Context, s *store.Statement) error {
	if err := c.running.begin(ctx); err != nil {
		return classify(ctx, err)
	}
	defer c.running.end()
	var refused error
	err := c.with(s.Text, func(statement driver.Stmt) (err error) {
		if s.Each != nil {
			refused, err = c.query(statement, s)
			return err
		}
		result, err := statement.(driver.StmtExecContext).ExecContext(background, c.named(s.Args))
		if err == nil {
			s.Changed, err = result.RowsAffected()
		}
		return err
	})
	if refused != nil {
		return refused
	}
	ours := classify(ctx, err)
	if err != nil {
		c.health.note(code(err), ours)
	}
	return ours
}

func (c *conn) exec(ctx context.Context, text string) error {
	return (&store.Statement{Text: text}).Run(ctx, c)
}

// query passes rows on until one is rejected.
func (c *conn) query(statement driver.Stmt, s *store.Statement) (refused, err error) {
	rows, err := statement.(driver.StmtQueryContext).QueryContext(background, c.named(s.Args))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns := len(rows.Columns())
	for len(c.values) < columns {
		c.values = append(c.values, nil)
	}
	values := c.values[:columns]
	c.row.SetValues(values)
	for {
		switch err := rows.Next(values); {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		if refused := s.Each(&c.row); refused != nil {
			return refused, nil
		}
	}
}

// close also closes the statements: an open one would keep the database open, and its log on the disk.
func (c *conn) close() {
	c.running.close()
	_ = c.sql.Raw(func(any) error {
		for _, statements := range []map[string]driver.Stmt{c.young, c.old} {
			for _, statement := range statements {
				_ = statement.Close()
			}
		}
		c.closeLong()
		return nil
	})
	_ = c.sql.Close()
}

func (c *conn) closeLong() {
	if c.long != nil {
		_ = c.long.Close()
	}
}
