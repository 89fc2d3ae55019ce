package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

// kindOfEntry is the expression by which the feed's index separates entries, as backoffice.ChangeKinds does.
const kindOfEntry = "CASE WHEN noun = 'customer'" +
	" AND fields IN ('registrationNumber', 'spouseRegistrationNumber', 'registrationNumber spouseRegistrationNumber')" +
	" THEN 'registration numbers' ELSE noun END"

// feedColumns are the columns of an entry that the feed returns, as its page names them.
const feedColumns = "sequence, at, client_id, noun, object_id, fields, done, parents, parent_nouns, visible_at"

// feedShape is everything the text of a page depends on. Clients choose page sizes, so the number of limits is rounded
// to a few. The kinds are part of the text: PostgreSQL assumes that an unknown kind is frequent, and would search all
// entries for a kind that never occurred.
type feedShape struct {
	kinds      string // separated by commas
	seeing     string // likewise
	limit      int
	restricted bool // of the entries that are visible
	bounded    bool // each part of the union has the limit, too: PostgreSQL merges nothing else
}

func feedShapeOf(d *Dialect, q backoffice.ChangeQuery, restricted bool) feedShape {
	// The last removed entry is still stored, so one row more may be read; another one shows whether more follow.
	limit := 16
	for limit < q.First+2 {
		limit *= 2
	}
	return feedShape{kindsOf(q.Kinds, restricted), kindsOf(q.Seeing, restricted), limit, restricted, d.lateral}
}

// kindsOf are the names of kinds, without those of which a view shows nothing.
func kindsOf(kinds backoffice.ChangeKinds, restricted bool) string {
	return strings.Join(slices.DeleteFunc(kinds.Names(), func(kind string) bool {
		return restricted && describedKind(kind).seenBy.nobody
	}), ",")
}

var feedTexts bounded[feedShape, string]

// mostFeedTexts bounds the texts kept: some thousand sets of kinds are possible.
const mostFeedTexts = 500

// feedText reads a page: the ends of the log, and its entries alongside. Each kind is read in order from the index, and
// these rows are merged until the page is full, however many entries of other kinds lie in between.
func feedText(s feedShape, d *Dialect) string {
	limit := " ORDER BY sequence LIMIT " + strconv.Itoa(s.limit)
	entries := func(kinds, columns, form string) string {
		parts := strings.Split(kinds, ",")
		for i, kind := range parts {
			part := "SELECT " + columns + " FROM changes c WHERE (" + kindOfEntry + ") = '" + kind +
				"' AND sequence > $1"
			parts[i] = strings.Replace(form, "?", part, 1)
		}
		return strings.Join(parts, " UNION ALL ")
	}
	text := endsOfFeed
	if s.seeing != "" {
		newest := entries(s.seeing, "sequence", "SELECT (? ORDER BY sequence DESC LIMIT 1) AS sequence")
		if s.restricted {
			newest = "SELECT p.sequence FROM (" + visibleEntries("sequence", s.seeing, d) +
				" ORDER BY sequence DESC LIMIT 1) p UNION ALL SELECT MAX(m.sequence) FROM view_moves m" +
				" WHERE m.sequence > $1 AND " + movedInView
		}
		text = strings.Replace(text, "h.latest AS seen",
			"COALESCE((SELECT MAX(n.sequence) FROM ("+newest+") n), 0) AS seen", 1)
	}
	if s.kinds != "" {
		form := "?"
		if s.bounded {
			form = "SELECT * FROM (?" + limit + ") p"
		}
		page, order := entries(s.kinds, feedColumns, form)+limit, " ORDER BY c.sequence"
		if s.restricted {
			page = visibleEntries(feedColumns+", "+parentsInView(d)+" AS seen, 0 AS place", s.kinds, d) + limit
			if moved := movesInView(strings.Split(s.kinds, ",")); moved != "" {
				page, order = "SELECT * FROM ("+page+") p UNION ALL SELECT * FROM ("+moved+") p",
					order+", c.place, c.noun, c.object_id"
			}
		}
		text = named("changes.feed", unnamed(text)) + " LEFT JOIN (" + page + ") c ON true" + order
		text = strings.Replace(text, "AS seen", "AS seen, c."+strings.ReplaceAll(s.names(), ", ", ", c."), 1)
	}
	return text
}

