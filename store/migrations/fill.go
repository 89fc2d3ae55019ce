package migrations

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
)

// Filled are columns of a table that the program computes from others, since SQL can't. Rows that are older than such
// columns lack them: they are filled when a schema is brought up to date. The next run continues an interrupted one.
type Filled struct {
	Table   string
	Lacking string                         // the condition that a row lacks them; an index or a small table answers it
	From    []string                       // expressions of texts
	To      []string                       // columns
	Work    func(from []string) (to []any) // NULL is "" in From
}

const filledAtOnce = 1000

func Fill(ctx context.Context, db *sql.DB, all []Filled) error {
	for i := range all {
		var more bool // read without a transaction, which other processes may have to wait for
		if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+all[i].Table+" WHERE "+all[i].Lacking+
			")").Scan(&more); err != nil {
			return err
		}
		for after := ""; more; {
			var err error
			if after, more, err = all[i].some(ctx, db, after); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *Filled) some(ctx context.Context, db *sql.DB, after string) (last string, more bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = tx.Rollback() }()
	ids, from, err := f.read(ctx, tx, after)
	if err != nil || len(ids) == 0 {
		return "", false, err
	}
	sets, asRead := make([]string, len(f.To)), "" // a gateway may have changed a row since, and filled it
	for i, column := range f.To {
		sets[i] = column + " = $" + strconv.Itoa(i+2)
	}
	for i, expression := range f.From {
		asRead += " AND COALESCE(" + expression + ", '') = $" + strconv.Itoa(len(f.To)+i+2)
	}
	update, err := tx.PrepareContext(ctx, "UPDATE "+f.Table+" SET "+strings.Join(sets, ", ")+" WHERE id = $1"+asRead)
	if err != nil {
		return "", false, err
	}
	for i, id := range ids {
		args := append([]any{id}, f.Work(from[i])...)
		for _, text := range from[i] {
			args = append(args, text)
		}
		if _, err := update.ExecContext(ctx, args...); err != nil {
			return "", false, errors.Join(err, update.Close())
		}
	}
	if err := update.Close(); err != nil {
		return "", false, err
	}
	return ids[len(ids)-1], len(ids) == filledAtOnce, tx.Commit()
}

// read reads the source texts of some rows.
func (f *Filled) read(ctx context.Context, tx *sql.Tx, after string) (ids []string, from [][]string, err error) {
	columns := []string{"id"}
	for _, expression := range f.From {
		columns = append(columns, "COALESCE("+expression+", '')")
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+f.Table+" WHERE "+f.Lacking+
		" AND id > $1 ORDER BY id LIMIT $2", after, filledAtOnce)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		values := make([]string, len(f.From))
		into := []any{&id}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, nil, err
		}
		ids, from = append(ids, id), append(from, values)
	}
	return ids, from, rows.Err()
}
