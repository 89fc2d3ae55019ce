package importexport

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
		derived[calculation]("customer"),
		derived[calculation]("hasProposal"),
		labelled("state", "state", func(c *calculation) *backoffice.CalculationState { return &c.State }, backoffice.ParseCalculationStateLabel),
		moment("updatedAt", "updatedAt", func(c *calculation) *backoffice.Instant { return &c.UpdatedAt }),
	},
	id:    func(c *calculation) *string { return &c.ID },
	fresh: func(now backoffice.Instant) *calculation { return &calculation{UpdatedAt: now} },
	reader: func(s backoffice.Readers) backoffice.Reader[*calculation, backoffice.CalculationCriteria] {
		return s.Calculations()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*calculation, backoffice.CalculationCriteria] {
		return tx.Calculations()
	},
	touched:  func(c *calculation) *backoffice.Instant { return &c.UpdatedAt },
	attached: func(c *calculation) **backoffice.File { return &c.Proposal },
	derive:   deriveCalculations,
	check:    backoffice.CheckCalculation,
	unique:   &uniqueValue[calculation]{"transcript", func(c *calculation) string { return c.TranscriptID }},
})

// deriveCalculations gives each calculation the customer of its transcript.
func deriveCalculations(ctx context.Context, l *loading[calculation, backoffice.CalculationCriteria], entries []*entry[calculation]) error {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.row.TranscriptID)
	}
	rows := l.in.transcripts
	found, err := backoffice.ReadByID(ctx, rows, once(ids), rows.Columns([]string{"customer"}))
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
