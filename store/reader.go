package store

import (
	"context"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// noun is a table in a dialect, with the statements prepared for it.
type noun[T any, C comparable] struct {
	all     *nouns
	table   *table[T, C]
	dialect *Dialect
	texts   texts[T]
	blocks  blocks[T]
	writes  writeTexts
	holders string       // the statement of Holders, "" when nothing is unique
	parents []*column[T] // the columns by which records belong to others

	parentNouns []backoffice.Noun // the nouns of those others
}

func nounOf[T any, C comparable](t *table[T, C], all *nouns) *noun[T, C] {
	d := all.dialect
	n := &noun[T, C]{all: all, table: t, dialect: d}
	n.writes, n.holders = writeTextsOf(t, d), holdersText(t, d)
	for _, c := range t.parentColumnsOf() {
		n.parents, n.parentNouns = append(n.parents, t.columnNamed(c.name)), append(n.parentNouns, c.noun)
	}
	return n
}

// whole returns the columns of a noun's records as a select list, and the function that reads a row.
func (n *noun[T, C]) whole(each func(*T)) (columns string, read func(*Row) error) {
	columns, reads := n.textFor(shape{}, nil).selectedColumns()
	statement := statement[T]{reads: reads}
	return columns, func(row *Row) error {
		t := new(T)
		statement.read(t, row, 0)
		each(t)
		return nil
	}
}

type reader[T any, C comparable] struct {
	*noun[T, C]
	from source
}

func (r *reader[T, C]) Send(ctx context.Context, b *backoffice.Batch) error {
	return send(ctx, r.all, r.from, b)
}

func (r *reader[T, C]) Columns(fields []string) backoffice.Columns { return r.table.columnsFor(fields) }

// rows is memory for the rows of a read, as many as are asked for or 0.
func (r *reader[T, C]) rows(b *backoffice.Batch, asked int) slab[T] {
	rows := slab[T]{next: asked, from: &r.blocks}
	if b.Pooled {
		rows.batch = b
	}
	return rows
}

func (r *reader[T, C]) Find(b *backoffice.Batch, ids []string, want backoffice.Columns,
	found func(*T)) backoffice.Queued {
	ids = wellFormed(ids)
	if len(ids) == 0 {
		return b.Queue(failed(nil))
	}
	s := shape{kind: manyStatement, columns: want}
	var arg any
	if len(ids) == 1 {
		s.kind, arg = oneStatement, ids[0]
	} else {
		arg = r.dialect.List(ids)
	}
	text := func(s shape) *statement[T] {
		return r.texts.get(s, func() *statement[T] { return r.textFor(s, nil).byID() })
	}
	statement := text(s)
	rows := r.rows(b, len(ids))
	var all []*T // where they show who is visible
	telling := false
	read := queryOf(statement.text, []any{arg}, func(row *Row) error {
		t := rows.new()
		statement.read(t, row, 0)
		if telling {
			all = append(all, t)
		}
		found(t)
		return nil
	})
	if statement.customers != nil {
		read.restricted = func(m *snapshot) *Query {
			telling = m != nil
			if !r.table.seenBy.itself || !m.knows(ids) {
				return &Query{Statement: read.Statement}
			}
			s.known = true
			return queryOf(text(s).text, read.Args, read.Each)
		}
		read.tells = func(m *snapshot) { statement.told(m, all) }
	}
	return b.Queue(read)
}

// wellFormed drops malformed identifiers, which an engine would reject. It copies only when it must.
func wellFormed(ids []string) []string {
	bad := func(id string) bool { return !backoffice.IsID(id) }
	if !slices.ContainsFunc(ids, bad) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), bad)
}

func (r *reader[T, C]) Lists(b *backoffice.Batch, ask backoffice.ListQuery[C], parents []string,
	want backoffice.Columns, into []backoffice.Page[*T]) backoffice.Queued {
	list, place, err := r.places(ask.Parent, ask.Criteria, parents)
	if err != nil || list == nil {
		return b.Queue(failed(err))
	}
	if _, ok := r.table.orders[ask.Order.Key]; !ok && ask.Order.Key != backoffice.KeyID {
		return b.Queue(failed(backoffice.Errorf(backoffice.BadInput, "this list does not have this order")))
	}
	if trigrams := r.table.trigrams(ask.Criteria); trigrams != nil {
		return r.similarList(b, ask, trigrams, want, into)
	}
	w, of := ask.Window, r.table.orders[ask.Order.Key]
	s := shape{
		kind: pagesStatement, under: ask.Parent, order: ask.Order, columns: want,
		criteria: r.table.mask(ask.Parent, ask.Criteria), single: isSingle(ask.Parent, list),
		varying: r.table.varyingText(ask.Criteria, r.dialect),
		window: windowShape{limit: w.Limit, backward: w.Backward, after: w.HasAfter, before: w.HasBefore,
			inclusive: w.Inclusive, offset: w.Offset > 0},
	}
	columns, _ := r.table.ends(ask.Parent, ask.Criteria)
	pages := func(s shape) *statement[T] {
		return r.texts.get(s, func() *statement[T] { return r.textFor(s, columns).pages() })
	}
	statement := pages(s)
	args := r.arguments(s, ask.Criteria, list)
	if of.text != nil {
		for range strings.Count(of.expression(r.dialect), "?") {
			args = append(args, storable(of.text(ask.Criteria)))
		}
	}
	args = r.window(args, ask.Order, w)

	rows, from := r.rows(b, 0), 0
	if ask.Parent != backoffice.Root && !s.single {
		from = 1
	}
	items := make([]*T, 0, min(len(list)*(w.Limit+1), mostExpected))
	var places []backoffice.Position
	ends := make([]int, len(list)) // where each parent's rows end in items
	at := 0
	each := func(row *Row) error {
		if from == 1 {
			for no := int(row.Int(0)); at < no; at++ {
				ends[at] = len(items)
			}
		}
		t := rows.new()
		statement.read(t, row, from)
		items = append(items, t)
		if of.place != nil {
			at := backoffice.Position{Key: ask.Order.Key, ID: *r.table.id(t)}
			of.place(&at, row, from+len(statement.reads))
			places = append(places, at)
		}
		return nil
	}
	read := &Query{Statement: Statement{Text: statement.text, Args: args, Each: each}, done: func() {
		for ; at < len(list); at++ {
			ends[at] = len(items)
		}
		start := 0
		for i, end := range ends {
			page := &into[place(i)]
			page.Items = items[start:end:end]
			if of.place != nil {
				page.Positions = places[start:end:end]
			}
			if len(page.Items) > w.Limit {
				page.Items, page.More = page.Items[:w.Limit:w.Limit], true
				page.Positions = page.Positions[:min(w.Limit, len(page.Positions))]
			}
			if w.Backward {
				slices.Reverse(page.Items)
				slices.Reverse(page.Positions)
			}
			start = end
		}
	}}
	if r.table.seenBy.nameParent(columns) {
		read.restricted = func(m *snapshot) *Query {
			s.restricted, s.known = true, m.knows(list)
			return &Query{Statement: Statement{Text: pages(s).text, Args: args, Each: read.Each}, done: read.done}
		}
	}
	if statement.customers != nil {
		read.tells = func(m *snapshot) { statement.told(m, items) }
	}
	return b.Queue(read)
}

