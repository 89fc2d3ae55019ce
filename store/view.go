package store

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// Queries of a restricted credential use the same statements as all others, but on other tables: a WITH in front of
// each reading statement redefines the names of the nouns' tables as their visible rows. So conditions, orders, totals
// and joins obey the restriction without knowing of it, and one line in a noun's table applies to every query. In both
// engines such a name means the query of the WITH.

// seenBy leads from the records of a noun to the customers who decide whether they are visible.
type seenBy struct {
	everybody bool // no customers decide: all records are visible
	nobody    bool // no record is visible to a restricted credential
	itself    bool // the records are the customers
	// The records are users: where each alternative names customers, only those responsible for visible ones are.
	responsible bool
	customers   []string // columns of x, each the id of a customer; all of them must be visible
	year        string   // the condition on x where years are restricted; ? is "one of those years"
}

// public are nouns of which every credential sees every record.
var public = seenBy{everybody: true}

// through are nouns whose records are visible with the customers in all of some columns.
func through(columns ...string) seenBy { return seenBy{customers: columns} }

// within adds that records belong to a year, or may.
func (v seenBy) within(year string) seenBy {
	v.year = year
	return v
}

// nameParent reports whether all columns that refer to a parent hold a customer who decides their visibility.
func (v seenBy) nameParent(columns []string) bool {
	return len(columns) > 0 && !slices.ContainsFunc(columns,
		func(column string) bool { return !slices.Contains(v.customers, column) })
}

// viewKind is what the text of a view depends on: for each alternative, the amounts of its four kinds of conditions.
type viewKind string

// amount is how many values a kind of condition has: a single one is compared with =, which gives better plans.
type amount byte

const (
	none amount = iota
	one
	many
)

// namesCustomers reports whether each alternative names its customers.
func (k viewKind) namesCustomers() bool {
	for ; k != ""; k = k[4:] {
		if amount(k[2]) == none {
			return false
		}
	}
	return true
}

// binds reports whether a restriction of this kind hides records of a table.
func (of *description) binds(kind viewKind) bool {
	return !of.seenBy.responsible || kind.namesCustomers()
}

type view struct {
	kind viewKind
	args []any // after the statement's own
}

func newView(d *Dialect, r backoffice.Restriction) *view {
	v, kind := &view{}, []byte(nil)
	for _, f := range r.Alternatives() {
		for _, values := range [][]string{f.Responsible, f.Labels, f.Customers, f.Years} {
			switch len(values) {
			case 0:
				kind = append(kind, byte(none))
			case 1:
				kind, v.args = append(kind, byte(one)), append(v.args, values[0])
			default:
				kind, v.args = append(kind, byte(many)), append(v.args, d.List(values))
			}
		}
	}
	v.kind = viewKind(kind)
	return v
}

// views caches what is computed of restrictions and texts, one per credential and statement, up to a bound.
type views struct {
	of    bounded[backoffice.Restriction, *view]
	texts bounded[viewText, string]
}

const mostViews = 1000

type viewText struct {
	text string
	args int
	kind viewKind
}

func (n *nouns) viewOf(ctx context.Context) *view {
	r := backoffice.RestrictionOf(ctx)
	if !r.IsSet() {
		return nil
	}
	return n.views.of.get(r, mostViews, func() *view { return newView(n.dialect, r) })
}

// whole is a context in which the store itself reads the cascade of a write, whatever is visible to the caller.
func whole(ctx context.Context) context.Context {
	return backoffice.WithRestriction(ctx, backoffice.Restriction{})
}

// bookkeeping are the shapes of statements that read for a write what no caller sees: they read and lock the parents of
// written records, which does not depend on visibility; find another record with a unique value; and find a missing
// reference. tx checks that what is written is visible.
var bookkeeping = map[string]bool{"attached": true, "going": true, "cascade": true, "holders": true, "there": true}

func (n *nouns) restrictAll(ctx context.Context, statements []*Statement) {
	v := n.viewOf(ctx)
	if v == nil {
		return
	}
	for _, s := range statements {
		n.restrict(v, s)
	}
}

func (n *nouns) restrict(v *view, s *Statement) {
	key := viewText{s.Text, len(s.Args), v.kind}
	text, build := s.Text, func() string { return n.restricted(key, s.Name()) }
	if len(text) > MaxKeptText {
		text = build()
	} else {
		text = n.views.texts.get(key, maxTexts, build)
	}
	if text != s.Text {
		s.Text = text
		s.Args = append(slices.Clip(s.Args), v.args...)
	}
}

