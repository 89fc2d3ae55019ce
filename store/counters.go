package store

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
)

// countedTables are the tables whose rows triggers count, by the noun that they are counted under.
var countedTables = map[backoffice.Noun]string{
	backoffice.NounLabel: "labels", backoffice.NounUser: "users", backoffice.NounFinancialYear: "financial_years",
	backoffice.NounChecklist: "checklists", backoffice.NounCustomer: "customers", backoffice.NounRelation: "relations",
	backoffice.NounTranscript: "transcripts", backoffice.NounCalculation: "calculations",
	backoffice.NounDocument: "documents", backoffice.NounMinfin: "minfin_documents", backoffice.NounConsultation: "consultations",
}

// Counters counts all rows, at one moment, and returns a sentence for each noun whose kept count is another.
func (s *Store) Counters(ctx context.Context) (problems []string, err error) {
	err = s.engine.Snapshot(ctx, func(ctx context.Context, conn Conn) error {
		problems = nil
		for noun, table := range countedTables {
			var kept, rows int64
			err := conn.Query(ctx, totalText, []any{string(noun)}, func(row *Row) error { kept = row.Int(1); return nil })
			if err == nil {
				err = conn.Query(ctx, "SELECT 0, count(*) FROM "+table, nil, func(row *Row) error { rows = row.Int(1); return nil })
			}
			if err != nil {
				return err
			}
			if kept != rows {
				problems = append(problems, fmt.Sprintf("the count of %ss says %d, and there are %d", noun, kept, rows))
			}
		}
		return nil
	})
	return problems, err
}
