package transfer

import (
	"context"

	"example.org/backoffice/backoffice"
)

type calculation = backoffice.Calculation

var calculations = define(noun[calculation, backoffice.CalculationCriteria]{
	name: backoffice.NounCalculation,
	file: "calculations.ndjson",
	fields: []field[calculation]{
		reference("transcript", backoffice.NounTranscript, func(c *calculation) *string { return &c.TranscriptID }),
		labelled("state", "state", func(c *calculation) *backoffice.CalculationState { return &c.State }, backoffice.ParseCalculationStateLabel),
		moment("updatedAt", "updatedAt", func(c *calculation) *backoffice.Instant { return &c.UpdatedAt }),
	},
	id:    func(c *calculation) *string { return &c.ID },
	fresh: func(now backoffice.Instant) *calculation { return &calculation{UpdatedAt: now} },
	reader: func(s backoffice.Reads) backoffice.Reader[*calculation, backoffice.CalculationCriteria] {
		return s.Calculations()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*calculation, backoffice.CalculationCriteria] {
		return tx.Calculations()
	},
	touched:  func(c *calculation) *backoffice.Instant { return &c.UpdatedAt },
	attached: func(c *calculation) **backoffice.File { return &c.Proposal },
	settle:   settleCalculations,
	check:    backoffice.CheckCalculation,
	clash:    calculationClash,
})

// settleCalculations gives each calculation the customer of its transcript.
func settleCalculations(ctx context.Context, l *loading[calculation, backoffice.CalculationCriteria], entries []*entry[calculation]) error {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.row.TranscriptID)
	}
	rows := l.tx.Transcripts()
	found, err := rows.ByID(ctx, once(ids), rows.Columns([]string{"customer"}))
	if err != nil {
		return err
	}
	for _, e := range entries {
		of := found[e.row.TranscriptID]
		if of == nil {
			e.fault("transcript", "there is no transcript with this identifier")
			continue
		}
		e.row.CustomerID = of.CustomerID
	}
	return nil
}

func calculationClash(ctx context.Context, tx backoffice.Tx, row *calculation) (string, error) {
	taken := ""
	err := eachRow(ctx, tx.Calculations(), backoffice.OfTranscript, row.TranscriptID, backoffice.CalculationCriteria{}, func(other *calculation) {
		if other.ID != row.ID {
			taken = "transcript"
		}
	})
	return taken, err
}
