package store

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// noun is a table on a dialect, with the statements that were made for it.
type noun[T any, C comparable] struct {
	table   *table[T, C]
	dialect *Dialect
	texts   texts[T]
	blocks  blocks[T]
	writes  writeTexts
	holders string // the statement of Holders, "" when nothing is unique
}

func nounOf[T any, C comparable](t *table[T, C], d *Dialect) *noun[T, C] {
	n := &noun[T, C]{table: t, dialect: d}
	n.writes, n.holders = writeTextsOf(t, d), holdersText(t, d)
	return n
}

// reader answers questions about a noun through a connection.
type reader[T any, C comparable] struct {
	*noun[T, C]
	conn Conn
}

// Columns implements backoffice.Reader.
func (r *reader[T, C]) Columns(fields []string) backoffice.Columns { return r.table.columnsFor(fields) }

// ByID implements backoffice.Reader.
func (r *reader[T, C]) ByID(ctx context.Context, ids []string, want backoffice.Columns) (map[string]*T, error) {
	found := make(map[string]*T, len(ids))
	err := r.find(ctx, unique(wellFormed(ids)), want, nil, func(t *T) { found[*r.table.id(t)] = t })
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Find implements backoffice.Reader.
func (r *reader[T, C]) Find(ctx context.Context, ids []string, want backoffice.Columns, found func(*T)) error {
	return r.find(ctx, wellFormed(ids), want, backoffice.LentIn(ctx), found)
}

func (r *reader[T, C]) find(ctx context.Context, ids []string, want backoffice.Columns, lent *backoffice.Lent, found func(*T)) error {
	if len(ids) == 0 {
		return nil
	}
	s := shape{kind: manyStatement, columns: want}
	var arg any
	if len(ids) == 1 {
		s.kind, arg = oneStatement, ids[0]
	} else {
		arg = r.dialect.List(ids)
	}
	statement := r.texts.get(s, func() *statement[T] { return r.textFor(s, nil).byID() })
	rows := slab[T]{next: len(ids), from: &r.blocks, lent: lent}
	return r.conn.Query(ctx, statement.text, []any{arg}, func(row *Row) error {
		t := rows.new()
		statement.read(t, row, 0)
		found(t)
		return nil
	})
}

// wellFormed drops what is no identifier, so nothing that an engine would refuse gets to it. It copies only when it must.
func wellFormed(ids []string) []string {
	bad := func(id string) bool { return !backoffice.IsID(id) }
	if !slices.ContainsFunc(ids, bad) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), bad)
}

// Pages implements backoffice.Reader.
func (r *reader[T, C]) Pages(ctx context.Context, ask backoffice.Ask[C], parents []string, want backoffice.Columns) (map[string]backoffice.Page[*T], error) {
	parents = eachOnce(ask.Under, parents)
	lists, err := r.pages(ctx, ask, parents, want, nil)
	if err != nil {
		return nil, err
	}
	pages := make(map[string]backoffice.Page[*T], len(parents))
	for i, parent := range parents {
		pages[parent] = lists[i]
	}
	return pages, nil
}

// Lists implements backoffice.Reader.
func (r *reader[T, C]) Lists(ctx context.Context, ask backoffice.Ask[C], parents []string, want backoffice.Columns) ([]backoffice.Page[*T], error) {
	if ask.Under == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	return r.pages(ctx, ask, parents, want, backoffice.LentIn(ctx))
}

