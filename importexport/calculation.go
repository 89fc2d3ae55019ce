package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type calculation = backoffice.Calculation
type calculationLoading = loading[calculation, backoffice.CalculationCriteria]

var calculations = describe(backoffice.CalculationTable, noun[calculation, backoffice.CalculationCriteria]{
	file:    "calculations.ndjson",
	fields:  []field[calculation]{derived[calculation]("customer"), derived[calculation]("hasProposal")},
	touched: func(c *calculation) *backoffice.Instant { return &c.UpdatedAt },
	derive:  deriveCalculations,
	keys:    always(uniqueKey(backoffice.CalculationTable, "transcript")),
})

func deriveCalculations(ctx context.Context, l *calculationLoading, entries []*entry[calculation]) error {
	ids := backoffice.Map(entries, func(e *entry[calculation]) string { return e.row.TranscriptID })
	rows := backoffice.TranscriptTable.Reader(l.in)
	found, err := backoffice.ReadByID(ctx, rows, ids, rows.Columns([]string{"customer"}))
	if err != nil {
		return err
	}
	for _, e := range entries {
		of := found[e.row.TranscriptID]
		if of == nil {
			e.fault("transcript", "no transcript has this identifier")
			continue
		}
		e.row.CustomerID = of.CustomerID
	}
	return nil
}
