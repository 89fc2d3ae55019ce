package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

const totalText = "SELECT /*backoffice:row_counts.total*/ 0, CAST(COALESCE(SUM(n), 0) AS BIGINT)" +
	" FROM row_counts WHERE noun = $1"

// partsText reads the counts of transcripts by status, completion and document, separated by blanks.
const partsText = "SELECT /*backoffice:row_counts.parts*/ part, CAST(SUM(n) AS BIGINT) FROM row_counts" +
	" WHERE noun = $1 GROUP BY part"

// isPartial reports whether criteria select whole parts only, so that no transcript need be read.
func isPartial(c transcriptCriteria) bool {
	return c == transcriptCriteria{Status: c.Status, IsCompleted: c.IsCompleted, DocumentGenerated: c.DocumentGenerated}
}

func (r *transcriptReader) parts(c transcriptCriteria, each func(status backoffice.TranscriptStatus, n int)) *Query {
	meets := func(wanted backoffice.Tristate, flag string) bool {
		return wanted == backoffice.Either || (wanted == backoffice.Yes) == (flag == "1")
	}
	statuses := c.Status.List()
	return queryOf(partsText, []any{string(r.table.noun)}, func(row *Row) error {
		part := strings.Split(row.Text(0), " ")
		if len(part) != 3 || !meets(c.IsCompleted, part[1]) || !meets(c.DocumentGenerated, part[2]) {
			return nil
		}
		status := backoffice.TranscriptStatus(part[0])
		if c.Status == 0 || slices.Contains(statuses, status) {
			each(status, int(row.Int(1)))
		}
		return nil
	})
}

func (r *transcriptReader) Counts(b *backoffice.Batch, under backoffice.Parent, c transcriptCriteria,
	parents []string, into []int) backoffice.Queued {
	if under != backoffice.Root || c.Nothing || !isPartial(c) {
		return r.reader.Counts(b, under, c, parents, into)
	}
	total := 0
	parts := r.parts(c, func(_ backoffice.TranscriptStatus, n int) { total += n })
	parts.done = func() { into[0] = total }
	parts.restricted = func(*snapshot) *Query { return r.reader.counts(under, c, parents, into) }
	return b.Queue(parts)
}
