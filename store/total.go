package store

import (
	"context"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// totalText reads how many records of a noun there are, which triggers keep count of.
const totalText = "SELECT 0, CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM row_counts WHERE noun = $1"

// partsText reads the parts in which transcripts are counted: status, completion and document, parted by blanks.
const partsText = "SELECT part, CAST(SUM(n) AS BIGINT) FROM row_counts WHERE noun = $1 GROUP BY part"

// isPartial says that criteria ask for nothing but whole parts, so that no transcript needs to be looked at.
func isPartial(c backoffice.TranscriptCriteria) bool {
	return c == backoffice.TranscriptCriteria{Status: c.Status, IsCompleted: c.IsCompleted, DocumentGenerated: c.DocumentGenerated}
}

// parts gives the number of transcripts in each of the parts that meet the criteria.
func (r *transcriptReader) parts(ctx context.Context, c backoffice.TranscriptCriteria, each func(status backoffice.TranscriptStatus, n int)) error {
	meets := func(wanted backoffice.Tristate, flag string) bool {
		return wanted == backoffice.Either || (wanted == backoffice.Yes) == (flag == "1")
	}
	statuses := c.Status.List()
	return r.conn.Query(ctx, partsText, []any{string(r.table.noun)}, func(row *Row) error {
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

// Counts implements backoffice.Reader.
func (r *transcriptReader) Counts(ctx context.Context, under backoffice.Edge, c backoffice.TranscriptCriteria, parents []string) (map[string]int, error) {
	if under != backoffice.Root || c.Nothing || !isPartial(c) {
		return r.reader.Counts(ctx, under, c, parents)
	}
	total := 0
	if err := r.parts(ctx, c, func(_ backoffice.TranscriptStatus, n int) { total += n }); err != nil {
		return nil, err
	}
	return map[string]int{backoffice.NoParent: total}, nil
}
