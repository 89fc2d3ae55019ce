package store

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/backoffice/backoffice"
)

// shape is everything that the text of a reading statement depends on.
type shape struct {
	kind       statementKind
	under      backoffice.Parent
	order      backoffice.Order
	window     windowShape
	columns    backoffice.Columns
	criteria   uint64
	varying    string // conditions whose text depends on more than criteria
	similar    bool   // of rows that are like a search
	single     bool   // one parent, which is an argument by itself: a simpler plan at half the cost
	restricted bool   // customers are checked for visibility once, not with each of their rows
	known      bool   // the customers are known to be visible
}

type statementKind uint8

const (
	pagesStatement statementKind = iota
	countsStatement
	groupsStatement // counts by a column
	oneStatement
	manyStatement
	aggregateStatement // counts by dimensions
)

// windowShape is a window without its positions. A planner that knows the limit chooses better.
type windowShape struct {
	limit                              int
	backward, after, before, inclusive bool
	offset                             bool
}

type statement[T any] struct {
	text      string
	reads     []func(*T, *Row, int)
	customers []func(*T) any // the customers who are visible when a row is
}

func (s *statement[T]) read(t *T, row *Row, from int) {
	for i, read := range s.reads {
		read(t, row, from+i)
	}
}

// texts caches statements by shape.
type texts[T any] struct {
	byShape bounded[shape, *statement[T]]
}

const maxTexts = 4096

// MaxKeptText is the length in bytes of the longest statement that anything is kept of: callers can vary long ones.
const MaxKeptText = 1 << 13

// maxVarying is the length in bytes up to which a statement with varying conditions is cached.
const maxVarying = 1024

func (c *texts[T]) get(s shape, build func() *statement[T]) *statement[T] {
	if len(s.varying) > maxVarying {
		return build()
	}
	return c.byShape.get(s, maxTexts, build)
}

// bounded caches what is built of keys. Callers choose these, so beyond a bound all are dropped.
type bounded[K comparable, V any] struct {
	mu   sync.RWMutex
	kept map[K]V
}

func (c *bounded[K, V]) get(key K, most int, build func() V) V {
	c.mu.RLock()
	known, ok := c.kept[key]
	c.mu.RUnlock()
	if ok {
		return known
	}
	built := build()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= most {
		c.kept = make(map[K]V)
	}
	c.kept[key] = built
	return built
}

func parameter(n int) string { return "$" + strconv.Itoa(n) }

type textOf[T any, C comparable] struct {
	*noun[T, C]
	shape      shape
	ends       []string
	parameters int
	conditions []string // without the one on the parent
	base       string   // the table or query of the rows t
	placed     string   // the expression of the order, "" for a column
	others     bool     // rows of another table are the better start
}

func (n *noun[T, C]) textFor(s shape, ends []string) *textOf[T, C] {
	b := &textOf[T, C]{noun: n, shape: s, ends: ends, base: n.table.name}
	if len(ends) > 0 {
		b.parameters = 1
	}
	b.others = slices.ContainsFunc(ends, func(end string) bool { return strings.Contains(end, "?") })
	for i := range n.table.criteria {
		of := &n.table.criteria[i]
		if s.criteria&(1<<i) != 0 && of.text != nil {
			b.conditions = append(b.conditions, numbered(of.text(n.dialect), &b.parameters))
			b.others = b.others || of.others
		}
	}
	if s.varying != "" {
		b.conditions = append(b.conditions, numbered(s.varying, &b.parameters))
	}
	for i := 0; i < len(b.conditions) && !n.dialect.bulk; i++ {
		switch {
		case b.others:
			b.conditions[i] = byOthers.Replace(b.conditions[i])
		case len(ends) > 0:
			b.conditions[i] = byParent.Replace(b.conditions[i])
		case s.order.Key == backoffice.KeyCustomerName, s.kind == aggregateStatement: // times may be those of all rows
			b.conditions[i] = byTimes.Replace(b.conditions[i])
		}
	}
	if s.similar {
		b.base, b.conditions = b.mostSimilar(), nil
	}
	if of := n.table.orders[s.order.Key]; of.expression != nil {
		b.placed = numbered(of.expression(n.dialect), &b.parameters)
	}
	return b
}

// orderedBy is what orders the rows before their identifiers do.
func (b *textOf[T, C]) orderedBy() string {
	if b.placed != "" {
		return b.placed
	}
	return "t." + b.table.orders[b.shape.order.Key].column
}

