package importexport

import (
	"context"

	"example.org/backoffice/backoffice"
)

type transcript = backoffice.Transcript

var transcripts = define(noun[transcript, backoffice.TranscriptCriteria]{
	name: backoffice.NounTranscript,
	file: "transcripts.ndjson",
	fields: []field[transcript]{
		ownStatus(),
		flag("isCompleted", func(t *transcript) *bool { return &t.IsCompleted }),
		reference("customer", backoffice.NounCustomer, func(t *transcript) *string { return &t.CustomerID }),
		reference("checklist", backoffice.NounChecklist, func(t *transcript) *string { return &t.ChecklistID }),
		reference("financialYear", backoffice.NounFinancialYear, func(t *transcript) *string { return &t.FinancialYearID }),
		customVariables(),
		flag("documentGenerated", func(t *transcript) *bool { return &t.DocumentGenerated }),
		progress(),
		moment("updatedAt", "updatedAt", func(t *transcript) *backoffice.Instant { return &t.OwnUpdatedAt }),
		notedMoment("createdAt", func(t *transcript) *backoffice.Instant { return &t.CreatedAt }),
		notedMoment("completedAt", func(t *transcript) *backoffice.Instant { return &t.CompletedAt }),
		notedMoment("documentGeneratedAt", func(t *transcript) *backoffice.Instant { return &t.DocumentGeneratedAt }),
		notedMoment("sentAt", func(t *transcript) *backoffice.Instant { return &t.SentAt }),
	},
	id: func(t *transcript) *string { return &t.ID },
	fresh: func(now backoffice.Instant) *transcript {
		return &transcript{OwnStatus: backoffice.ToProcess, OwnUpdatedAt: now}
	},
	reader: func(s backoffice.Readers) backoffice.Reader[*transcript, backoffice.TranscriptCriteria] {
		return s.Transcripts()
	},
	writer: func(tx backoffice.Tx) backoffice.Writer[*transcript, backoffice.TranscriptCriteria] {
		return tx.Transcripts()
	},
	happened: (*transcript).Happened,
	touched:  func(t *transcript) *backoffice.Instant { return &t.OwnUpdatedAt },
	attached: func(t *transcript) **backoffice.File { return &t.Document },
	derive:   deriveTranscripts,
	check:    checkTranscript,
	follow:   followTranscripts,
	remove:   removeTranscripts,
})

// checkTranscript adds what only an import can do wrong to the domain's check.
func checkTranscript(t *transcript) []*backoffice.UserError {
	found := backoffice.CheckTranscript(t)
	if t.DocumentGenerated && t.Document == nil {
		found = append(found, &backoffice.UserError{
			Code: backoffice.CodeRequired, Message: "a transcript whose document was generated has a file", Field: []string{"documentGenerated"},
		})
	}
	return found
}

// ownStatus is the transcript's own status; null is the first.
func ownStatus() field[transcript] {
	f := labelled("status", "status", func(t *transcript) *backoffice.TranscriptStatus { return &t.OwnStatus }, backoffice.ParseTranscriptStatusLabel)
	read := f.read
	f.read = func(r *reading, t *transcript, value raw) error {
		if value.isNull() {
			t.OwnStatus = backoffice.ToProcess
			return nil
		}
		return read(r, t, value)
	}
	return f
}

func customVariables() field[transcript] {
	return field[transcript]{
		name: "customVariables", shown: "customVariables",
		read: func(_ *reading, t *transcript, value raw) (err error) {
			t.CustomVariables = ""
			if !value.isNull() {
				t.CustomVariables, err = backoffice.ParseJSON(value)
			}
			if string(t.CustomVariables) == "{}" { // the one form of an empty object
				t.CustomVariables = ""
			}
			return err
		},
		write: func(out []byte, t *transcript) []byte { return t.CustomVariables.AppendJSON(out) },
		// A source that gives the members in another order each time would otherwise change every transcript each night.
		same: func(a, b *transcript) bool { return a.CustomVariables.SameMembers(b.CustomVariables) },
	}
}

func progress() field[transcript] {
	return field[transcript]{
		name: "progressPercentage", shown: "progressPercentage",
		read: func(_ *reading, t *transcript, value raw) (err error) {
			t.ProgressPercentage = 0
			if !value.isNull() {
				t.ProgressPercentage, err = value.number()
			}
			return err
		},
		write: func(out []byte, t *transcript) []byte { return appendNumber(out, t.ProgressPercentage) },
	}
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
