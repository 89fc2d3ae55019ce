package store

import (
	"context"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

type calculationCriteria = backoffice.CalculationCriteria

var calculationTable = describe(backoffice.CalculationTable, table[backoffice.Calculation, calculationCriteria]{
	name: "calculations",
	seenBy: through("customer_id").within("EXISTS (SELECT 1 FROM stored.transcripts w" +
		" WHERE w.id = x.transcript_id AND w.financial_year_id ?)"),
	special: map[string]special{
		"state": {also: "stateLabel"}, "updatedAt": {also: backoffice.KeyUpdatedAt.Field()},
		"file": {serves: "proposal"},
	},
	columns: []column[backoffice.Calculation]{
		writtenAs(link("customer_id", "customer", func(c *backoffice.Calculation) *string { return &c.CustomerID }),
			"COALESCE((SELECT t.customer_id FROM transcripts t WHERE t.id = v.transcript_id), v.customer_id)"),
	},
	criteria: slices.Concat([]criterion[calculationCriteria]{
		equals("customer_id", func(c calculationCriteria) string { return c.CustomerID }),
		equals("transcript_id", func(c calculationCriteria) string { return c.TranscriptID }),
		oneOfStatuses("state", func(c calculationCriteria) backoffice.StatusSet { return c.State }),
	}, flagged("file_key", func(c calculationCriteria) backoffice.Tristate { return c.HasProposal })),
	parents: map[backoffice.Parent]parentColumns[calculationCriteria]{
		backoffice.OfCustomer: under[calculationCriteria]("customer_id"),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyUpdatedAt: byNumber("updated_at")},
	writes: func(w writer[backoffice.Calculation, calculationCriteria]) any { return &calculationWriter{w} },
})

type calculationWriter struct {
	writer[backoffice.Calculation, calculationCriteria]
}

func (w *calculationWriter) Insert(ctx context.Context, rows ...*backoffice.Calculation) error {
	return w.replace(ctx, w.idsOf(rows), rows, func() error { return w.writer.Insert(ctx, rows...) })
}

func (w *calculationWriter) Update(ctx context.Context, rows ...*backoffice.Calculation) error {
	return w.replace(ctx, w.idsOf(rows), rows, func() error { return w.writer.Update(ctx, rows...) })
}

func (w *calculationWriter) Upsert(ctx context.Context, rows []*backoffice.Calculation) error {
	return w.replace(ctx, w.idsOf(rows), rows, func() error { return w.writer.Upsert(ctx, rows) })
}

func (w *calculationWriter) Delete(ctx context.Context, ids ...string) (deleted []string, err error) {
	err = w.replace(ctx, ids, nil, func() error { deleted, err = w.writer.Delete(ctx, ids...); return err })
	return deleted, err
}

// replace does a write and refreshes the transcripts that had the calculations before it or have them after it.
func (w *calculationWriter) replace(ctx context.Context, ids []string, after []*backoffice.Calculation,
	write func() error) error {
	before, err := w.byID(ctx, ids, w.Columns([]string{"transcript"}))
	if err != nil {
		return err
	}
	transcripts := transcriptsOf(after)
	stays := make(map[string]string, len(after))
	for _, calculation := range after {
		stays[calculation.ID] = calculation.TranscriptID
	}
	var left []string
	for id, calculation := range before {
		if stays[id] != calculation.TranscriptID {
			left = append(left, calculation.TranscriptID)
		}
	}
	// A merge, which moves transcripts to another customer, moves their calculations with them.
	of := writerOf(w.tx, transcriptTable)
	if err := of.Lock(ctx, append(transcripts, left...)...); err != nil {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	if err := w.leave(ctx, left); err != nil {
		return err
	}
	return w.refresh(ctx, append(transcripts, left...), after)
}

func transcriptsOf(rows []*backoffice.Calculation) []string {
	return backoffice.Map(rows, func(c *backoffice.Calculation) string { return c.TranscriptID })
}

// leave records that transcripts lost a calculation: a change of theirs, without whose timestamp the latest change they
// show would go back in time. For transcripts of an origin, the origin sends that timestamp itself.
func (w *calculationWriter) leave(ctx context.Context, transcripts []string) error {
	if transcripts = backoffice.Unique(wellFormed(transcripts)); transcripts == nil {
		return nil
	}
	text := "UPDATE /*backoffice:transcripts.leave*/ transcripts SET left_at = CASE" +
		" WHEN updated_at > $2 THEN updated_at ELSE $2 END WHERE " + w.dialect.among("id") +
		" AND NOT EXISTS (SELECT 1 FROM mirrors m WHERE m.noun = 'calculation')"
	_, err := w.conn.Exec(ctx, text, []any{w.dialect.List(transcripts), w.tx.visible.mark.Milliseconds()})
	return err
}

func (w *calculationWriter) refresh(ctx context.Context, transcripts []string, rows []*backoffice.Calculation) error {
	if transcripts = backoffice.Unique(wellFormed(transcripts)); transcripts == nil {
		return nil
	}
	own, parents := strings.NewReplacer("v.", "transcripts."), transcriptTable.parentColumnsOf()
	text := "UPDATE /*backoffice:transcripts.follow*/ transcripts SET status = " + own.Replace(effectiveStatus) +
		", updated_at = " + own.Replace(effectiveUpdate) + ", visible_at = $2" +
		" WHERE " + w.dialect.among("id") + " RETURNING id, " + strings.Join(namesOf(parents), ", ")
	of := attachments{}
	if err := w.conn.Query(ctx, text, []any{w.dialect.List(transcripts), w.tx.visible.mark.Milliseconds()},
		of.reads(parents)); err != nil {
		return err
	}
	for _, id := range transcripts {
		if parents, there := of[id]; there {
			w.tx.touch(backoffice.NounTranscript, id, backoffice.Updated, []string{"status", "updatedAt"}, parents...)
		}
	}
	for _, calculation := range rows {
		w.tx.touch(backoffice.NounCalculation, calculation.ID, backoffice.Updated, nil, of[calculation.TranscriptID]...)
	}
	w.tx.visible.changed(changedRows{table: transcriptTable.name}, transcripts, nil)
	return nil
}
