package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type transcript = backoffice.Transcript

var transcripts = describe(backoffice.TranscriptTable, noun[transcript, backoffice.TranscriptCriteria]{
	file:  "transcripts.ndjson",
	place: 7,
	first: func(t *transcript) { t.OwnStatus = backoffice.ToProcess },
	reader: func(s backoffice.Readers) backoffice.Reader[*transcript, backoffice.TranscriptCriteria] {
		return s.Transcripts()
	},
	writer:   backoffice.Tx.Transcripts,
	happened: (*transcript).Happened,
	touched:  func(t *transcript) *backoffice.Instant { return &t.OwnUpdatedAt },
	derive:   deriveTranscripts,
	check:    checkTranscript,
	follow:   followTranscripts,
	remove:   removeTranscripts,
})

// checkTranscript adds what only an import can do wrong to the domain's check.
func checkTranscript(t *transcript) []*backoffice.UserError {
	found := backoffice.TranscriptTable.Check(t)
	if t.DocumentGenerated && t.Document == nil {
		found = append(found, &backoffice.UserError{
			Code: backoffice.CodeRequired, Message: "a transcript whose document was generated has a file", Field: []string{"documentGenerated"},
		})
	}
	return found
}

// deriveTranscripts puts each transcript into the year of its checklist.
func deriveTranscripts(ctx context.Context, l *loading[transcript, backoffice.TranscriptCriteria], entries []*entry[transcript]) error {
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.row.ChecklistID)
	}
	years := l.in.checklists
	found, err := backoffice.ReadByID(ctx, years, once(ids), years.Columns([]string{"financialYear"}))
	if err != nil {
		return err
	}
	given := l.at["financialYear"]
	for _, e := range entries {
		list := found[e.row.ChecklistID]
		switch {
		case list == nil: // a reference that was looked up long ago and is gone since: cannot be within a transaction
			e.fault("checklist", "there is no checklist with this identifier")
		case e.given.has(given) && e.row.FinancialYearID != "" && e.row.FinancialYearID != list.FinancialYearID:
			e.fault("financialYear", "the financial year is not that of the checklist")
		default:
			e.row.FinancialYearID = list.FinancialYearID
		}
	}
	return nil
}

// followTranscripts moves the calculations of transcripts that got another customer.
func followTranscripts(ctx context.Context, l *loading[transcript, backoffice.TranscriptCriteria], entries []*entry[transcript]) error {
	for _, e := range entries {
		if e.old == nil || e.old.CustomerID == e.row.CustomerID {
			continue
		}
		var moved []*calculation
		err := eachRow(ctx, l.tx.Calculations(), backoffice.OfTranscript, e.id, backoffice.CalculationCriteria{}, func(c *calculation) {
			c.CustomerID = e.row.CustomerID
			moved = append(moved, c)
		})
		if err != nil {
			return err
		}
		if len(moved) > 0 {
			if err := l.tx.Calculations().Upsert(ctx, moved); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeTranscripts forgets the proposals of their calculations; deleteRows forgets their own files.
func removeTranscripts(ctx context.Context, l *loading[transcript, backoffice.TranscriptCriteria], entries []*entry[transcript]) error {
	for _, e := range entries {
		if err := forgetProposals(ctx, l.tx, e.id); err != nil {
			return err
		}
	}
	return nil
}

func forgetProposals(ctx context.Context, tx backoffice.Tx, transcriptID string) error {
	var keys []string
	err := eachRow(ctx, tx.Calculations(), backoffice.OfTranscript, transcriptID, backoffice.CalculationCriteria{HasProposal: backoffice.Yes}, func(c *calculation) {
		if c.Proposal != nil {
			keys = append(keys, c.Proposal.Key)
		}
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return tx.ForgetFiles(ctx, keys)
}