// restricted is a text with its tables replaced by their visible rows, the text itself when it has none.
func (n *nouns) restricted(of viewText, name string) string {
	_, shape, _ := strings.Cut(name, ".")
	if !strings.HasPrefix(of.text, "SELECT ") || bookkeeping[shape] {
		return of.text
	}
	named := map[string]bool{}
	text := unnamed(of.text)
	for _, at := range n.boundNames.FindAllStringIndex(text, -1) {
		if stored := n.dialect.stored; stored == "" || !strings.HasSuffix(text[:at[0]], stored) {
			named[text[at[0]:at[1]]] = true
		}
	}
	for _, table := range n.bound {
		if table.seenBy.responsible && strings.Contains(text, userInView) {
			named[table.table] = true // by the marks of a feed
		}
		if !table.binds(of.kind) {
			delete(named, table.table)
		}
	}
	if len(named) == 0 {
		return of.text
	}
	text, moved := n.entriesInView(text, of.kind, of.args)
	alternatives := n.comparing(of.kind, of.args)
	text = parents.ReplaceAllStringFunc(text, func(mark string) string {
		return n.hasInView(parents.FindStringSubmatch(mark)[1], n.dialect.apart, alternatives)
	})
	parts := []string{n.tableInView(n.customers, "", of.kind, of.args)}
	for _, table := range n.bound { // descendants of customers first, so that the tables they name are stored
		for _, column := range table.seenBy.customers {
			if named[beneath(table.table, column)] {
				parts = append(parts, n.tableInView(table, column, of.kind, of.args))
			}
		}
	}
	for _, table := range n.bound {
		if named[table.table] && !table.seenBy.itself {
			parts = append(parts, n.tableInView(table, "", of.kind, of.args))
		}
	}
	with := "WITH " + nameBegin + name + nameEnd + strings.Join(parts, ", ")
	if moved == "" {
		return with + " " + text
	}
	return n.dialect.eachApart(with + ", " + moved + " " + text)
}

// beneath is the name for a table whose rows are visible apart from the customer in a column: the statement itself
// checks that customer, once for all rows. Without a view the table does not exist, so a misuse fails.
func beneath(table, column string) string { return table + "_beneath_" + column }

// parentInView marks the condition that a customer with an id is visible. It is not SQL: only restricted texts have it.
func parentInView(id string) string { return "[" + id + " in view]" }

var parents = regexp.MustCompile(`\[([^][ ]+) in view\]`)

// tableInView is a part of a WITH: a table, or what is beneath a column of it. Every part qualifies the tables it
// reads: none may mean a part of the same name.
func (n *nouns) tableInView(of description, below string, kind viewKind, args int) string {
	d, alternatives, name := n.dialect, n.comparing(kind, args), of.table
	if below != "" {
		name = beneath(of.table, below)
	}
	var conditions []string
	switch {
	case of.seenBy.nobody:
		conditions = append(conditions, "1 = 0")
	case of.seenBy.itself:
		for _, is := range alternatives {
			conditions = append(conditions, n.customerInView("x", is, len(alternatives) == 1))
		}
		conditions = []string{anyOf(conditions)}
	case of.seenBy.responsible:
		conditions = []string{"x.id IN (SELECT c.responsible_id FROM customers c WHERE c.responsible_id IS NOT NULL)"}
	case len(alternatives) == 1:
		is := alternatives[0]
		if is.ofYears != "" && of.seenBy.year != "" {
			conditions = append(conditions, n.ofYear(of, is))
		}
		if is.customers != "" {
			for _, column := range of.seenBy.customers { // for each table, so that an index by customer is used
				conditions = append(conditions, "x."+column+" "+is.customers)
			}
		}
	case of.seenBy.year != "" && slices.ContainsFunc(alternatives, func(c comparisons) bool { return c.ofYears != "" }):
		var each []string // a year is visible with the customers of its own alternative only
		for _, is := range alternatives {
			var both []string
			if is.ofYears != "" {
				both = append(both, n.ofYear(of, is))
			}
			for _, column := range of.seenBy.customers {
				both = append(both, "EXISTS (SELECT 1 FROM "+d.stored+"customers v WHERE v.id = x."+column+" AND "+
					n.customerInView("v", is, false)+")")
			}
			each = append(each, strings.Join(both, " AND "))
		}
		conditions = append(conditions, anyOf(each))
	}
	for _, column := range of.seenBy.customers {
		if column != below {
			conditions = append(conditions, n.hasInView("x."+column, "", alternatives))
		}
	}
	text := name + " AS NOT MATERIALIZED (SELECT " + d.rowID + "x.* FROM " + d.stored + of.table + " x"
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	return text + ")"
}