// endsOfFeed returns the number of the last removed entry, the number of the last one, the history of the log, whether
// it continues from position $1 of history $2, and the number of the last entry visible to the caller.
const endsOfFeed = "SELECT /*backoffice:changes.ends*/ h.removed, h.latest, h.history," +
	" EXISTS (SELECT 1 FROM change_histories o WHERE o.history = $2 AND o.until >= $1) AS continues, h.latest AS seen" +
	" FROM (SELECT r.removed, r.history, COALESCE((SELECT MAX(m.sequence) FROM changes m), 0) AS latest" +
	" FROM change_horizon r) h"

func (s feedShape) names() string {
	if s.restricted {
		return feedColumns + ", seen, place, there"
	}
	return feedColumns
}

func (s *Store) ReadChanges(b *backoffice.Batch, q backoffice.ChangeQuery,
	into *backoffice.ChangePage) backoffice.Queued {
	asked := s.changesQuery(q, into, false)
	asked.restricted = func(*snapshot) *Query { return s.changesQuery(q, into, true) }
	return b.Queue(asked)
}

func (s *Store) changesQuery(q backoffice.ChangeQuery, into *backoffice.ChangePage, restricted bool) *Query {
	*into = backoffice.ChangePage{}
	shape := feedShapeOf(s.nouns.dialect, q, restricted)
	text := feedTexts.get(shape, mostFeedTexts, func() string { return feedText(shape, s.nouns.dialect) })
	moved, ended := 0, false
	asked := queryOf(text, []any{q.After, q.History}, func(row *Row) error {
		into.Removed, into.Latest, into.Continues = row.Int(0), row.Int(1), row.Bool(3)
		into.Seen = max(row.Int(4), q.After)
		if into.History == "" {
			into.History = row.Text(2)
		}
		if q.Kinds == 0 || row.IsNull(5) || row.Int(5) <= into.Removed || ended {
			return nil
		}
		// A page never splits the entries of a position. It ends after the first position at which customers moved.
		n := len(into.Changes)
		if (n >= q.First || moved > 0) && (n == 0 || into.Changes[n-1].Sequence != row.Int(5)) {
			into.More, ended = true, true
			return nil
		}
		c := &backoffice.Change{
			History: into.History, Sequence: row.Int(5), At: row.Instant(6), ClientID: row.Text(7),
			Noun: backoffice.Noun(row.Text(8)), ObjectID: row.Text(9), Fields: split[string](row.Text(10)),
			Done: backoffice.ChangeAction(row.Text(11)), Parents: parentsFrom(row.Text(12), row.Text(13)),
			VisibleAt: row.Instant(14),
		}
		if restricted {
			seen := split[string](row.Text(15))
			hidden := func(p backoffice.ChangeParent) bool { return !slices.Contains(seen, p.ID) }
			c.Parents = slices.DeleteFunc(c.Parents, hidden)
			if row.Int(17) == 0 {
				c.Done = backoffice.Deleted // it is no longer visible
			}
			if row.Int(16) > 0 {
				into.More = c.Sequence < into.Seen
				if moved++; moved > mostMoves {
					resetMoved(into, q.Kinds, c, moved)
					return nil
				}
			}
		}
		into.Changes = append(into.Changes, c)
		return nil
	})
	asked.Generic = restricted
	return asked
}

// resetMoved replaces the entries of a position, which are too many, by the nouns that must be read again.
func resetMoved(into *backoffice.ChangePage, kinds backoffice.ChangeKinds, at *backoffice.Change, moved int) {
	if moved > mostMoves+1 {
		return
	}
	into.Changes = into.Changes[:len(into.Changes)-mostMoves]
	for _, kind := range kinds.Names() {
		if of := describedKind(kind); !of.seenBy.everybody && kind != backoffice.RegistrationNumbers {
			into.Changes = append(into.Changes, &backoffice.Change{
				History: at.History, Sequence: at.Sequence, At: at.At, ClientID: at.ClientID, VisibleAt: at.VisibleAt,
				Noun: of.noun, Done: backoffice.Reset,
			})
		}
	}
}

