package store

import (
	"context"
	"math"
	"slices"

	"example.org/backoffice/backoffice"
)

// The effective status is computed where it is stored, so it is right whoever writes first.
const (
	effectiveStatus = "COALESCE((SELECT c.state FROM calculations c WHERE c.transcript_id = v.id), v.own_status)"
	effectiveUpdate = "(SELECT MAX(m.at) FROM (SELECT v.own_updated_at AS at UNION ALL SELECT c.updated_at" +
		" FROM calculations c WHERE c.transcript_id = v.id" +
		" UNION ALL SELECT NULLIF(l.left_at, 0) FROM transcripts l WHERE l.id = v.id) m)"
)

type transcriptCriteria = backoffice.TranscriptCriteria

// customersOfUser leads from a transcript to its customer's responsible user.
const customersOfUser = "customer_id IN (SELECT c.id FROM customers c WHERE c.responsible_id = ?)"

func writtenAs[T any](c column[T], expression string) column[T] {
	c.write = expression
	return c
}

var transcriptTable = describe(backoffice.TranscriptTable, table[backoffice.Transcript, transcriptCriteria]{
	name:   "transcripts",
	seenBy: through("customer_id").within("x.financial_year_id ?"),
	changedAt: func(t *backoffice.Transcript) []*backoffice.Instant {
		return []*backoffice.Instant{&t.UpdatedAt, &t.OwnUpdatedAt}
	},
	changedIn: []string{"updated_at", "own_updated_at"},
	special: map[string]special{
		"status": {name: "own_status", serves: nothing}, "updatedAt": {name: "own_updated_at", serves: nothing},
		"isCompleted": {also: "file"}, "documentGenerated": {also: "file"},
		"progressPercentage": {name: "progress", also: backoffice.KeyProgress.Field()},
	},
	columns: []column[backoffice.Transcript]{
		writtenAs(enum("status", "status statusLabel", backoffice.TranscriptStatuses,
			func(t *backoffice.Transcript) *backoffice.TranscriptStatus { return &t.Status }), effectiveStatus),
		writtenAs(instant("updated_at", "updatedAt "+backoffice.KeyUpdatedAt.Field(),
			func(t *backoffice.Transcript) *backoffice.Instant { return &t.UpdatedAt }), effectiveUpdate),
	},
	criteria: slices.Concat([]criterion[transcriptCriteria]{
		equals("checklist_id", func(c transcriptCriteria) string { return c.ChecklistID }),
		equals("financial_year_id", func(c transcriptCriteria) string { return c.FinancialYearID }),
		equals("customer_id", func(c transcriptCriteria) string { return c.CustomerID }),
		ofResponsible,
		ofLabel,
		oneOfStatuses("status", func(c transcriptCriteria) backoffice.StatusSet { return c.Status }),
		where(func(c transcriptCriteria) bool { return c.IsCompleted == backoffice.Yes }, "t.is_completed = true"),
		where(func(c transcriptCriteria) bool { return c.IsCompleted == backoffice.No }, "t.is_completed = false"),
		where(func(c transcriptCriteria) bool { return c.DocumentGenerated == backoffice.Yes },
			"t.document_generated = true"),
		where(func(c transcriptCriteria) bool { return c.DocumentGenerated == backoffice.No },
			"t.document_generated = false"),
		onDay(func(c transcriptCriteria) string { return c.Overdue },
			"t.is_completed = false AND t.checklist_id IN ("+dueBefore+")"),
		onDay(func(c transcriptCriteria) string { return c.NotOverdue },
			"(t.is_completed = true OR t.checklist_id NOT IN ("+dueBefore+"))"),
		changedSince(func(c transcriptCriteria) backoffice.Instant { return c.UpdatedSince }, "visible_at"),
	}, spanned("updated_at", func(c transcriptCriteria) backoffice.Span { return c.Updated }),
		spanned("created_at", func(c transcriptCriteria) backoffice.Span { return c.Created }),
		spanned("completed_at", func(c transcriptCriteria) backoffice.Span { return c.Completed }),
		spanned("document_generated_at", func(c transcriptCriteria) backoffice.Span { return c.Generated }),
		spanned("sent_at", func(c transcriptCriteria) backoffice.Span { return c.Sent }), customVariable),
	within: &alternatives[transcriptCriteria]{
		anyOf: func(c transcriptCriteria) backoffice.Nested[transcriptCriteria] { return c.Any },
		not:   func(c transcriptCriteria) backoffice.Nested[transcriptCriteria] { return c.Not },
	},
	parents: map[backoffice.Parent]parentColumns[transcriptCriteria]{
		backoffice.OfUser: under[transcriptCriteria](customersOfUser),
	},
	orders: map[backoffice.OrderKey]order{
		backoffice.KeyUpdatedAt: byNumber("updated_at"),
		backoffice.KeyProgress:  {column: "progress", argument: func(p backoffice.Position) any { return p.Number }},
		backoffice.KeyCustomerName: byTextOf(
			func(*Dialect) string { return "(SELECT n.name_folded FROM customers n WHERE n.id = t.customer_id)" }),
	},
	dimensions: map[backoffice.Dimension]dimension{
		backoffice.GroupByStatus: byColumn("status"),
		backoffice.GroupByChecklist: {value: "t.checklist_id",
			called: "SELECT k.name FROM checklists k WHERE k.id = ?"},
		backoffice.GroupByFinancialYear: {value: "t.financial_year_id", called: calledYear},
		backoffice.GroupByResponsible: {value: "r.responsible_id",
			join: " JOIN customers r ON r.id = t.customer_id", called: calledUser},
		backoffice.GroupByLabel: byLabel("r", " JOIN customers r ON r.id = t.customer_id"),
		backoffice.GroupByLanguage: {value: "(SELECT l.language FROM checklists l WHERE l.id = ?)",
			by: "t.checklist_id"},
		backoffice.GroupByIsCompleted:       byFlag("is_completed"),
		backoffice.GroupByDocumentGenerated: byFlag("document_generated"),
		backoffice.GroupByUpdatedMonth:      byMonth("updated_at"),
	},
	measures: []measure{
		{"is_completed", "CAST(SUM(CASE WHEN t.is_completed THEN 1 ELSE 0 END) AS BIGINT)",
			func(g *backoffice.Group, r *Row, i int) { g.CompletedCount = int(r.Int(i)) }},
		// Sums of whole billionths do not depend on the order in which an engine reads them.
		{
			"progress",
			"CAST(SUM(CAST(FLOOR(t.progress * 1000000000 + 0.5) AS BIGINT)) AS BIGINT)",
			func(g *backoffice.Group, r *Row, i int) {
				g.AverageProgress = math.Round(float64(r.Int(i))/float64(g.Count)) / 1e9
			},
		},
	},
	reads:  func(r reader[backoffice.Transcript, transcriptCriteria]) any { return &transcriptReader{r} },
	writes: func(w writer[backoffice.Transcript, transcriptCriteria]) any { return &transcriptWriter{w} },
})

