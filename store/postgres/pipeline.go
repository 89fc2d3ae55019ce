package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
)

type progress struct {
	begun    bool // the texts before them were run
	answered int  // how many have their answer, or an error of their own
	handed   bool // the next one has handed over rows
}

// pipeline sends statements in one round trip, after the texts that begin a transaction. The error is that of the next
// statement, in pgx's terms: the server ran neither it nor those after it.
func pipeline(ctx context.Context, conn *pgx.Conn, begin []string,
	statements []*store.Statement) (sent progress, err error) {
	defer backoffice.Waits(ctx)()
	batch := &pgx.Batch{}
	for _, text := range begin {
		batch.Queue(text)
	}
	for _, s := range statements {
		batch.Queue(s.Text, s.Args...)
	}
	results := conn.SendBatch(ctx, batch)
	defer func() {
		if failed := results.Close(); err == nil && failed != nil {
			sent.answered, err = max(0, sent.answered-1), failed
		}
	}()
	for range begin {
		if _, err := results.Exec(); err != nil {
			return sent, err
		}
	}
	sent.begun = true
	for _, s := range statements {
		if sent.handed, err = take(results, s); err != nil {
			return sent, err
		}
		sent.answered++
	}
	return sent, nil
}

// take reads a statement's answer. An error means that the server did not run it; Each's is its own.
func take(results pgx.BatchResults, s *store.Statement) (handed bool, err error) {
	rows, err := results.Query()
	if err != nil {
		rows.Close()
		return false, err
	}
	defer rows.Close()
	var row store.Row
	var formats []int16
	for s.Err == nil && rows.Next() {
		if s.Each == nil {
			continue
		}
		if !handed {
			fields := rows.FieldDescriptions()
			formats = make([]int16, len(fields))
			for i := range fields {
				formats[i] = fields[i].Format
			}
		}
		handed = true
		row.SetRaw(rows.RawValues(), formats)
		s.Err = s.Each(&row)
	}
	rows.Close()
	s.Changed = rows.CommandTag().RowsAffected()
	return handed, rows.Err()
}

// fail sets why statements have no answer: the first gets the error, and none after it was run.
func fail(statements []*store.Statement, err error) {
	for _, s := range statements {
		s.Err, err = err, store.ErrNotRun
	}
}