// pages answers the question for each of the parents, in their order.
func (r *reader[T, C]) pages(ctx context.Context, ask backoffice.Ask[C], parents []string, want backoffice.Columns, lent *backoffice.Lent) ([]backoffice.Page[*T], error) {
	pages := make([]backoffice.Page[*T], len(parents))
	list, err := r.parentsOf(ask.Under, ask.Criteria, parents)
	if err != nil || list == nil {
		return pages, err
	}
	if _, ok := r.table.orders[ask.Order.Key]; !ok && ask.Order.Key != backoffice.KeyID {
		return nil, backoffice.Errorf(backoffice.BadInput, "this list has no such order")
	}
	w := ask.Window
	s := shape{
		kind: pagesStatement, under: ask.Under, order: ask.Order, columns: want, criteria: r.table.mask(ask.Under, ask.Criteria), single: isSingle(ask.Under, list),
		window: windowShape{limit: w.Limit, backward: w.Backward, after: w.HasAfter, before: w.HasBefore, inclusive: w.Inclusive, offset: w.Offset > 0},
	}
	statement := r.texts.get(s, func() *statement[T] {
		ends, _ := r.table.ends(ask.Under, ask.Criteria)
		return r.textFor(s, ends).pages()
	})
	args := r.window(r.arguments(s, ask.Criteria, list), ask.Order, w)

	rows, from := slab[T]{from: &r.blocks, lent: lent}, 0
	if ask.Under != backoffice.Root && !s.single {
		from = 1
	}
	items := make([]*T, 0, min(len(list)*(w.Limit+1), mostExpected))
	ends := make([]int, len(list)) // where each parent's rows end among the items
	at := 0
	err = r.conn.Query(ctx, statement.text, args, func(row *Row) error {
		if from == 1 {
			for no := int(row.Int(0)); at < no; at++ {
				ends[at] = len(items)
			}
		}
		t := rows.new()
		statement.read(t, row, from)
		items = append(items, t)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for ; at < len(list); at++ {
		ends[at] = len(items)
	}
	at, start := 0, 0
	for i := range pages {
		if len(list) < len(pages) && !backoffice.IsID(parents[i]) {
			continue
		}
		page := &pages[i]
		page.Items = items[start:ends[at]:ends[at]]
		if len(page.Items) > w.Limit {
			page.Items, page.More = page.Items[:w.Limit:w.Limit], true
		}
		if w.Backward {
			slices.Reverse(page.Items)
		}
		at, start = at+1, ends[at]
	}
	return pages, nil
}

// eachOnce are the parents of an answer by parent.
func eachOnce(under backoffice.Edge, parents []string) []string {
	if under == backoffice.Root {
		return []string{backoffice.NoParent}
	}
	return unique(parents)
}

// isSingle says whether the list of one parent is asked.
func isSingle(under backoffice.Edge, parents []string) bool {
	return under != backoffice.Root && len(parents) == 1
}

// mostExpected is how many rows a list of pages has room for before they come.
const mostExpected = 1024

// parentsOf are the parents to look for; nil when there is nothing to ask.
func (r *reader[T, C]) parentsOf(under backoffice.Edge, c C, parents []string) ([]string, error) {
	if _, ok := r.table.ends(under, c); !ok {
		return nil, backoffice.Errorf(backoffice.BadInput, "there are no such lists")
	}
	if r.table.nothing != nil && r.table.nothing(c) {
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

// unique drops what was there before; it copies only when it must. None at all is nil.
func unique(ids []string) []string {
	if len(ids) < 2 {
		if len(ids) == 0 {
			return nil
		}
		return ids
	}
	seen := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		seen[id] = struct{}{}
	}
	if len(seen) == len(ids) {
		return ids
	}
	list := make([]string, 0, len(seen))
	for _, id := range ids {
		if _, ok := seen[id]; ok {
			delete(seen, id)
			list = append(list, id)
		}
	}
	return list
}

// arguments are those of the parents and the criteria.
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
	return args
}

// window adds the arguments of a window.
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

// Counts implements backoffice.Reader.
func (r *reader[T, C]) Counts(ctx context.Context, under backoffice.Edge, criteria C, parents []string) (map[string]int, error) {
	parents = eachOnce(under, parents)
	counts := make(map[string]int, len(parents))
	for _, parent := range parents {
		counts[parent] = 0
	}
	list, err := r.parentsOf(under, criteria, parents)
	if err != nil || list == nil {
		return counts, err
	}
	s := shape{kind: countsStatement, under: under, criteria: r.table.mask(under, criteria), single: isSingle(under, list)}
	text, args := totalText, []any{string(r.table.noun)}
	if under != backoffice.Root || s.criteria != 0 {
		text = r.texts.get(s, func() *statement[T] { ends, _ := r.table.ends(under, criteria); return r.textFor(s, ends).counts() }).text
		args = r.arguments(s, criteria, list)
	}
	err = r.conn.Query(ctx, text, args, func(row *Row) error {
		counts[list[row.Int(0)]] = int(row.Int(1))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return counts, nil
}
