package store

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
)

func (s *Store) Rows(ctx context.Context) (map[backoffice.Noun]int, error) {
	const text = "SELECT /*backoffice:row_counts.nouns*/ noun, CAST(SUM(n) AS BIGINT) FROM row_counts GROUP BY noun"
	rows := map[backoffice.Noun]int{}
	err := s.primary().Query(ctx, text, nil,
		func(row *Row) error { rows[backoffice.Noun(row.Text(0))] = int(row.Int(1)); return nil })
	return rows, err
}

// Counters counts all rows in one snapshot, and returns a sentence for each noun whose stored count differs.
func (s *Store) Counters(ctx context.Context) (problems []string, err error) {
	err = s.engine.Snapshot(ctx, func(ctx context.Context, to Sender) error {
		conn := Conn{to}
		problems = nil
		for _, of := range nounTables() {
			if of.uncounted {
				continue
			}
			var kept, rows int64
			err := conn.Query(ctx, totalText, []any{string(of.noun)},
				func(row *Row) error { kept = row.Int(1); return nil })
			if err == nil {
				err = conn.Query(ctx, "SELECT "+naming(of.table, "count_all")+"0, count(*) FROM "+of.table, nil,
					func(row *Row) error { rows = row.Int(1); return nil })
			}
			if err != nil {
				return err
			}
			if kept != rows {
				problem := fmt.Sprintf("the count of %ss is %d, but there are %d", of.noun, kept, rows)
				problems = append(problems, problem)
			}
		}
		return nil
	})
	return problems, err
}
