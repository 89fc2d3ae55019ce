package store

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/backoffice/backoffice"
)

// shape is all that the text of a reading statement depends on.
type shape struct {
	kind     statementKind
	under    backoffice.Parent
	order    backoffice.Order
	window   windowShape
	columns  backoffice.Columns
	criteria uint64
	varying  string // conditions whose text depends on more than criteria
	similar  bool   // of rows that are like a search
	single   bool   // one parent, which is then an argument by itself: a simpler plan, and half of its cost
}

type statementKind uint8

const (
	pagesStatement statementKind = iota
	countsStatement
	groupsStatement // counts by a column
	oneStatement
	manyStatement
)

// windowShape is a window without its positions. The limit is part of the text: a planner that knows it chooses better.
type windowShape struct {
	limit                              int
	backward, after, before, inclusive bool
	offset                             bool
}

// statement is a text and how to read its rows into a T.
type statement[T any] struct {
	text  string
	reads []func(*T, *Row, int)
}

func (s *statement[T]) read(t *T, row *Row, from int) {
	for i, read := range s.reads {
		read(t, row, from+i)
	}
}

// texts keeps statements by their shape. Shapes are few, but a caller chooses page sizes: beyond a bound all are forgotten.
type texts[T any] struct {
	mu      sync.RWMutex
	byShape map[shape]*statement[T]
}

const maxTexts = 4096

// maxVarying is how long conditions may be whose text depends on much for their statement to be kept, in bytes.
const maxVarying = 1024