// selectedColumns returns the select list, and the functions that read it.
func (b *textOf[T, C]) selectedColumns() (list string, reads []func(*T, *Row, int)) {
	var names []string
	for _, i := range b.table.picked(b.shape.columns, b.orderColumnField()) {
		names = append(names, b.table.columns[i].selected())
		reads = append(reads, b.table.columns[i].read)
	}
	if b.placed != "" {
		names = append(names, b.placed+" AS placed")
	}
	return strings.Join(names, ", "), reads
}

// orderColumnField names the pseudo field of the column that a row's position is computed from.
func (b *textOf[T, C]) orderColumnField() string {
	if b.shape.order.Key == backoffice.KeyID {
		return ""
	}
	return b.shape.order.Key.Field()
}

// orderBy is the order in which rows are read: that of the list, reversed for a backward window.
func (b *textOf[T, C]) orderBy() string {
	direction := ""
	if b.shape.order.Descending != b.shape.window.backward {
		direction = " DESC"
	}
	by := "t.id" + direction
	if key := b.shape.order.Key; key != backoffice.KeyID {
		by = b.orderedBy() + direction + ", " + by
	}
	return by
}

func (b *textOf[T, C]) addBounds() {
	w, descending := b.shape.window, b.shape.order.Descending
	for _, bound := range []struct{ has, greater bool }{{w.after, !descending}, {w.before, descending}} {
		if !bound.has {
			continue
		}
		operator := "<"
		if bound.greater {
			operator = ">"
		}
		if w.inclusive {
			operator += "="
		}
		first := "t.id"
		if b.shape.order.Key != backoffice.KeyID {
			first = b.orderedBy()
		}
		if b.others {
			first = b.dialect.plain + first
		}
		condition := first + " " + operator + " ?"
		if b.shape.order.Key != backoffice.KeyID {
			condition = "(" + first + ", t.id) " + operator + " (?, ?)"
		}
		b.conditions = append(b.conditions, numbered(condition, &b.parameters))
	}
}

func (b *textOf[T, C]) from() string { return b.joined("") }

func (b *textOf[T, C]) joined(others string) string {
	text := " FROM " + b.base + " t" + others
	if len(b.conditions) > 0 {
		text += " WHERE " + strings.Join(b.conditions, " AND ")
	}
	return text
}

func (b *textOf[T, C]) pages() *statement[T] {
	columns, reads := b.selectedColumns()
	b.addBounds()
	orderBy := " ORDER BY " + b.orderBy()
	limit := strconv.Itoa(b.shape.window.limit + 1)
	window := orderBy + " LIMIT " + limit
	// Of each end this is all the window may need.
	last := orderBy + " LIMIT " + limit
	if b.shape.window.offset {
		b.parameters++
		window += " OFFSET " + parameter(b.parameters)
		// Next to a literal PostgreSQL takes it for 4 bytes.
		last += " + CAST(" + parameter(b.parameters) + " AS bigint)"
	}

	var text string
	switch d := b.dialect; {
	case len(b.ends) == 0:
		text = "SELECT " + columns + b.from() + window
	case b.shape.single && len(b.ends) == 1:
		text = "SELECT " + columns + b.under(b.ends[0], b.parentInView()...) + window
	case d.lateral:
		inner := "SELECT " + columns + b.under(b.ends[0]) + window
		if len(b.ends) > 1 {
			inner = "SELECT * FROM (" + b.union(columns, last) + ") t" + b.whereParent() + window
		}
		if text = inner; !b.shape.single {
			text = "SELECT " + d.parentNo + ", t.* FROM " + d.parents + " CROSS JOIN LATERAL (" + inner + ") t" +
				b.whereParent()
		}
	default: // visibility is checked within, so that the rows are read from the stored table outside
		inner := "SELECT t.rowid" + b.under(b.ends[0]) + window
		if len(b.ends) > 1 {
			inner = "SELECT t.row FROM (" + b.union("t.rowid AS row, t.id", last) + ") t" + window
		}
		stored := d.stored + b.table.name + " t"
		found := " WHERE " + strings.Join(append(b.parentInView(), "t.rowid IN ("+inner+")"), " AND ")
		if b.shape.single {
			text = "SELECT " + columns + " FROM " + stored + found + orderBy
		} else {
			text = "SELECT " + d.parentNo + ", " + columns + " FROM " + d.parents + " CROSS JOIN " + stored + found +
				" ORDER BY " + d.parentNo + ", " + b.orderBy()
		}
	}
	return &statement[T]{b.named("page", text), reads, b.customers()}
}

