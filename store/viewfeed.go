package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An entry of the change log is in view with the record that it is about. Of a record that is gone, or has left, the
// log knows on what it hung; whether those customers were in view then is told by view_moves: what the next
// transaction that moved a customer found. Triggers keep it, whatever moves one. The feed tells such a move as well:
// of a customer that left that it is gone, of one that came that it is new, with all that hangs on it.

// Where the restriction's own conditions have to stand, which a feed's text does not have.
const (
	goneRecord   = "[gone record in view]"
	goneCustomer = "[gone customer in view]"
	goneRelation = "[gone relation in view]"
	movedInView  = "[moved in view]"
	hasLeft      = "[moved out of view]"
	moves        = " FROM moved m JOIN changes e ON e.sequence = m.sequence"
)

// Around the condition under which a move m tells anything: the next place is one at which some do.
const tellBegin, tellEnd = "/*tells ", "*/"

// mostMoves is how much that comes into view, or leaves it, is told one by one.
const mostMoves = 1000

// parentsInView are the identifiers of an entry's parents that are in view.
func parentsInView(d *Dialect) string {
	return "(SELECT string_agg(p.value, ' ') FROM " + d.parentsOf + " WHERE " + d.letterOf + " NOT IN ('c', 't')" +
		" OR EXISTS (SELECT 1 FROM customers v WHERE v.id = p.value)" +
		" OR EXISTS (SELECT 1 FROM transcripts v WHERE v.id = p.value))"
}

// describedKind is the noun of a kind of entries.
func describedKind(kind string) description {
	noun := backoffice.Noun(kind)
	if kind == backoffice.RegistrationNumbers {
		noun = backoffice.NounCustomer
	}
	return described[slices.IndexFunc(described, func(of description) bool { return of.noun == noun })]
}

// thereInView is the condition that the record of an entry c is in view.
func thereInView(kind string) string {
	of := describedKind(kind)
	if of.reach.everybody {
		return "1 = 1"
	}
	return "EXISTS (SELECT 1 FROM " + of.table + " v WHERE v.id = c.object_id)"
}

// entryInView is the condition, behind others, under which entries c of a kind are in view.
func entryInView(kind string) string {
	of, gone := describedKind(kind), goneRecord
	switch {
	case of.reach.everybody:
		return ""
	case of.reach.itself:
		gone = goneCustomer
	case len(of.reach.customers) > 1:
		gone = goneRelation
	}
	return " AND (" + thereInView(kind) + " OR " + gone + ")"
}

