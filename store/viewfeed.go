package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// An entry of the change log is in view with the record that it is about. Of a record that is gone the log knows on
// what it hung: what hung on customers was in view when those are, in a year that is; a customer was when the user who
// was responsible for it says so, or its identifier does.

// Where the restriction's own values have to stand, which a feed's text does not have.
const (
	inYears    = "[in years]"
	goneInView = "[gone customer in view]"
)

// parentsInView are the identifiers of an entry's parents that are in view.
func parentsInView(d *Dialect) string {
	return "(SELECT string_agg(p.value, ' ') FROM " + d.parentsOf + " WHERE " + d.letterOf + " NOT IN ('c', 't')" +
		" OR EXISTS (SELECT 1 FROM customers v WHERE v.id = p.value) OR EXISTS (SELECT 1 FROM transcripts v WHERE v.id = p.value))"
}

// entryInView is the condition, behind others, under which entries c of a kind are in view.
func entryInView(d *Dialect, kind string) string {
	noun := backoffice.Noun(kind)
	if kind == backoffice.RegistrationNumbers {
		noun = backoffice.NounCustomer
	}
	at := slices.IndexFunc(described, func(of description) bool { return of.noun == noun })
	of := described[at]
	if of.reach.everybody {
		return ""
	}
	gone := goneInView
	if !of.reach.itself {
		gone = "c.parent_nouns LIKE '%c%'" +
			" AND NOT EXISTS (SELECT 1 FROM " + d.parentsOf + " WHERE " + d.letterOf + " = 'c' AND NOT EXISTS (SELECT 1 FROM customers v WHERE v.id = p.value))" +
			inYears
	}
	return " AND (EXISTS (SELECT 1 FROM " + of.table + " v WHERE v.id = c.object_id) OR c.done = '" + string(backoffice.Deleted) + "' AND " + gone + ")"
}

// entriesInView puts the restriction's values into the text of a feed.
func (n *nouns) entriesInView(text string, kind viewKind, args int) string {
	if !strings.Contains(text, inYears) && !strings.Contains(text, goneInView) {
		return text
	}
	d, alternatives, years := n.dialect, n.comparing(kind, args), ""
	var ofYears, gone []string
	for _, is := range alternatives {
		condition := "1 = 1"
		if is.ofYears != "" {
			condition = "NOT EXISTS (SELECT 1 FROM " + d.parentsOf + " WHERE " + d.letterOf + " = 'y' AND NOT p.value " + is.ofYears + ")"
			years = inYears
		}
		if len(alternatives) > 1 { // a year is in view of the customers of its own alternative alone
			condition += " AND NOT EXISTS (SELECT 1 FROM " + d.parentsOf + " WHERE " + d.letterOf + " = 'c'" +
				" AND NOT EXISTS (SELECT 1 FROM " + d.stored + "customers v WHERE v.id = p.value AND " + n.customerInView("v", is, false) + "))"
		}
		ofYears = append(ofYears, condition)
		gone = append(gone, n.goneInView(is))
	}
	switch {
	case years != "" && len(alternatives) > 1:
		years = " AND " + anyOf(append(ofYears, "NOT EXISTS (SELECT 1 FROM "+d.parentsOf+" WHERE "+d.letterOf+" = 'y')"))
	case years != "":
		years = " AND " + ofYears[0]
	}
	return strings.NewReplacer(inYears, years, goneInView, "("+anyOf(gone)+")").Replace(text)
}

// goneInView is the condition that an alternative admitted the customer that is gone.
func (n *nouns) goneInView(is comparisons) string {
	if is.ofYears != "" { // its transcripts are gone, too
		return "1 = 0"
	}
	var gone []string
	for _, of := range []string{is.responsible, is.labelled} {
		if of != "" {
			gone = append(gone, "EXISTS (SELECT 1 FROM "+n.dialect.parentsOf+" WHERE "+n.dialect.letterOf+" = 'u' AND p.value "+of+")")
		}
	}
	if is.customers != "" {
		gone = append(gone, "c.object_id "+is.customers)
	}
	return strings.Join(gone, " AND ")
}
