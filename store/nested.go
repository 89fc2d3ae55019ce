package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// varying is a condition whose text depends on more than that it is set, such as one that has others in it.
type varying[C any] struct {
	when func(C) bool
	text func(C, *Dialect) string
	args func(c C, d *Dialect, args []any) []any
}

// alternatives are the criteria within a noun's criteria.
type alternatives[C comparable] struct {
	anyOf func(C) backoffice.Nested[C] // at least one holds
	not   func(C) backoffice.Nested[C] // one, which does not hold
}

// varyingText are the conditions under criteria whose text depends on them, joined; "" for none.
func (t *table[T, C]) varyingText(c C, d *Dialect) string {
	var all []string
	if t.within != nil {
		if anyOf := t.within.anyOf(c); anyOf.IsSet() {
			var arms []string
			union := !d.bulk && slices.ContainsFunc(anyOf.List(), t.readsOthers) // PostgreSQL makes a hash of each
			for _, one := range anyOf.List() {
				text := t.conditionOf(one, d)
				if union {
					arms = append(arms, "SELECT t.id FROM "+t.name+" t WHERE "+withoutCommon.Replace(text))
				} else {
					arms = append(arms, "("+text+")")
				}
			}
			if union {
				all = append(all, "t.id IN ("+strings.Join(arms, " UNION ")+")")
			} else {
				all = append(all, "("+strings.Join(arms, " OR ")+")")
			}
		}
		for _, one := range t.within.not(c).List() {
			all = append(all, "("+t.conditionOf(one, d)+") IS NOT TRUE") // nor where a value is missing
		}
	}
	for i := range t.varying {
		if t.varying[i].when(c) {
			all = append(all, t.varying[i].text(c, d))
		}
	}
	return strings.Join(all, " AND ")
}

func (t *table[T, C]) varyingArguments(c C, d *Dialect, args []any) []any {
	if t.within != nil {
		for _, one := range t.within.anyOf(c).List() {
			args = t.argumentsOf(one, d, args)
		}
		for _, one := range t.within.not(c).List() {
			args = t.argumentsOf(one, d, args)
		}
	}
	for i := range t.varying {
		if t.varying[i].when(c) {
			args = t.varying[i].args(c, d, args)
		}
	}
	return args
}

// readsOthers reports whether rows of another table answer criteria. Alternatives of which one does are a union, each
// by its index: asked row by row, fifty of them would be fifty searches a row.
func (t *table[T, C]) readsOthers(c C) bool {
	return slices.ContainsFunc(t.criteria, func(of criterion[C]) bool { return of.others && of.when(c) })
}

// withoutCommon keeps SQLite, which counts no rows, from the index of what half of all rows have.
var withoutCommon = strings.NewReplacer("t.is_completed =", "+t.is_completed =", "t.document_generated =", "+t.document_generated =",
	"t.status IN", "+t.status IN")

// conditionOf is what criteria mean for a row t, at the root: one text, with a ? for each argument.
func (t *table[T, C]) conditionOf(c C, d *Dialect) string {
	if t.nothing != nil && t.nothing(c) {
		return "1 = 0"
	}
	var all []string
	for i := range t.criteria {
		if of := &t.criteria[i]; of.text != nil && of.when(c) {
			all = append(all, of.text(d))
		}
	}
	if more := t.varyingText(c, d); more != "" {
		all = append(all, more)
	}
	if len(all) == 0 {
		return "1 = 1"
	}
	return strings.Join(all, " AND ")
}

func (t *table[T, C]) argumentsOf(c C, d *Dialect, args []any) []any {
	if t.nothing != nil && t.nothing(c) {
		return args
	}
	for i := range t.criteria {
		if of := &t.criteria[i]; of.text != nil && of.when(c) {
			args = of.args(c, d, args)
		}
	}
	return t.varyingArguments(c, d, args)
}

// owning says that a row t is one of those that a query gives as owner. SQLite makes a list of them; PostgreSQL joins,
// which it can't with a list.
func (d *Dialect) owning(query string) string {
	if d.bulk {
		return "EXISTS (SELECT 1 FROM (" + query + ") e WHERE e.owner = t.id)"
	}
	return "t.id IN (SELECT e.owner FROM (" + query + ") e)"
}

// flagged picks rows by whether a column has a value.
func flagged[C any](column string, of func(C) backoffice.Tristate) []criterion[C] {
	return []criterion[C]{
		where(func(c C) bool { return of(c) == backoffice.Yes }, "t."+column+" IS NOT NULL"),
		where(func(c C) bool { return of(c) == backoffice.No }, "t."+column+" IS NULL"),
	}
}

// spanned picks rows by a span in which an instant lies.
func spanned[C any](column string, of func(C) backoffice.Span) []criterion[C] {
	return []criterion[C]{
		{
			when: func(c C) bool { return of(c).HasFrom },
			text: func(*Dialect) string { return "t." + column + " >= ?" },
			args: func(c C, _ *Dialect, args []any) []any { return append(args, of(c).From.Milliseconds()) },
		},
		{
			when: func(c C) bool { return of(c).HasTo },
			text: func(*Dialect) string { return "t." + column + " < ?" },
			args: func(c C, _ *Dialect, args []any) []any { return append(args, of(c).To.Milliseconds()) },
		},
	}
}
