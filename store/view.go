package store

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/backoffice/backoffice"
)

// What a restricted pair asks is answered by the same statements as what others ask, but of other tables: in front of each one
// that reads stands a WITH that gives the names of the nouns' tables to what is in view of them. So a condition, an order, a total or a
// table that is joined goes by it without knowing of it, and what a noun's table says in one line holds for all that is ever asked. Both
// engines take such a name for the query behind it, as if that stood in its place.

// reach is how the records of a noun reach the customers by whom it is decided whether they are in view.
type reach struct {
	everybody bool     // they do not: all of them are in view
	itself    bool     // they are the customers
	customers []string // columns of x, each of which names a customer, all of whom have to be in view
	year      string   // what has to hold of x where years are restricted; ? is "one of those years"
}

// seenByAll are nouns of which every pair sees every record.
var seenByAll = reach{everybody: true}

// through are nouns whose records are in view with the customers in all of some columns.
func through(columns ...string) reach { return reach{customers: columns} }

// within is a reach of records that belong to a year, or may.
func (r reach) within(year string) reach {
	r.year = year
	return r
}

func (r reach) isSet() bool { return r.everybody || r.itself || len(r.customers) > 0 }

// viewKind is what the text of a view depends on.
type viewKind struct{ responsible, labels, customers, years amount }

// amount is how many values a kind of condition has: one is compared, which makes for better plans.
type amount uint8

const (
	none amount = iota
	one
	many
)

// view is a restriction as statements have it.
type view struct {
	kind viewKind
	args []any // behind the statement's own
}

func newView(d *Dialect, r backoffice.Restriction) *view {
	v, f := &view{}, r.Fields()
	for _, of := range []struct {
		values []string
		amount *amount
	}{{f.Responsible, &v.kind.responsible}, {f.Labels, &v.kind.labels}, {f.Customers, &v.kind.customers}, {f.Years, &v.kind.years}} {
		switch len(of.values) {
		case 0:
		case 1:
			*of.amount, v.args = one, append(v.args, of.values[0])
		default:
			*of.amount, v.args = many, append(v.args, d.List(of.values))
		}
	}
	return v
}

// views keeps what is worked out of restrictions and texts. There are as many as there are pairs and statements; beyond a bound nothing more
// is kept.
type views struct {
	of, texts    sync.Map // *view by backoffice.Restriction, string by viewText
	known, built atomic.Int64
}

const mostViews = 1000

type viewText struct {
	text string
	args int
	kind viewKind
}

// viewOf is the view of a context, nil where nothing is restricted.
func (n *nouns) viewOf(ctx context.Context) *view {
	r := backoffice.RestrictionOf(ctx)
	if !r.IsSet() || ctx.Value(wholeKey{}) != nil {
		return nil
	}
	if known, ok := n.views.of.Load(r); ok {
		return known.(*view)
	}
	v := newView(n.dialect, r)
	if n.views.known.Add(1) <= mostViews {
		n.views.of.Store(r, v)
	}
	return v
}

type wholeKey struct{}

// whole is a context in which the store reads for itself what a write takes with it, whoever sees it.
func whole(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, true) }

// bookkeeping are the shapes of statements that read for a write what no caller is told: on what records hang that are written, and lock
// them, which is no matter of a view; whether somebody else has a value that only one may have; and which reference leads nowhere. What is
// written is held to the view by tx.
var bookkeeping = map[string]bool{"attached": true, "going": true, "cascade": true, "holders": true, "there": true}

// inView makes statements read what is in view.
func (n *nouns) inView(ctx context.Context, statements []*Statement) {
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
	text, ok := n.views.texts.Load(key)
	if !ok {
		text = n.restricted(key, s.Name())
		if n.views.built.Add(1) <= maxTexts {
			n.views.texts.Store(key, text)
		}
	}
	if text != s.Text {
		s.Text = text.(string)
		s.Args = append(slices.Clip(s.Args), v.args...)
	}
}