// anyOf is a condition that is true when one of several is.
func anyOf(conditions []string) string {
	if len(conditions) == 1 {
		return conditions[0]
	}
	return "((" + strings.Join(conditions, ") OR (") + "))"
}

// hasInView is the condition that the customer with the identifier of an expression is visible.
func (n *nouns) hasInView(id, apart string, alternatives []comparisons) string {
	if d, is := n.dialect, alternatives[0]; len(alternatives) == 1 && d.seen != "" {
		switch {
		case is.responsible != "" || is.labelled != "": // an index has everything it needs
			return "EXISTS (SELECT 1 FROM " + d.stored + "customers v" + d.seen + " WHERE v.id = " + id + " AND " +
				n.customerInView("v", is, false) + ")"
		case is.ofYears != "" && is.customers == "": // a customer with a transcript exists
			return n.hasYear(id, is)
		}
	}
	return "EXISTS (SELECT 1 FROM customers c WHERE c.id = " + id + apart + ")"
}

func (n *nouns) hasYear(id string, is comparisons) string {
	d := n.dialect
	return "EXISTS (SELECT 1 FROM " + d.stored + "transcripts w WHERE w.customer_id = " + id + " AND " + d.plain +
		"w.financial_year_id " + is.ofYears + d.apart + ")"
}

func (n *nouns) ofYear(of description, is comparisons) string {
	return "(" + strings.NewReplacer("stored.", n.dialect.stored, "?", is.ofYears).Replace(of.seenBy.year) + ")"
}

// customerInView is the condition that an alternative admits a customer. alone means it is the only alternative.
func (n *nouns) customerInView(name string, is comparisons, alone bool) string {
	d, conditions := n.dialect, []string(nil)
	switch {
	case is.responsible != "" && is.one && alone: // the index of the customers is in the order of identifiers
		conditions = append(conditions, name+".responsible_id "+is.responsible)
	case is.responsible != "":
		conditions = append(conditions, d.plain+name+".responsible_id "+is.responsible)
	}
	if is.labelled != "" {
		conditions = append(conditions, d.plain+name+".responsible_id "+is.labelled)
	}
	if is.ofYears != "" {
		conditions = append(conditions, n.hasYear(name+".id", is))
	}
	if is.customers != "" {
		conditions = append(conditions, name+".id "+is.customers)
	}
	return strings.Join(conditions, " AND ")
}

// comparisons compare a value with those of an alternative; "" where there is none of the kind.
type comparisons struct {
	responsible, labelled, customers, ofYears string
	label, year                               string // of one label, and of the start of a year

	one bool // responsible is
}

// comparing returns the comparisons of each alternative; their arguments follow some others.
func (n *nouns) comparing(kind viewKind, args int) (all []comparisons) {
	next := func(a byte, into *string) bool {
		switch amount(a) {
		case none:
			return false
		case one:
			args++
			*into = "= " + parameter(args)
		default:
			args++
			*into = strings.ReplaceAll(n.dialect.in, "?", parameter(args))
		}
		return true
	}
	for ; kind != ""; kind = kind[4:] {
		is := comparisons{one: amount(kind[0]) == one}
		next(kind[0], &is.responsible)
		if next(kind[1], &is.labelled) {
			is.label = is.labelled
			is.labelled = "IN (SELECT l.user_id FROM user_labels l WHERE l.label_id " + is.labelled + ")"
		}
		next(kind[2], &is.customers)
		if next(kind[3], &is.ofYears) {
			is.year = is.ofYears
			is.ofYears = "IN (SELECT y.id FROM financial_years y WHERE y.start_date " + is.ofYears + ")"
		}
		all = append(all, is)
	}
	return all
}

// boundTables are the tables with records that not everybody sees, and a pattern of their names.
func boundTables() (bound []description, customers description, names *regexp.Regexp) {
	var all []string
	for _, of := range nounTables() {
		if of.seenBy.everybody {
			continue
		}
		for _, column := range of.seenBy.customers {
			all = append(all, beneath(of.table, column))
		}
		bound, all = append(bound, of), append(all, of.table)
		if of.seenBy.itself {
			customers = of
		}
	}
	return bound, customers, regexp.MustCompile(`\b(?:` + strings.Join(all, "|") + `)\b`)
}
