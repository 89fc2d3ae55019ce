package store

import (
	"regexp"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An entry of the change log is visible with its record. For a record that is deleted, or no longer visible, the log
// has its former parents; view_moves has whether those customers were visible then: it is what the next transaction
// that moved a customer found. Triggers maintain it, whatever moves a customer. The feed reports such a move as well: a
// customer that left as deleted, one that came as created, with all their descendants.

// Marks for the restriction's own conditions, which a feed's text does not have.
const (
	goneInView  = "[gone in view]"
	movedInView = "[moved in view]"
	hasLeft     = "[moved out of view]"
	userInView  = "[user in view]"
	yearMoved   = "m.gone = 2" // all records of years must be read again
	moves       = " FROM moved m JOIN changes e ON e.sequence = m.sequence"
	// Where users are visible with the customers that they are responsible for, they must be read again when a visible
	// customer moves, gets another user, or is new. The feed has the entry of a new customer, so no page ends there.
	movesOfUsers = " FROM moved_users m JOIN changes e ON e.sequence = m.sequence"
	newCustomers = " FROM changes e WHERE (" + kindOfEntry + ") = 'customer' AND e.done = 'created'" +
		" AND e.sequence > $1 AND " + newInView
	newInView = "[new customer in view]"
)

// Around the condition that a move m is reported: the next position is one with such moves.
const tellBegin, tellEnd = "/*tells ", "*/"

// mostMoves is how many records that appear in or leave the view are reported one by one; limitOfMoves is one more.
const mostMoves, limitOfMoves = 1000, "1001"

// parentsInView are the identifiers of an entry's visible parents.
func parentsInView(d *Dialect) string {
	return "(SELECT string_agg(p.value, ' ') FROM " + d.parentsOf + " WHERE " + d.letterOf() +
		" NOT IN ('c', 't', 'u') OR " + d.letterOf() + " = 'u' AND " + inUsers("p.value") +
		" OR EXISTS (SELECT 1 FROM customers v WHERE v.id = p.value)" +
		" OR EXISTS (SELECT 1 FROM transcripts v WHERE v.id = p.value))"
}

// inUsers marks the condition that a user with an id is visible, in the text of a feed.
func inUsers(id string) string { return userInView + "(" + id + ")" }

var usersInView = regexp.MustCompile(regexp.QuoteMeta(userInView) + `\(([^)]+)\)`)

// eachApart plans each EXISTS of a feed's text by itself: joined, hundreds took PostgreSQL seconds and half a gigabyte.
func (d *Dialect) eachApart(text string) string {
	before, behind, found := strings.Cut(text, "EXISTS (")
	if !found || d.apart == "" {
		return text
	}
	end := 0
	for open := 1; open > 0; end++ {
		switch behind[end] {
		case '(':
			open++
		case ')':
			open--
		}
	}
	inner, behind := d.eachApart(behind[:end-1]), behind[end-1:]
	return before + "EXISTS (" + strings.TrimSuffix(inner, d.apart) + d.apart + d.eachApart(behind)
}

func describedKind(kind string) description {
	noun := backoffice.Noun(kind)
	if kind == backoffice.RegistrationNumbers {
		noun = backoffice.NounCustomer
	}
	return described[slices.IndexFunc(described, func(of description) bool { return of.noun == noun })]
}

// visibleEntries reads the visible entries c of some kinds, and whether their record exists, in the log's order: a
// union of the kinds would repeat all conditions and be sorted.
func visibleEntries(columns, kinds string, d *Dialect) string {
	there := ""
	for kind := range strings.SplitSeq(kinds, ",") {
		of := describedKind(kind)
		when := " WHEN '" + string(of.noun) + "' THEN "
		switch {
		case of.seenBy.everybody || strings.Contains(there, when):
		case of.seenBy.responsible:
			there += when + inUsers("c.object_id")
		default:
			there += when + "EXISTS (SELECT 1 FROM " + of.table + " v WHERE v.id = c.object_id)"
		}
	}
	if there = "CASE c.noun" + there + " ELSE 1 = 1 END"; !strings.Contains(there, "WHEN") {
		there = "1 = 1"
	}
	among := "(" + kindOfEntry + ") = '" + kinds + "'"
	if strings.Contains(kinds, ",") {
		among = d.plain + "(" + kindOfEntry + ") IN ('" + strings.ReplaceAll(kinds, ",", "', '") + "')"
	}
	return "SELECT " + columns + ", CASE WHEN " + there + " THEN 1 ELSE 0 END AS there FROM changes c WHERE " + among +
		" AND sequence > $1 AND (" + there + " OR " + goneInView + ")"
}

// movesInView are the records of some kinds that became visible or stopped being so with the moves at a position.
func movesInView(kinds []string) string {
	one := func(place, kind, id, done, from, parents, letters string) string {
		return "SELECT * FROM (SELECT DISTINCT m.sequence, e.at, e.client_id, '" + kind + "' AS noun, " + id +
			" AS object_id, NULL AS fields, '" +
			done + "' AS done, " + parents + " AS parents, '" + letters + "' AS parent_nouns, e.visible_at, " +
			parents + " AS seen, " + place + " AS place, 1 AS there" + moves + from + " LIMIT " + limitOfMoves + ") p"
	}
	var parts []string
	tells := []string{yearMoved}
	for _, kind := range kinds {
		of := describedKind(kind)
		if !of.seenBy.everybody && kind != backoffice.RegistrationNumbers {
			parts = append(parts, one("4", kind, "''", string(backoffice.Reset), " WHERE m.id = ''", "''", ""))
		}
		switch {
		case of.seenBy.everybody || kind == backoffice.RegistrationNumbers:
		case of.seenBy.responsible:
			reset := one("4", kind, "''", string(backoffice.Reset), "", "''", "")
			ofNew := strings.NewReplacer("m.sequence", "e.sequence", moves, newCustomers, "4 AS place", "0 AS place")
			parts = append(parts, strings.Replace(reset, moves, movesOfUsers, 1), ofNew.Replace(reset))
		case of.seenBy.itself:
			parts = append(parts, one("1", kind, "m.id", string(backoffice.Deleted), " WHERE m.has_left", "''", ""),
				one("2", kind, "x.id", string(backoffice.Created), " JOIN customers x ON x.id = m.id", "''", ""))
			tells = append(tells, hasLeft, "EXISTS (SELECT 1 FROM customers x WHERE x.id = m.customer_id)")
		default:
			named := "x." + strings.Join(of.seenBy.customers, " || ' ' || x.")
			letters := strings.Repeat("c", len(of.seenBy.customers))
			for _, column := range of.seenBy.customers {
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

// entriesInView puts the restriction's conditions into the text of a feed; moved is its WITH of the next moves, if any.
func (n *nouns) entriesInView(text string, kind viewKind, args int) (restricted, moved string) {
	if !strings.Contains(text, goneInView) && !strings.Contains(text, movedInView) && !strings.Contains(text, moves) {
		return text, ""
	}
	alternatives := n.comparing(kind, args)
	var then, gone, was, now, changed, out []string
	ofYears := false
	for _, is := range alternatives {
		admitted, years := n.admittedThen("p.value", is), ""
		if is.year != "" {
			ofYears, years = true, " AND "+n.yearsThen(is)
		}
		then, gone = append(then, admitted), append(gone, n.goneUnder(admitted)+years)
		before, after := n.admitted("m.was_", is), n.admitted("m.is_", is)
		was, now = append(was, before), append(now, after)
		changed, out = append(changed, "("+before+") <> ("+after+")"), append(out, before+" AND NOT ("+after+")")
	}
	moving, goneThen := "m.gone = 0 AND "+anyOf(changed), anyOf(gone)
	if ofYears {
		moving = "(" + moving + " OR " + yearMoved + ")"
	}
	if len(alternatives) > 1 { // the two ends of a relation may be visible by different alternatives
		goneThen = "CASE WHEN c.noun = '" + string(backoffice.NounRelation) + "' THEN " + n.goneUnder(anyOf(then)) +
			" ELSE " + goneThen + " END"
	}
	users, usersMoved, isNew, seen := "1 = 1", "1 = 0", "1 = 0", moving
	if kind.namesCustomers() {
		users = "EXISTS (SELECT 1 FROM users v WHERE v.id = ${1})"
		usersMoved = anyOf(slices.Concat(was, now)) + " AND (m.was_user <> m.is_user OR m.gone > 0 OR " +
			anyOf(changed) + ")"
		isNew, seen = "e.object_id IN (SELECT v.id FROM customers v)", "("+moving+" OR "+usersMoved+")"
	}
	text = strings.NewReplacer(goneInView, mayBeGone+" AND "+goneThen, movedInView, seen, newInView, isNew).
		Replace(usersInView.ReplaceAllString(text, users))
	before, behind, _ := strings.Cut(text, tellBegin)
	tells, behind, found := strings.Cut(behind, tellEnd)
	if !found {
		return text, ""
	}
	tells = strings.ReplaceAll(tells, hasLeft, anyOf(out))
	return before + behind, "moved_users AS MATERIALIZED (SELECT MIN(m.sequence) AS sequence FROM view_moves m" +
		" WHERE m.sequence > $1 AND " + usersMoved + "), moved AS MATERIALIZED (SELECT m.sequence," +
		" m.customer_id AS id, " + anyOf(out) + " AS has_left FROM view_moves m WHERE " + moving +
		" AND m.sequence = (SELECT MIN(m.sequence) FROM view_moves m WHERE m.sequence > $1 AND " + moving +
		" AND (" + tells + ")))"
}

// mayBeGone is the condition that the record of an entry c may be deleted, or no longer visible after its parents
// changed: an entry has the parents before and after.
const mayBeGone = "(c.done = 'deleted' AND (c.noun = 'customer' OR c.parent_nouns LIKE '%c%') OR c.done = 'updated'" +
	" AND CASE c.noun WHEN 'relation' THEN c.parent_nouns LIKE '%c%c%c%'" +
	" ELSE c.parent_nouns LIKE '%c%c%' OR c.parent_nouns LIKE '%y%y%' END)"

// goneUnder is the condition that as many customers of an entry c were admitted as its record needs to be visible: of a
// relation the two that it had before, which come first.
func (n *nouns) goneUnder(admitted string) string {
	customers := "(SELECT count(*) FROM " + strings.ReplaceAll(n.dialect.parentsOf, "c.parents",
		"CASE c.noun WHEN 'customer' THEN c.object_id ELSE c.parents END") +
		" WHERE (c.noun = 'customer' OR " + n.dialect.letterOf() + " = 'c')" +
		" AND (c.noun <> 'relation' OR " + n.dialect.placeOf + " <= 2)"
	return customers + " AND " + admitted + ") >= CASE WHEN c.noun = 'customer' THEN 1 WHEN c.done = 'deleted' THEN " +
		customers + ") WHEN c.noun = 'relation' THEN 2 ELSE 1 END"
}

// yearsThen is the condition that an entry c of a record that depends on a year was visible by it. What was there
// before a year moved is not reported: then clients read everything again.
func (n *nouns) yearsThen(is comparisons) string {
	parents := "EXISTS (SELECT 1 FROM " + n.dialect.parentsOf + " WHERE " + n.dialect.letterOf()
	return "c.sequence >= (SELECT COALESCE(MAX(n.sequence), 0) FROM view_moves n WHERE n.customer_id = '') AND CASE" +
		" WHEN c.done = 'deleted' THEN NOT " + parents + " = 'y' AND NOT p.value " + is.ofYears + ")" +
		" AND NOT " + parents + " = 't' AND NOT EXISTS (SELECT 1 FROM transcripts v WHERE v.id = p.value))" +
		" ELSE COALESCE(c.parent_nouns, '') NOT LIKE '%y%' OR " + parents + " = 'y' AND p.value " + is.ofYears + ") END"
}

// admitted is the condition that an alternative admits a customer by the columns of a move m.
func (n *nouns) admitted(side string, is comparisons) string {
	one := func(words, is string) string {
		words = strings.ReplaceAll(n.dialect.parentsOf, "c.parents", words)
		return "EXISTS (SELECT 1 FROM " + words + " WHERE p.value " + is + ")"
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

// admittedThen is the condition that an alternative admitted a customer before the transaction of an entry c.
func (n *nouns) admittedThen(id string, is comparisons) string {
	later := " FROM view_moves n WHERE n.customer_id = " + id + " AND n.sequence >= c.sequence)"
	return "CASE WHEN EXISTS (SELECT 1" + later + " THEN EXISTS (SELECT 1 FROM view_moves m WHERE m.customer_id = " +
		id + " AND m.sequence = (SELECT MIN(n.sequence)" + later + " AND " + n.admitted("m.was_", is) + ")" +
		" ELSE EXISTS (SELECT 1 FROM " + n.dialect.stored + "customers v WHERE v.id = " + id + " AND " +
		n.customerInView("v", is, false) + ") END"
}