func (b *textOf[T, C]) parent() string {
	if b.shape.single {
		return "$1"
	}
	return b.dialect.parentID
}

// hangsOn is the condition that a column holds the parent, or what leads to it.
func (b *textOf[T, C]) hangsOn(end string) string {
	if strings.Contains(end, "?") {
		return "t." + strings.ReplaceAll(end, "?", b.parent())
	}
	return "t." + end + " = " + b.parent()
}

// under selects from the table under the conditions and more, with the parent at an end.
func (b *textOf[T, C]) under(end string, more ...string) string {
	base := b.base
	if b.shape.restricted {
		base = beneath(b.table.name, end)
	}
	conditions := slices.Concat([]string{b.hangsOn(end)}, more, b.conditions)
	return " FROM " + base + " t WHERE " + strings.Join(conditions, " AND ")
}

// parentInView is the condition that under omits where the shape says so.
func (b *textOf[T, C]) parentInView() []string {
	if !b.shape.restricted || b.shape.known {
		return nil
	}
	return []string{parentInView(b.parent())}
}

// whereParent is the same as a WHERE after the parents, "" where no such condition applies.
func (b *textOf[T, C]) whereParent() string {
	if condition := b.parentInView(); condition != nil {
		return " WHERE " + condition[0]
	}
	return ""
}

// union merges the same window of the lists at several ends.
func (b *textOf[T, C]) union(columns, last string) string {
	return strings.Join(backoffice.Map(b.ends, func(end string) string {
		return "SELECT * FROM (SELECT " + columns + b.under(end) + last + ") t"
	}), " UNION ALL ")
}

func (b *textOf[T, C]) counts() *statement[T] {
	if len(b.ends) == 0 {
		return &statement[T]{text: b.named("count", "SELECT 0, count(*)"+b.from())}
	}
	sums := backoffice.Map(b.ends, func(end string) string { return "(SELECT count(*)" + b.under(end) + ")" })
	if b.shape.single {
		return &statement[T]{text: b.named("count", "SELECT 0, "+strings.Join(sums, " + ")+b.whereParent())}
	}
	return &statement[T]{text: b.named("count", "SELECT "+b.dialect.parentNo+", "+strings.Join(sums, " + ")+" FROM "+
		b.dialect.parents+b.whereParent())}
}

func (b *textOf[T, C]) groups(column string) *statement[T] {
	if len(b.ends) == 0 {
		return &statement[T]{text: b.named(column+"_counts", "SELECT 0, t."+column+", count(*)"+b.from()+
			" GROUP BY t."+column)}
	}
	inner := "SELECT t." + column + ", count(*)" + b.under(b.ends[0]) + " GROUP BY t." + column
	if b.dialect.lateral {
		return &statement[T]{text: b.named(column+"_counts", "SELECT "+b.dialect.parentNo+", t.* FROM "+
			b.dialect.parents+" CROSS JOIN LATERAL ("+inner+") t")}
	}
	text := "SELECT " + b.dialect.parentNo + ", t." + column + ", count(*) FROM " + b.dialect.parents + " CROSS JOIN " +
		b.table.name + " t WHERE " + strings.Join(append([]string{b.hangsOn(b.ends[0])}, b.conditions...), " AND ")
	return &statement[T]{text: b.named(column+"_counts", text+" GROUP BY 1, 2")}
}

func (b *textOf[T, C]) byID() *statement[T] {
	columns, reads := b.selectedColumns()
	condition, name := "t.id = $1", "one"
	if b.shape.kind == manyStatement {
		name = "many"
		condition = b.dialect.among("t.id")
	}
	base := b.table.name
	if b.shape.known {
		base = b.dialect.stored + base
	}
	return &statement[T]{b.named(name, "SELECT "+columns+" FROM "+base+" t WHERE "+condition), reads, b.customers()}
}

// customers are the columns that show which customers are visible.
func (b *textOf[T, C]) customers() []func(*T) any {
	return b.table.customersIn(b.table.picked(b.shape.columns, b.orderColumnField()))
}