var (
	ofResponsible = throughCustomers(func(c transcriptCriteria) string { return c.ResponsibleID }, "t."+customersOfUser)
	ofLabel       = throughCustomers(func(c transcriptCriteria) string { return c.LabelID },
		"t.customer_id IN (SELECT c.id FROM customers c WHERE c.responsible_id IN ("+usersWithLabel+"))")
)

const dueBefore = "SELECT k.id FROM checklists k WHERE k.due_date < ?"

func onDay(of func(transcriptCriteria) string, text string) criterion[transcriptCriteria] {
	c := matches(of, func(*Dialect) string { return text })
	c.take = nil // two days are not a list of values
	return c
}

func throughCustomers(of func(transcriptCriteria) string, text string) criterion[transcriptCriteria] {
	c := matches(of, func(*Dialect) string { return text })
	c.others = true
	return c
}

func oneOfStatuses[C any](column string, of func(C) backoffice.StatusSet) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != 0 },
		text: func(d *Dialect) string { return "t." + column + " " + d.in },
		args: func(c C, d *Dialect, args []any) []any { return append(args, d.List(collectTexts(of(c).List()))) },
	}
}

func collectTexts[S ~string](values []S) []string {
	return backoffice.Map(values, func(value S) string { return string(value) })
}

type transcriptReader struct {
	reader[backoffice.Transcript, transcriptCriteria]
}

