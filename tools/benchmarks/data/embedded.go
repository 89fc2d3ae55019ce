package data

import (
	"context"

	"example.org/backoffice/backoffice"
)

// perTransaction is how many records one transaction of LoadStore writes.
const perTransaction = 20_000

// LoadStore writes the office through a store's own writers, which is how the embedded store is filled.
func (o Office) LoadStore(ctx context.Context, store backoffice.Store, told func(table string, rows int)) error {
	for _, step := range []struct {
		table string
		rows  int
		write func(ctx context.Context, tx backoffice.Tx, from, to int) error
	}{
		{"users", Users, func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.Users().Insert(ctx, records(o.User, from, to)...)
		}},
		{"financial_years", Years, func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.FinancialYears().Insert(ctx, records(o.Year, from, to)...)
		}},
		{"checklists", Years * ChecklistsPerYear, func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.Checklists().Insert(ctx, records(o.Checklist, from, to)...)
		}},
		{"customers", o.Customers, func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.Customers().Insert(ctx, records(o.Customer, from, to)...)
		}},
		{"relations", o.Relations(), func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.Relations().Insert(ctx, records(o.Relation, from, to)...)
		}},
		{"transcripts", o.Transcripts(), func(ctx context.Context, tx backoffice.Tx, from, to int) error {
			return tx.Transcripts().Insert(ctx, records(o.Transcript, from, to)...)
		}},
	} {
		told(step.table, step.rows)
		for from := 0; from < step.rows; from += perTransaction {
			err := store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
				return step.write(ctx, tx, from, min(from+perTransaction, step.rows))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func records[T any](record func(int) T, from, to int) []T {
	rows := make([]T, 0, to-from)
	for i := from; i < to; i++ {
		rows = append(rows, record(i))
	}
	return rows
}
