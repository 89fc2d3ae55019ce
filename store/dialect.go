package store

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// Dialect is the SQL that differs between the two engines.
type Dialect struct {
	Name string

	parents  string // a table p of the identifiers in $1
	parentID string // its identifier
	parentNo string // its place in the list, from 0
	in       string // "is one of the texts in ?"
	now      string // the store's clock, as an Instant
	lateral  bool   // a joined subquery may refer to p
	lock     string // waits for others with the same $1, until the end of the transaction; "" when all writers wait
	forKey   string // keeps others from changing the rows that were read
	keep     string // keeps others from changing the rows t that were read; they may refer to them
	hold     string // keeps others from changing the rows that were read; they may read and hold them as well
	// visibleFrom is the least visible_at of a row that became visible since ?.
	visibleFrom string
	lastMark    string // the instant at which rows become visible, of a source at the end; "" when it is an argument
	skip        string // skips rows that others are changing
	month       string // the month of the Instant ?, as a text
	mark        string // the number of this transaction; "" when writers wait for each other
	passed      string // whether all transactions up to number $1 have ended
	parentsOf   string // a table p of the parents of an entry c of the change log
	placeOf     string // the place of p, from 1
	stored      string // in front of a table's name: the table itself, even when a WITH has the same name
	apart       string // after a subquery that must run for each row, not as a join
	plain       string // in front of a column for which no index must be used
	seen        string // after the stored customers: use the visibility index; "" where the planner knows better
	rowID       string // selects the row number of x by which other tables refer to it
	records     string // a column of what is kept, as JSON

	// List makes an argument of several texts.
	List func([]string) any
	// bulk: one statement takes many rows, as an array for each column; else it runs for each row.
	bulk bool
}

var SQLite = &Dialect{
	Name:    "sqlite3",
	parents: "json_each($1) p", parentID: "p.value", parentNo: "p.key",
	in:  "IN (SELECT value FROM json_each(?))",
	now: "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)",
	visibleFrom: "(SELECT CASE WHEN m.first < ? THEN m.first ELSE ? END FROM (SELECT MIN(l.written_at) AS first" +
		" FROM late_writes l WHERE l.visible_at >= ?) m)",
	parentsOf: `json_each('["' || replace(COALESCE(c.parents, ''), ' ', '","') || '"]') p`,
	placeOf:   "(p.key + 1)",
	stored:    "main.",
	plain:     "+",
	seen:      " INDEXED BY customers_seen",
	rowID:     "x.rowid AS rowid, ",
	month:     "strftime('%Y-%m', ? / 1000.0, 'unixepoch')",
	records:   "CAST(records AS TEXT)",
	List:      listAsJSON,
}

// Postgres is the dialect of PostgreSQL, from version 13.
var Postgres = &Dialect{
	Name:    "postgres",
	parents: "unnest($1::text[]) WITH ORDINALITY p(id, n)", parentID: "p.id", parentNo: "p.n - 1",
	in:          "= ANY(?::text[])",
	lateral:     true,
	lock:        "SELECT /*backoffice:locks.take*/ pg_advisory_xact_lock(hashtext(current_schema()), $1::int4)",
	forKey:      " FOR UPDATE",
	keep:        " FOR NO KEY UPDATE",
	hold:        " FOR SHARE",
	now:         "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
	visibleFrom: "visible_from(?)",
	lastMark:    "v.at",
	skip:        " FOR UPDATE SKIP LOCKED",
	month:       `to_char(to_timestamp(? / 1000.0::double precision) AT TIME ZONE 'UTC', 'YYYY-MM') COLLATE "C"`,
	apart:       " OFFSET 0",
	records:     "convert_from(records, 'UTF8')::json",
	parentsOf:   "unnest(string_to_array(c.parents, ' ')) WITH ORDINALITY p(value, n)",
	placeOf:     "p.n::int",
	mark:        "SELECT /*backoffice:transactions.mark*/ pg_current_xact_id()::text::bigint",
	passed:      "SELECT /*backoffice:transactions.passed*/ pg_snapshot_xmin(pg_current_snapshot())::text::bigint > $1",
	List:        func(texts []string) any { return texts },
	bulk:        true,
}

func listAsJSON(texts []string) any {
	b := append(make([]byte, 0, 2+40*len(texts)), '[') // as long as identifiers need
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = backoffice.AppendJSONString(b, text)
	}
	return string(append(b, ']'))
}

// storable makes any text valid as an argument of both engines: invalid UTF-8 and NUL occur in no stored text.
func storable(text string) string {
	if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// numbered replaces each ? of a fragment by the next parameter.
func numbered(fragment string, next *int) string {
	if !strings.Contains(fragment, "?") {
		return fragment
	}
	var b bytes.Buffer
	for i := range len(fragment) {
		if fragment[i] != '?' {
			b.WriteByte(fragment[i])
			continue
		}
		*next++
		b.WriteString(parameter(*next))
	}
	return b.String()
}
