package store

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// varying is a condition whose text depends on its value, such as one with nested criteria.
type varying[C any] struct {
	when func(C) bool
	text func(C, *Dialect) string
	args func(c C, d *Dialect, args []any) []any
}

// alternatives are the criteria nested in a noun's criteria.
type alternatives[C comparable] struct {
	anyOf func(C) backoffice.Nested[C] // at least one is true
	not   func(C) backoffice.Nested[C] // it is not true
}

// varyingText joins the conditions of criteria whose text depends on them; "" for none.
func (t *table[T, C]) varyingText(c C, d *Dialect) string {
	var all []string
	if t.within != nil {
		merged := t.merged(t.within.anyOf(c).List())
		arms := make([]string, len(merged))
		// Rows of another table, each by its index. PostgreSQL makes a hash of each.
		union := !d.bulk && len(arms) > 1 && slices.ContainsFunc(merged, t.readsOthers)
		for i, one := range merged {
			switch arms[i] = "(" + t.armText(one, d) + ")"; {
			case !d.bulk && t.readsOthers(one):
				arms[i] = byOthers.Replace(arms[i])
			case union:
				arms[i] = withoutCommon.Replace(arms[i])
			}
			if union {
				arms[i] = "SELECT t.id FROM " + t.name + " t WHERE " + arms[i]
			}
		}
		if union {
			all = append(all, "t.id IN ("+strings.Join(arms, " UNION ")+")")
		} else if len(arms) > 0 {
			all = append(all, "("+strings.Join(arms, " OR ")+")")
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
		for _, one := range t.merged(t.within.anyOf(c).List()) {
			args = t.armArguments(one, d, args)
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

// arm is an alternative, or several that differ only in the value of one criterion.
type arm[C comparable] struct {
	criteria C
	by       int // the criterion's index, where there are several
	values   []string
}

// merged combines alternatives into as few as possible, so that a list of values is one condition.
func (t *table[T, C]) merged(alternatives []C) (arms []arm[C]) {
	arms = backoffice.Map(alternatives, func(c C) arm[C] { return arm[C]{criteria: c} })
	for i := 0; i < len(t.criteria) && len(arms) > 1; i++ {
		take, at, kept := t.criteria[i].take, map[C]int{}, arms[:0]
		for _, one := range arms {
			if rest := one.criteria; take != nil && len(one.values) < 2 {
				if value := take(&rest); value != "" {
					if to, ok := at[rest]; ok {
						kept[to].by, kept[to].values = i, append(kept[to].values, storable(value))
						continue
					}
					at[rest], one.values = len(kept), []string{storable(value)}
				}
			}
			kept = append(kept, one)
		}
		arms = kept
	}
	return arms
}

func (t *table[T, C]) readsOthers(a arm[C]) bool {
	return slices.ContainsFunc(t.criteria, func(of criterion[C]) bool { return of.others && of.when(a.criteria) })
}

// SQLite has no row statistics. byParent keeps it from indexes that match many rows of all parents; withoutCommon from
// those that match half of all rows, or have a status; byOthers from all but conditions on rows of another table, which
// it would check for each row that it finds.
var (
	flags    = []string{"t.is_completed =", "+t.is_completed =", "t.document_generated =", "+t.document_generated ="}
	common   = append(slices.Clip(flags), "t.status IN", "+t.status IN")
	byParent = strings.NewReplacer(append(slices.Clip(flags), "t.financial_year_id =", "+t.financial_year_id =",
		"t.kind =", "+t.kind =", "t.document_type =", "+t.document_type =")...)
	withoutCommon = strings.NewReplacer(common...)
	byTimes       = strings.NewReplacer("t.updated_at", "+t.updated_at", "t.visible_at", "+t.visible_at")
	byOthers      = strings.NewReplacer(append(common, "t.financial_year_id =", "+t.financial_year_id =",
		"t.checklist_id =", "+t.checklist_id =", "t.updated_at", "+t.updated_at", "t.visible_at", "+t.visible_at")...)
)

// conditionOf is the condition of criteria for a row t, at the root: one text, with a ? for each argument.
func (t *table[T, C]) conditionOf(c C, d *Dialect) string { return t.armText(arm[C]{criteria: c}, d) }

func (t *table[T, C]) argumentsOf(c C, d *Dialect, args []any) []any {
	return t.armArguments(arm[C]{criteria: c}, d, args)
}

func (t *table[T, C]) armText(a arm[C], d *Dialect) string {
	c := a.criteria
	if !t.finds(c) {
		return "1 = 0"
	}
	var all []string
	for i := range t.criteria {
		if of := &t.criteria[i]; of.text != nil && of.when(c) {
			text := of.text(d)
			if len(a.values) > 1 && a.by == i {
				text = strings.Replace(text, "= ?", d.in, 1)
			}
			all = append(all, text)
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

func (t *table[T, C]) armArguments(a arm[C], d *Dialect, args []any) []any {
	c := a.criteria
	if !t.finds(c) {
		return args
	}
	for i := range t.criteria {
		switch of := &t.criteria[i]; {
		case of.text == nil || !of.when(c):
		case len(a.values) > 1 && a.by == i:
			args = append(args, d.List(a.values))
		default:
			args = of.args(c, d, args)
		}
	}
	return t.varyingArguments(c, d, args)
}

// owning means that a query returns row t as owner. SQLite lists them; PostgreSQL joins, impossible with a list.
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