// ChangesBefore implements backoffice.ChangeStore by halving: instants grow with the numbers, which may have gaps. The
// last removed entry is still stored, so an instant before the retained ones gives a smaller number than its own.
func (s *Store) ChangesBefore(ctx context.Context, at backoffice.Instant) (after int64, err error) {
	const middle = "(s.low + s.high + 1) / 2"
	const earlier = "CASE WHEN c.visible_at > 0 THEN c.visible_at ELSE c.at END < $1"
	const text = "WITH RECURSIVE /*backoffice:changes.before*/ s(low, high) AS (" +
		"SELECT COALESCE((SELECT MIN(f.sequence) FROM changes f), 1) - 1," +
		" COALESCE((SELECT MAX(l.sequence) FROM changes l), 0) UNION ALL" +
		" SELECT CASE WHEN " + earlier + " THEN c.sequence ELSE s.low END, CASE WHEN " + earlier +
		" THEN s.high ELSE " + middle + " - 1 END FROM s JOIN changes c ON c.sequence =" +
		" (SELECT MIN(m.sequence) FROM changes m WHERE m.sequence >= " + middle + ") WHERE s.low < s.high)" +
		" SELECT MAX(s.low) FROM s"
	read := &Statement{Text: text, Args: []any{at.Milliseconds()},
		Each: func(row *Row) error { after = row.Int(0); return nil }}
	return after, read.Run(ctx, s.engine.Primary())
}

// versionsFrom exceeds any version of an ended history, unless a record changed every second: seconds since 2026.
func versionsFrom(now backoffice.Instant) int64 {
	return max(1, min(now.Milliseconds()/1000-1_767_225_600, backoffice.MaxVersion/2))
}

func (t *tx) VersionsFrom(ctx context.Context) (from int, err error) {
	const text = "SELECT /*backoffice:change_versions.find*/ versions_from FROM change_versions"
	err = t.conn.Query(ctx, text, nil, func(row *Row) error { from = int(row.Int(0)); return nil })
	return from, err
}

func (s *Store) RenewHistory(ctx context.Context, old, act string, now backoffice.Instant) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lock(ctx, lockChanges); err != nil { // first, in the same order as writers
			return err
		}
		const text = "UPDATE /*backoffice:change_horizon.renew*/ change_horizon SET history = $1," +
			" versions_from = CASE WHEN versions_from < $3 THEN $3 ELSE versions_from + 1 END" +
			" WHERE history = $2 OR $2 = ''"
		renewed, err := tx.conn.Exec(ctx, text, []any{backoffice.NewHistory(), old, versionsFrom(now)})
		if err != nil || renewed == 0 {
			return err
		}
		const forget = "DELETE /*backoffice:change_histories.forget*/ FROM change_histories"
		if _, err := tx.conn.Exec(ctx, forget, nil); err != nil {
			return err
		}
		return tx.LogChanges(ctx, &backoffice.Change{At: now, Action: act, Done: backoffice.Unknown})
	})
}

// RemoveChanges implements backoffice.ChangeStore. The last of the removed entries stays, hidden: numbering continues
// after it, and clients that knew the log up to there, or further, see that it is still the same log.
func (s *Store) RemoveChanges(ctx context.Context, before backoffice.Instant, limit int) (more bool, err error) {
	const oldest = "SELECT /*backoffice:changes.oldest*/ c.sequence, CASE WHEN c.visible_at > 0 THEN c.visible_at" +
		" ELSE c.at END FROM changes c" +
		" WHERE c.sequence > (SELECT h.removed FROM change_horizon h) ORDER BY c.sequence LIMIT $1"
	var removed int64
	more = true
	n := 0
	read := &Statement{Text: oldest, Args: []any{int64(limit)}, Each: func(row *Row) error {
		n++
		if more = more && row.Instant(1) < before; more {
			removed = row.Int(0)
		}
		return nil
	}}
	if err := read.Run(ctx, s.engine.Primary()); err != nil || removed == 0 {
		return false, err
	}
	settled, err := s.settled(ctx)
	if !settled {
		return false, err
	}
	err = s.repeat(ctx,
		&Statement{Text: "UPDATE /*backoffice:change_horizon.move*/ change_horizon SET removed = $1 WHERE removed < $1",
			Args: []any{removed}},
		&Statement{Text: "DELETE /*backoffice:changes.remove*/ FROM changes WHERE sequence < $1", Args: []any{removed}})
	return more && n == limit && err == nil, err
}