// movesInView are what customers that moved at one place have brought along, and taken with them, of some kinds.
func movesInView(d *Dialect, kinds []string) string {
	one := func(place, kind, id, done, from, parents, letters string) string {
		return "SELECT * FROM (SELECT DISTINCT m.sequence, e.at, e.client_id, '" + kind + "' AS noun, " + id + " AS object_id, NULL AS fields, '" +
			done + "' AS done, " + parents + " AS parents, '" + letters + "' AS parent_nouns, e.visible_at, " + parents + " AS seen, 1 AS there, " +
			place + " AS place" + moves + from + " LIMIT " + limitOfMoves + ") p"
	}
	var parts, tells []string
	for _, kind := range kinds {
		of := describedKind(kind)
		switch {
		case of.reach.everybody || kind == backoffice.RegistrationNumbers:
		case of.reach.itself:
			parts = append(parts, one("1", kind, "m.id", string(backoffice.Deleted), " WHERE m.has_left", "''", ""),
				one("2", kind, "x.id", string(backoffice.Created), " JOIN customers x ON x.id = m.id", "''", ""))
			tells = append(tells, hasLeft, "EXISTS (SELECT 1 FROM customers x WHERE x.id = m.customer_id)")
		default:
			named, letters := "x."+strings.Join(of.reach.customers, " || ' ' || x."), strings.Repeat("c", len(of.reach.customers))
			for _, column := range of.reach.customers {
				from := " JOIN " + of.table + " x ON x." + column + " = m.id"
				tells = append(tells, "EXISTS (SELECT 1 FROM "+of.table+" x WHERE x."+column+" = m.customer_id)")
				parts = append(parts, one("3", kind, "x.id", string(backoffice.Created), from, named, letters))
			}
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, " UNION ") + tellBegin + strings.Join(tells, " OR ") + tellEnd
}

const limitOfMoves = "1001" // of mostMoves

// entriesInView puts the restriction's conditions into the text of a feed; moved is the part of its WITH for the
// customers that moved next, "" where nobody asks.
func (n *nouns) entriesInView(text string, kind viewKind, args int) (restricted, moved string) {
	if !strings.Contains(text, "[gone ") && !strings.Contains(text, movedInView) && !strings.Contains(text, moves) {
		return text, ""
	}
	d, alternatives := n.dialect, n.comparing(kind, args)
	parents := "SELECT 1 FROM " + d.parentsOf + " WHERE " + d.letterOf
	var customer, kept, left, changed, out, either []string
	for _, is := range alternatives {
		then, years, ofLeft := n.admittedThen("p.value", is), "", ""
		if is.year != "" {
			years = " AND NOT EXISTS (" + parents + " = 'y' AND NOT p.value " + is.ofYears + ")" +
				" AND NOT EXISTS (" + parents + " = 't' AND NOT EXISTS (SELECT 1 FROM transcripts v WHERE v.id = p.value))"
			ofLeft = " AND (c.parent_nouns NOT LIKE '%y%' OR EXISTS (" + parents + " = 'y' AND p.value " + is.ofYears + "))"
		}
		customer, either = append(customer, n.admittedThen("c.object_id", is)), append(either, then)
		kept = append(kept, "NOT EXISTS ("+parents+" = 'c' AND NOT "+then+")"+years)
		left = append(left, "EXISTS ("+parents+" = 'c' AND "+then+")"+ofLeft)
		was, now := n.admitted("m.was_", is), n.admitted("m.is_", is)
		changed, out = append(changed, "("+was+") <> ("+now+")"), append(out, was+" AND NOT ("+now+")")
	}
	deleted, updated := "c.done = '"+string(backoffice.Deleted)+"' AND ", "c.done = '"+string(backoffice.Updated)+"' AND "
	moving := "m.gone = 0 AND " + anyOf(changed)
	text = strings.NewReplacer(
		goneCustomer, deleted+anyOf(customer),
		goneRecord, deleted+"c.parent_nouns LIKE '%c%' AND "+anyOf(kept)+
			" OR "+updated+"(c.parent_nouns LIKE '%c%c%' OR c.parent_nouns LIKE '%y%y%') AND "+anyOf(left),
		goneRelation, deleted+"c.parent_nouns LIKE '%c%' AND NOT EXISTS ("+parents+" = 'c' AND NOT "+anyOf(either)+")"+
			" OR "+updated+"c.parent_nouns LIKE '%c%c%c%' AND (SELECT count(*) FROM "+d.parentsOf+" WHERE "+d.letterOf+" = 'c' AND "+anyOf(either)+") > 1",
		movedInView, moving).Replace(text)
	before, behind, _ := strings.Cut(text, tellBegin)
	tells, behind, found := strings.Cut(behind, tellEnd)
	if !found {
		return text, ""
	}
	tells = strings.ReplaceAll(tells, hasLeft, anyOf(out))
	return before + behind, "moved AS MATERIALIZED (SELECT m.sequence, m.customer_id AS id, " + anyOf(out) + " AS has_left" +
		" FROM view_moves m WHERE " + moving + " AND m.sequence = (SELECT MIN(m.sequence) FROM view_moves m" +
		" WHERE m.sequence > $1 AND " + moving + " AND (" + tells + ")))"
}

// admitted is the condition that an alternative admits a customer as columns of a move m have it.
func (n *nouns) admitted(side string, is comparisons) string {
	one := func(words, is string) string {
		return "EXISTS (SELECT 1 FROM " + strings.ReplaceAll(n.dialect.parentsOf, "c.parents", words) + " WHERE p.value " + is + ")"
	}
	conditions := []string{"1 = 1"}
	if is.responsible != "" {
		conditions = append(conditions, side+"user "+is.responsible)
	}
	if is.label != "" {
		conditions = append(conditions, one(side+"labels", is.label))
	}
	if is.customers != "" {
		conditions = append(conditions, "m.customer_id "+is.customers)
	}
	if is.year != "" {
		conditions = append(conditions, one(side+"years", is.year))
	}
	return strings.Join(conditions, " AND ")
}

// admittedThen is the condition that an alternative admitted the customer of an identifier before the transaction of
// an entry c.
func (n *nouns) admittedThen(id string, is comparisons) string {
	later := " FROM view_moves n WHERE n.customer_id = " + id + " AND n.sequence >= c.sequence)"
	return "CASE WHEN EXISTS (SELECT 1" + later + " THEN EXISTS (SELECT 1 FROM view_moves m WHERE m.customer_id = " + id +
		" AND m.sequence = (SELECT MIN(n.sequence)" + later + " AND " + n.admitted("m.was_", is) + ")" +
		" ELSE EXISTS (SELECT 1 FROM " + n.dialect.stored + "customers v WHERE v.id = " + id + " AND " + n.customerInView("v", is, false) + ") END"
}