// restricted is a text with the tables that it names as they are in view, the text itself when it names none.
func (n *nouns) restricted(of viewText, name string) string {
	_, shape, _ := strings.Cut(name, ".")
	if !strings.HasPrefix(of.text, "SELECT ") || bookkeeping[shape] {
		return of.text
	}
	named := map[string]bool{}
	text := unnamed(of.text)
	for _, table := range n.boundNames.FindAllString(text, -1) {
		named[table] = true
	}
	if len(named) == 0 {
		return of.text
	}
	text = n.entriesInView(text, of.kind, of.args)
	parts := []string{n.tableInView(n.customers, of.kind, of.args)}
	for _, table := range n.bound {
		if named[table.table] && !table.reach.itself {
			parts = append(parts, n.tableInView(table, of.kind, of.args))
		}
	}
	return "WITH " + nameBegin + name + nameEnd + strings.Join(parts, ", ") + " " + text
}

// tableInView is a part of a WITH. Every part says which of the tables it means: one of its own name is meant by no one.
func (n *nouns) tableInView(of description, kind viewKind, args int) string {
	d, is, conditions := n.dialect, n.comparing(kind, args), []string(nil)
	columns := of.reach.customers
	if of.reach.itself {
		columns = []string{"id"}
		if kind.responsible == one { // whose index is in the order of identifiers
			conditions = append(conditions, "x.responsible_id "+is.responsible)
		} else if is.responsible != "" {
			conditions = append(conditions, d.plain+"x.responsible_id "+is.responsible)
		}
		if is.labelled != "" {
			conditions = append(conditions, d.plain+"x.responsible_id "+is.labelled)
		}
		if is.ofYears != "" {
			conditions = append(conditions, "EXISTS (SELECT 1 FROM "+d.stored+"transcripts w WHERE w.customer_id = x.id AND "+d.plain+"w.financial_year_id "+is.ofYears+d.apart+")")
		}
	} else if is.ofYears != "" && of.reach.year != "" {
		conditions = append(conditions, "("+strings.ReplaceAll(strings.ReplaceAll(of.reach.year, "stored.", d.stored), "?", is.ofYears)+")")
	}
	if is.customers != "" {
		for _, column := range columns { // said of each table, so that an index by customer serves
			conditions = append(conditions, "x."+column+" "+is.customers)
		}
	}
	for _, column := range of.reach.customers {
		conditions = append(conditions, "EXISTS (SELECT 1 FROM customers c WHERE c.id = x."+column+")")
	}
	return of.table + " AS NOT MATERIALIZED (SELECT " + d.rowID + "x.* FROM " + d.stored + of.table + " x WHERE " + strings.Join(conditions, " AND ") + ")"
}

// comparisons say of a value that it is one of a restriction's; "" where there is none of the kind.
type comparisons struct{ responsible, labelled, customers, ofYears string }

// comparing are the comparisons whose arguments stand behind some others.
func (n *nouns) comparing(kind viewKind, args int) (is comparisons) {
	next := func(a amount, into *string) bool {
		switch a {
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
	next(kind.responsible, &is.responsible)
	if next(kind.labels, &is.labelled) {
		is.labelled = "IN (SELECT l.user_id FROM user_labels l WHERE l.label_id " + is.labelled + ")"
	}
	next(kind.customers, &is.customers)
	if next(kind.years, &is.ofYears) {
		is.ofYears = "IN (SELECT y.id FROM financial_years y WHERE y.start_date " + is.ofYears + ")"
	}
	return is
}

// boundTables are the tables whose records are not everybody's to see, and a pattern of their names.
func boundTables() (bound []description, customers description, names *regexp.Regexp) {
	var all []string
	for _, of := range nounTables() {
		if of.reach.everybody {
			continue
		}
		bound, all = append(bound, of), append(all, of.table)
		if of.reach.itself {
			customers = of
		}
	}
	return bound, customers, regexp.MustCompile(`\b(?:` + strings.Join(all, "|") + `)\b`)
}
