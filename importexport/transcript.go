package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type transcript = backoffice.Transcript

var transcripts = describe(backoffice.TranscriptTable, noun[transcript, backoffice.TranscriptCriteria]{
	file:     "transcripts.ndjson",
	first:    func(t *transcript) { t.OwnStatus = backoffice.ToProcess },
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
	years := backoffice.ChecklistTable.Reader(l.in)
	found, err := backoffice.ReadByID(ctx, years, ids, years.Columns([]string{"financialYear"}))
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
		calculation, ok, err := calculationOf(ctx, l.tx, e.id)
		if err == nil && ok {
			calculation.CustomerID = e.row.CustomerID
			err = l.tx.Calculations().Upsert(ctx, []*backoffice.Calculation{calculation})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeTranscripts forgets the proposals of their calculations; deleteRows forgets their own files.
func removeTranscripts(ctx context.Context, l *loading[transcript, backoffice.TranscriptCriteria], entries []*entry[transcript]) error {
	for _, e := range entries {
		calculation, ok, err := calculationOf(ctx, l.tx, e.id)
		if err == nil && ok && calculation.Proposal != nil {
			err = l.tx.ForgetFiles(ctx, []string{calculation.Proposal.Key})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func calculationOf(ctx context.Context, tx backoffice.Tx, transcriptID string) (*calculation, bool, error) {
	return backoffice.First(ctx, tx.Calculations(), backoffice.ListQuery[backoffice.CalculationCriteria]{Under: backoffice.OfTranscript}, transcriptID)
}
