package migrations

import (
	"context"
	"database/sql"
	"errors"
)

// Since version 9 users, labels, checklists and documents are ordered by their folded names. SQL can't fold, so the program
// does it for the rows from before, which have an empty one. An interrupted run is gone on with by the next.

// named are the tables, and what the name of a row is.
var named = []struct{ table, name string }{
	{"users", "first_name || ' ' || last_name"}, {"labels", "name"}, {"checklists", "name"}, {"documents", "name"},
}

const namesAtOnce = 1000

// FoldNames writes the folded names of the rows that have none.
func FoldNames(ctx context.Context, db *sql.DB, fold func(string) string) error {
	for _, of := range named {
		var more bool // to be seen without a transaction, which other processes may have to wait for
		if err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+of.table+" WHERE name_folded = '')").Scan(&more); err != nil {
			return err
		}
		for after := ""; more; {
			var err error
			if after, more, err = foldSome(ctx, db, of.table, of.name, after, fold); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldSome does so for some rows behind an identifier, in one transaction.
func foldSome(ctx context.Context, db *sql.DB, table, name, after string, fold func(string) string) (last string, more bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", false, err
	}
	defer func() { _ = tx.Rollback() }()
	rows, err := tx.QueryContext(ctx, "SELECT id, "+name+" FROM "+table+" WHERE name_folded = '' AND id > $1 ORDER BY id LIMIT $2", after, namesAtOnce)
	if err != nil {
		return "", false, err
	}
	var ids, names []string
	for rows.Next() {
		var id, name string
		if err := rows.Scan(&id, &name); err != nil {
			return "", false, errors.Join(err, rows.Close())
		}
		ids, names = append(ids, id), append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(ids) == 0 {
		return "", false, err
	}
	for i, id := range ids {
		if _, err := tx.ExecContext(ctx, "UPDATE "+table+" SET name_folded = $1 WHERE id = $2", fold(names[i]), id); err != nil {
			return "", false, err
		}
	}
	return ids[len(ids)-1], len(ids) == namesAtOnce, tx.Commit()
}