func isSingle(under backoffice.Parent, parents []string) bool {
	return under != backoffice.Root && len(parents) == 1
}

// mostExpected is how many rows a list of pages allocates in advance.
const mostExpected = 1024

// parentsOf are the parents to look for; nil when nothing needs to be asked.
func (r *reader[T, C]) parentsOf(under backoffice.Parent, c C, parents []string) ([]string, error) {
	if _, ok := r.table.ends(under, c); !ok {
		return nil, backoffice.Errorf(backoffice.BadInput, "unknown list")
	}
	if !r.table.finds(c) {
		return nil, nil
	}
	if under != backoffice.Root {
		parents = wellFormed(parents)
	}
	if len(parents) == 0 {
		return nil, nil
	}
	return parents, nil
}

func (n *noun[T, C]) arguments(s shape, c C, parents []string) []any {
	args := make([]any, 0, 8)
	switch {
	case s.single:
		args = append(args, parents[0])
	case s.under != backoffice.Root:
		args = append(args, n.dialect.List(parents))
	}
	for i := range n.table.criteria {
		if s.criteria&(1<<i) != 0 {
			args = n.table.criteria[i].args(c, n.dialect, args)
		}
	}
	args = n.table.varyingArguments(c, n.dialect, args)
	if s.similar {
		args = n.dialect.similarArguments(n.table.trigrams(c), args)
	}
	return args
}

func (n *noun[T, C]) window(args []any, by backoffice.Order, w backoffice.Window) []any {
	add := func(p backoffice.Position) {
		if by.Key != backoffice.KeyID {
			args = append(args, n.table.orders[by.Key].argument(p))
		}
		args = append(args, storable(p.ID))
	}
	if w.HasAfter {
		add(w.After)
	}
	if w.HasBefore {
		add(w.Before)
	}
	if w.Offset > 0 {
		args = append(args, int64(w.Offset))
	}
	return args
}

func (r *reader[T, C]) Counts(b *backoffice.Batch, under backoffice.Parent, criteria C, parents []string,
	into []int) backoffice.Queued {
	return b.Queue(r.counts(under, criteria, parents, into))
}

func (r *reader[T, C]) counts(under backoffice.Parent, criteria C, parents []string, into []int) *Query {
	list, places, err := r.places(under, criteria, parents)
	if err != nil || list == nil {
		return failed(err)
	}
	s := shape{
		kind: countsStatement, under: under, criteria: r.table.mask(under, criteria), single: isSingle(under, list),
		varying: r.table.varyingText(criteria, r.dialect), similar: r.table.trigrams(criteria) != nil,
	}
	each := countInto(into, places)
	columns, _ := r.table.ends(under, criteria)
	counting := func() *Query {
		text := r.texts.get(s, func() *statement[T] { return r.textFor(s, columns).counts() }).text
		return queryOf(text, r.arguments(s, criteria, list), each)
	}
	if under != backoffice.Root || s.criteria != 0 || s.varying != "" || s.similar || r.table.uncounted {
		read := counting()
		if !s.similar && r.table.seenBy.nameParent(columns) {
			read.restricted = func(m *snapshot) *Query {
				s.restricted, s.known = true, m.knows(list)
				return counting()
			}
		}
		return read
	}
	total := queryOf(totalText, []any{string(r.table.noun)}, each)
	if !r.table.seenBy.everybody {
		total.restricted = func(*snapshot) *Query { return counting() }
	}
	return total
}

func countInto(into []int, places func(int) int) func(*Row) error {
	return func(row *Row) error { into[places(int(row.Int(0)))] = int(row.Int(1)); return nil }
}

// places returns the parents to look for, as parentsOf does, and the index of each among all parents.
func (r *reader[T, C]) places(under backoffice.Parent, criteria C,
	parents []string) (list []string, at func(int) int, err error) {
	if under == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	if list, err = r.parentsOf(under, criteria, parents); err != nil || len(list) == len(parents) {
		return list, func(i int) int { return i }, err
	}
	var places []int
	for i, parent := range parents {
		if backoffice.IsID(parent) {
			places = append(places, i)
		}
	}
	return list, func(i int) int { return places[i] }, nil
}