func (c *texts[T]) get(s shape, build func() *statement[T]) *statement[T] {
	c.mu.RLock()
	known := c.byShape[s]
	c.mu.RUnlock()
	if known != nil {
		return known
	}
	built := build()
	if len(s.varying) > maxVarying {
		return built
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byShape == nil || len(c.byShape) >= maxTexts {
		c.byShape = make(map[shape]*statement[T])
	}
	c.byShape[s] = built
	return built
}

func parameter(n int) string { return "$" + strconv.Itoa(n) }

// textOf builds the text of one statement about a noun.
type textOf[T any, C comparable] struct {
	*noun[T, C]
	shape      shape
	ends       []string
	parameters int
	conditions []string // without the one on the parent
	base       string   // what the rows t are taken from
	placed     string   // the expression that the rows are ordered by, "" for a column
}

func (n *noun[T, C]) textFor(s shape, ends []string) *textOf[T, C] {
	b := &textOf[T, C]{noun: n, shape: s, ends: ends, base: n.table.name}
	if len(ends) > 0 {
		b.parameters = 1
	}
	for i := range n.table.criteria {
		if text := n.table.criteria[i].text; s.criteria&(1<<i) != 0 && text != nil {
			b.conditions = append(b.conditions, numbered(text(n.dialect), &b.parameters))
		}
	}
	if s.varying != "" {
		b.conditions = append(b.conditions, numbered(s.varying, &b.parameters))
	}
	if s.similar {
		b.base, b.conditions = b.mostSimilar(), nil
	}
	if of := n.table.orders[s.order.Key]; of.expression != nil {
		b.placed = numbered(of.expression(n.dialect), &b.parameters)
	}
	return b
}

// orderedBy is what the rows are ordered by before their identifiers.
func (b *textOf[T, C]) orderedBy() string {
	if b.placed != "" {
		return b.placed
	}
	return "t." + b.table.orders[b.shape.order.Key].column
}

// selectedColumns is the list of columns that are selected, and how to read them.
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

// orderColumnField names the pseudo field of the column that a row's position is worked out from.
func (b *textOf[T, C]) orderColumnField() string {
	if b.shape.order.Key == backoffice.KeyID {
		return ""
	}
	return orderField(b.shape.order.Key)
}

// orderField is the mark of columns that serve an order.
func orderField(key backoffice.OrderKey) string { return key.Field() }

// orderBy is the order in which rows are read: that of the list, turned round for a backward window.
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

// addBounds adds the conditions of the window.
func (b *textOf[T, C]) addBounds() {
	w := b.shape.window
	for _, bound := range []struct{ has, greater bool }{{w.after, !b.shape.order.Descending}, {w.before, b.shape.order.Descending}} {
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
		condition := "t.id " + operator + " ?"
		if key := b.shape.order.Key; key != backoffice.KeyID {
			condition = "(" + b.orderedBy() + ", t.id) " + operator + " (?, ?)"
		}
		b.conditions = append(b.conditions, numbered(condition, &b.parameters))
	}
}

// from is the table under the conditions, and under those more.
func (b *textOf[T, C]) from(more ...string) string { return b.joined("", more...) }

// joined is the table with others that are joined to it.
func (b *textOf[T, C]) joined(others string, more ...string) string {
	text := " FROM " + b.base + " t" + others
	if all := slices.Concat(more, b.conditions); len(all) > 0 {
		text += " WHERE " + strings.Join(all, " AND ")
	}
	return text
}

func (b *textOf[T, C]) pages() *statement[T] {
	columns, reads := b.selectedColumns()
	b.addBounds()
	orderBy := " ORDER BY " + b.orderBy()
	limit := strconv.Itoa(b.shape.window.limit + 1)
	window := orderBy + " LIMIT " + limit
	reach := orderBy + " LIMIT " + limit // of each end: what the window may need of it
	if b.shape.window.offset {
		b.parameters++
		window += " OFFSET " + parameter(b.parameters)
		reach += " + CAST(" + parameter(b.parameters) + " AS bigint)" // next to a literal PostgreSQL takes it for 4 bytes
	}

	of := b.hangsOn
	var text string
	switch d := b.dialect; {
	case len(b.ends) == 0:
		text = "SELECT " + columns + b.from() + window
	case b.shape.single && len(b.ends) == 1:
		text = "SELECT " + columns + b.from(of(b.ends[0])) + window
	case d.lateral:
		inner := "SELECT " + columns + b.from(of(b.ends[0])) + window
		if len(b.ends) > 1 {
			inner = "SELECT * FROM (" + b.union(columns, reach, of) + ") t" + window
		}
		if text = inner; !b.shape.single {
			text = "SELECT " + d.parentNo + ", t.* FROM " + d.parents + " CROSS JOIN LATERAL (" + inner + ") t"
		}
	default:
		inner := "SELECT t.rowid" + b.from(of(b.ends[0])) + window
		if len(b.ends) > 1 {
			inner = "SELECT t.row FROM (" + b.union("t.rowid AS row, t.id", reach, of) + ") t" + window
		}
		if b.shape.single {
			text = "SELECT " + columns + " FROM " + b.table.name + " t WHERE t.rowid IN (" + inner + ")" + orderBy
		} else {
			text = "SELECT " + d.parentNo + ", " + columns + " FROM " + d.parents + " CROSS JOIN " + b.table.name + " t WHERE t.rowid IN (" +
				inner + ") ORDER BY " + d.parentNo + ", " + b.orderBy()
		}
	}
	return &statement[T]{b.named("page", text), reads}
}

// hangsOn is the condition that a column holds the parent, or what leads to it.
func (b *textOf[T, C]) hangsOn(end string) string {
	parent := b.dialect.parentID
	if b.shape.single {
		parent = "$1"
	}
	if strings.Contains(end, "?") {
		return "t." + strings.ReplaceAll(end, "?", parent)
	}
	return "t." + end + " = " + parent
}

// union takes the same window of the lists at several ends.
func (b *textOf[T, C]) union(columns, reach string, of func(string) string) string {
	parts := make([]string, len(b.ends))
	for i, end := range b.ends {
		parts[i] = "SELECT * FROM (SELECT " + columns + b.from(of(end)) + reach + ") t"
	}
	return strings.Join(parts, " UNION ALL ")
}

func (b *textOf[T, C]) counts() *statement[T] {
	if len(b.ends) == 0 {
		return &statement[T]{text: b.named("count", "SELECT 0, count(*)"+b.from())}
	}
	sums := make([]string, len(b.ends))
	for i, end := range b.ends {
		sums[i] = "(SELECT count(*)" + b.from(b.hangsOn(end)) + ")"
	}
	if b.shape.single {
		return &statement[T]{text: b.named("count", "SELECT 0, "+strings.Join(sums, " + "))}
	}
	return &statement[T]{text: b.named("count", "SELECT "+b.dialect.parentNo+", "+strings.Join(sums, " + ")+" FROM "+b.dialect.parents)}
}

// groups counts by the values of a column.
func (b *textOf[T, C]) groups(column string) *statement[T] {
	if len(b.ends) == 0 {
		return &statement[T]{text: b.named(column+"_counts", "SELECT 0, t."+column+", count(*)"+b.from()+" GROUP BY t."+column)}
	}
	inner := "SELECT t." + column + ", count(*)" + b.from(b.hangsOn(b.ends[0])) + " GROUP BY t." + column
	if b.dialect.lateral {
		return &statement[T]{text: b.named(column+"_counts", "SELECT "+b.dialect.parentNo+", t.* FROM "+b.dialect.parents+" CROSS JOIN LATERAL ("+inner+") t")}
	}
	text := "SELECT " + b.dialect.parentNo + ", t." + column + ", count(*) FROM " + b.dialect.parents + " CROSS JOIN " + b.table.name + " t WHERE " +
		strings.Join(append([]string{b.hangsOn(b.ends[0])}, b.conditions...), " AND ")
	return &statement[T]{text: b.named(column+"_counts", text+" GROUP BY 1, 2")}
}

func (b *textOf[T, C]) byID() *statement[T] {
	columns, reads := b.selectedColumns()
	condition, name := "t.id = $1", "one"
	if b.shape.kind == manyStatement {
		name = "many"
		condition = "t.id " + strings.ReplaceAll(b.dialect.in, "?", "$1")
	}
	return &statement[T]{b.named(name, "SELECT "+columns+" FROM "+b.table.name+" t WHERE "+condition), reads}
}
