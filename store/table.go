package store

import (
	"reflect"
	"slices"

	"example.org/backoffice/backoffice"
)

// table describes a noun: where its records T are stored, and what can be done with them and with criteria C.
type table[T any, C comparable] struct {
	place     int // index in described
	noun      backoffice.Noun
	view      backoffice.Noun // another way of reading the noun; "" for the noun itself
	name      string
	columns   []column[T]        // the identifier first
	special   map[string]special // by field name: what describe makes otherwise
	seenBy    seenBy             // the customers who decide which records are visible
	uncounted bool               // no trigger counts its rows: they are listed under parents only
	id        func(*T) *string
	version   func(*T) *int // nil for nouns without one

	// changedAt are the timestamps of a record's latest change, if rows are queried by it; else nil.
	changedAt func(*T) []*backoffice.Instant
	changedIn []string          // their columns
	hidden    *hiddenChanges[T] // for nouns with some; they have changedAt

	finds    func(C) bool // reports whether a record can match
	criteria []criterion[C]
	within   *alternatives[C] // nil for nouns without
	varying  []varying[C]
	similar  *similar[T, C] // nil for nouns without
	parents  map[backoffice.Parent]parentColumns[C]
	orders   map[backoffice.OrderKey]order

	dimensions map[backoffice.Dimension]dimension
	measures   []measure

	lists      []sideList[T]
	unique     uniqueValue
	references []reference // for NOT_FOUND

	// What reads and writes do in addition to the common part; nil for nothing.
	reads  func(reader[T, C]) any
	writes func(writer[T, C]) any
}

// criterion is a condition of a list. Its text, with a ? for each argument, depends on nothing else: a set has one.
type criterion[C any] struct {
	when func(C) bool
	text func(*Dialect) string // nil for one that only chooses the parent's column, and has no effect at the root
	args func(c C, d *Dialect, args []any) []any

	others bool // a condition on rows of another table

	take func(*C) string // clears the text that is compared, and returns it; nil where there is none
}

// parentColumns returns the columns of a list's parent. A column with a condition on the parent ? leads to it.
type parentColumns[C any] func(C) []string

func under[C any](column string) parentColumns[C] {
	columns := []string{column}
	return func(C) []string { return columns }
}

// order is a column of an order, before the identifier, or an expression computed for each row.
type order struct {
	column   string
	argument func(backoffice.Position) any

	expression func(*Dialect) string                 // of the row t, with a ? for each argument; nil for a column
	text       func(any) string                      // of criteria, the argument for each ?; nil for none
	place      func(*backoffice.Position, *Row, int) // reads what was computed
}

// byCount orders by the number of an expression of a row t.
func byCount(expression string) order {
	return order{
		argument:   func(p backoffice.Position) any { return int64(p.Number) },
		expression: func(*Dialect) string { return expression },
		place:      func(p *backoffice.Position, r *Row, i int) { p.Number = float64(r.Int(i)) },
	}
}

func byTextOf(expression func(*Dialect) string) order {
	return order{
		argument:   func(p backoffice.Position) any { return storable(p.Text) },
		expression: expression,
		place:      func(p *backoffice.Position, r *Row, i int) { p.Text = r.Text(i) },
	}
}

func byText(column string) order {
	return order{column: column, argument: func(p backoffice.Position) any { return storable(p.Text) }}
}

func byNumber(column string) order {
	return order{column: column, argument: func(p backoffice.Position) any { return int64(p.Number) }}
}

type reference struct {
	column string
	noun   backoffice.Noun
	field  []string // of the input
}

func where[C any](when func(C) bool, text string) criterion[C] {
	return criterion[C]{when: when, text: func(*Dialect) string { return text }, args: noArguments[C]}
}

func noArguments[C any](_ C, _ *Dialect, args []any) []any { return args }

// choosesEnds marks a criterion that chooses the parent's column.
func choosesEnds[C any](when func(C) bool) criterion[C] {
	return criterion[C]{when: when, args: noArguments[C]}
}

func equals[C any, S ~string](column string, of func(C) S) criterion[C] {
	return matches(of, func(*Dialect) string { return "t." + column + " = ?" })
}

func matches[C any, S ~string](of func(C) S, text func(*Dialect) string) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != "" },
		text: text,
		args: func(c C, _ *Dialect, args []any) []any { return append(args, storable(string(of(c)))) },
		take: taking(of),
	}
}

// taking finds the field that of reads.
func taking[C any, S ~string](of func(C) S) func(*C) string {
	for i := range reflect.TypeFor[C]().NumField() {
		var c C
		if field := reflect.ValueOf(&c).Elem().Field(i); field.Kind() != reflect.String {
			continue
		} else if field.SetString("x"); of(c) != "" {
			return func(c *C) string {
				field := reflect.ValueOf(c).Elem().Field(i)
				defer field.SetString("")
				return field.String()
			}
		}
	}
	panic("store: a criterion is not a field of its criteria")
}

// since picks rows whose timestamp is the instant or later.
func since[C any](column string, of func(C) backoffice.Instant) criterion[C] {
	return criterion[C]{
		when: func(c C) bool { return of(c) != 0 },
		text: func(*Dialect) string { return "t." + column + " >= ?" },
		args: func(c C, _ *Dialect, args []any) []any { return append(args, of(c).Milliseconds()) },
	}
}

func (t *table[T, C]) mask(under backoffice.Parent, c C) (mask uint64) {
	var none C
	if c == none {
		return 0
	}
	for i := range t.criteria {
		if t.criteria[i].when(c) && (t.criteria[i].text != nil || under != backoffice.Root) {
			mask |= 1 << i
		}
	}
	return mask
}

// ends are the columns that may hold the parent, none at the root; ok reports whether the noun has such lists.
func (t *table[T, C]) ends(e backoffice.Parent, c C) (columns []string, ok bool) {
	if e == backoffice.Root {
		return nil, true
	}
	of, ok := t.parents[e]
	if !ok {
		return nil, false
	}
	return of(c), true
}

// columnsFor are the columns that serve the fields, the identifier among them.
func (t *table[T, C]) columnsFor(fields []string) backoffice.Columns {
	set := backoffice.Columns(1)
	for i := range t.columns {
		for _, field := range fields {
			if slices.Contains(t.columns[i].fields, field) {
				set |= 1 << i
			}
		}
	}
	return set
}

// written are the columns that a record is written to.
func (t *table[T, C]) written() (all []*column[T]) {
	for i := range t.columns {
		if c := &t.columns[i]; !c.shown {
			all = append(all, c)
		}
	}
	return all
}

// picked are the indexes of the columns to select: those wanted, the identifier, and those of the order.
func (t *table[T, C]) picked(want backoffice.Columns, by string) []int {
	var places []int
	for i := range t.columns {
		c := &t.columns[i]
		if c.derived {
			continue
		}
		if want == 0 || want&(1<<i) != 0 || i == 0 || by != "" && slices.Contains(c.fields, by) {
			places = append(places, i)
		}
	}
	return places
}