func (r *transcriptReader) StatusCounts(b *backoffice.Batch, under backoffice.Parent, criteria transcriptCriteria,
	parents []string, into [][]backoffice.TranscriptStatusCount) backoffice.Queued {
	list, places, err := r.places(under, criteria, parents)
	if err != nil || list == nil {
		return b.Queue(failed(err))
	}
	counting := func() *Query { return r.byStatus(under, criteria, list, places, into) }
	if under != backoffice.Root || !isPartial(criteria) {
		return b.Queue(counting())
	}
	found := map[backoffice.TranscriptStatus]int{}
	parts := r.parts(criteria, func(status backoffice.TranscriptStatus, n int) { found[status] += n })
	parts.done = func() { into[0] = backoffice.StatusCountsOf(found) }
	parts.restricted = func(*snapshot) *Query { return counting() }
	return b.Queue(parts)
}

func (r *transcriptReader) byStatus(under backoffice.Parent, criteria transcriptCriteria, list []string,
	places func(int) int, into [][]backoffice.TranscriptStatusCount) *Query {
	found := make([]map[backoffice.TranscriptStatus]int, len(list))
	s := shape{kind: groupsStatement, under: under, criteria: r.table.mask(under, criteria),
		varying: r.table.varyingText(criteria, r.dialect)}
	statement := r.texts.get(s, func() *statement[backoffice.Transcript] {
		ends, _ := r.table.ends(under, criteria)
		return r.textFor(s, ends).groups("status")
	})
	each := func(row *Row) error {
		of := &found[row.Int(0)]
		if *of == nil {
			*of = map[backoffice.TranscriptStatus]int{}
		}
		(*of)[enumOf(row, 1, backoffice.TranscriptStatuses)] += int(row.Int(2))
		return nil
	}
	args := r.arguments(s, criteria, list)
	return &Query{Statement: Statement{Text: statement.text, Args: args, Each: each}, done: func() {
		for i, of := range found {
			into[places(i)] = backoffice.StatusCountsOf(of)
		}
	}}
}

// transcriptWriter updates the columns that calculations copy from their transcripts.
type transcriptWriter struct {
	writer[backoffice.Transcript, transcriptCriteria]
}

// Insert: a new transcript has no calculation, so its own status is the effective one.
func (w *transcriptWriter) Insert(ctx context.Context, rows ...*backoffice.Transcript) error {
	for _, row := range rows {
		row.EffectiveStatus(nil)
	}
	return w.writer.Insert(ctx, rows...)
}

func (w *transcriptWriter) Update(ctx context.Context, rows ...*backoffice.Transcript) error {
	return w.andMove(ctx, rows, w.writer.Update(ctx, rows...))
}

func (w *transcriptWriter) Upsert(ctx context.Context, rows []*backoffice.Transcript) error {
	return w.andMove(ctx, rows, w.writer.Upsert(ctx, rows))
}

// andMove moves calculations after a write of their transcripts.
func (w *transcriptWriter) andMove(ctx context.Context, rows []*backoffice.Transcript, err error) error {
	if err != nil {
		return err
	}
	moved := attachments{}
	err = w.moveCalculations(ctx, rows, moved)
	w.noteMoved(moved)
	return err
}

// moveCalculations sets the customer of calculations to their transcript's, and adds them to moved.
func (w *transcriptWriter) moveCalculations(ctx context.Context, rows []*backoffice.Transcript,
	moved attachments) error {
	const customer = "(SELECT t.customer_id FROM transcripts t WHERE t.id = calculations.transcript_id)"
	text := "UPDATE /*backoffice:calculations.move*/ calculations SET customer_id = " + customer +
		" WHERE customer_id <> " + customer + " AND " + w.dialect.among("transcript_id") +
		" RETURNING id, transcript_id"
	if len(rows) == 0 {
		return nil
	}
	return w.conn.Query(ctx, text, []any{w.dialect.List(w.idsOf(rows))},
		moved.reads([]parentColumn{{"transcript_id", backoffice.NounTranscript}}))
}

// noteMoved records calculations that moved with their transcripts, under the old and new customers.
func (w *transcriptWriter) noteMoved(moved attachments) {
	for id, transcript := range moved {
		parents := transcript
		if of := w.tx.touched[object{backoffice.NounTranscript, transcript[0].ID}]; of != nil {
			parents = slices.Concat(transcript, of.parents)
		}
		w.tx.touch(backoffice.NounCalculation, id, backoffice.Updated, []string{"customerId"}, parents...)
	}
}
