package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type transcript = backoffice.Transcript
type transcriptLoading = loading[transcript, backoffice.TranscriptCriteria]

var transcripts = describe(backoffice.TranscriptTable, noun[transcript, backoffice.TranscriptCriteria]{
	file:     "transcripts.ndjson",
	first:    func(t *transcript) { t.OwnStatus = backoffice.ToProcess },
	happened: (*transcript).Happened,
	touched:  func(t *transcript) *backoffice.Instant { return &t.OwnUpdatedAt },
	derive:   deriveTranscripts,
	check:    checkTranscript,
	dumped:   dumpedTranscript,
	remove:   removeTranscripts,
	keys: always(&ownKey[transcript, backoffice.TranscriptCriteria]{
		[]string{"customer", "checklist"}, transcriptKey, findTranscripts,
	}),
})

func transcriptKey(t *transcript) string { return t.CustomerID + " " + t.ChecklistID }

// findTranscripts finds the transcripts of customers for checklists. Two of a customer for one are found both.
func findTranscripts(
	ctx context.Context, l *transcriptLoading, rows map[string]*transcript,
) (map[string][]string, error) {
	found, customers := map[string][]string{}, map[string][]string{} // by checklist
	for _, t := range rows {
		customers[t.ChecklistID] = append(customers[t.ChecklistID], t.CustomerID)
	}
	for id, customers := range customers {
		list := backoffice.ListQuery[backoffice.TranscriptCriteria]{Parent: backoffice.OfCustomer}
		list.Criteria.ChecklistID, list.Window.Limit = id, 2
		pages, err := backoffice.ReadPages(ctx, l.rows, list, customers, 0)
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			for _, t := range page.Items {
				found[transcriptKey(t)] = append(found[transcriptKey(t)], t.ID)
			}
		}
	}
	return found, nil
}

// checkTranscript adds to the domain's check an error that only an import can make.
func checkTranscript(t *transcript) []*backoffice.UserError {
	found := backoffice.TranscriptTable.Check(t)
	if t.DocumentGenerated && t.Document == nil {
		found = append(found, &backoffice.UserError{
			Code: backoffice.CodeRequired, Field: []string{"documentGenerated"},
			Message: "a transcript whose document was generated must have a file",
		})
	}
	return found
}

// dumpedTranscript drops the generated document of which a mirror has no file yet: no import would take it.
func dumpedTranscript(t transcript) *transcript {
	if t.Document == nil {
		t.DocumentGenerated, t.DocumentGeneratedAt = false, 0
	}
	return &t
}

// deriveTranscripts puts each transcript into the year of its checklist.
func deriveTranscripts(ctx context.Context, l *transcriptLoading, entries []*entry[transcript]) error {
	ids := backoffice.Map(entries, func(e *entry[transcript]) string { return e.row.ChecklistID })
	years := backoffice.ChecklistTable.Reader(l.in)
	found, err := backoffice.ReadByID(ctx, years, ids, years.Columns([]string{"financialYear"}))
	if err != nil {
		return err
	}
	given := l.at["financialYear"]
	for _, e := range entries {
		list := found[e.row.ChecklistID]
		switch {
		case list == nil: // found earlier and deleted since: impossible within a transaction
			e.fault("checklist", "no checklist has this identifier")
		case e.given.has(given) && e.row.FinancialYearID != "" && e.row.FinancialYearID != list.FinancialYearID:
			e.fault("financialYear", "the financial year differs from the checklist's")
		default:
			e.row.FinancialYearID = list.FinancialYearID
		}
	}
	return nil
}

// removeTranscripts forgets the proposals of their calculations; deleteRows forgets their own files.
func removeTranscripts(ctx context.Context, l *transcriptLoading, entries []*entry[transcript]) error {
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
	list := backoffice.ListQuery[backoffice.CalculationCriteria]{Parent: backoffice.OfTranscript}
	return backoffice.First(ctx, tx.Calculations(), list, transcriptID)
}
