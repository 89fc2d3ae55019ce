package store

import (
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

var momentColumns = map[backoffice.TranscriptMoment]string{
	backoffice.MomentCreated: "created_at", backoffice.MomentCompleted: "completed_at",
	backoffice.MomentDocumentGenerated: "document_generated_at", backoffice.MomentSent: "sent_at",
}

// turnaroundColumns are, for each group, how many of its rows have both times, and the sum and quartiles of what is
// between them. SQLite has no percentiles, so a quartile is the row of a rank, in both engines.
const turnaroundColumns = ", g.tn, g.ts, g.q1, g.q2, g.q3"

// turnarounds counts all groups as aggregate does, and what is between two times of their rows.
func (b *textOf[T, C]) turnarounds(values []string, from string, between [2]string) string {
	row, measured := "t."+between[1]+" - t."+between[0]+" AS d", ""
	for i := range b.table.measures {
		row += ", t." + b.table.measures[i].column
		measured += ", " + strings.ReplaceAll(b.table.measures[i].text, "t.", "w.") + " AS m" + strconv.Itoa(i)
	}
	names := make([]string, len(values))
	for i, value := range values {
		row += ", " + value + " AS k" + strconv.Itoa(i)
		names[i] = "w.k" + strconv.Itoa(i)
	}
	keys := strings.Join(names, ", ")
	part := " OVER (PARTITION BY " + keys
	ranked := "SELECT w.*, ROW_NUMBER()" + part + " ORDER BY w.d IS NULL, w.d) AS place, COUNT(w.d)" + part +
		") AS placed FROM (SELECT " + row + from + ") w"
	for i := range 3 {
		n := strconv.Itoa(i + 1)
		measured += strings.ReplaceAll(", MAX(CASE WHEN w.place = (w.placed * ? + 3) / 4 THEN w.d END) AS q?", "?", n)
	}
	return "SELECT COUNT(*) AS n, COUNT(w.d) AS tn, CAST(SUM(w.d) AS BIGINT) AS ts" + measured + ", " + keys +
		" FROM (" + ranked + ") w GROUP BY " + keys
}

// members lists the first customers of a group of duplicates.
func (b *textOf[T, C]) members(alike []string) string {
	b.conditions = append(b.conditions, alike...)
	return "SELECT string_agg(m.id, ' ' ORDER BY m.id) FROM (SELECT t.id" + b.from() + " ORDER BY t.id LIMIT " +
		strconv.Itoa(backoffice.MostMembers) + ") m"
}
