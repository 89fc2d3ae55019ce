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
	writes  writeTexts
}

func nounOf[T any, C comparable](t *table[T, C], d *Dialect) *noun[T, C] {
	n := &noun[T, C]{table: t, dialect: d}
	n.writes = writeTextsOf(t, d)
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
	ids = wellFormed(ids)
	if len(ids) == 0 {
		return found, nil
	}
	s := shape{kind: manyStatement, columns: want}
	var arg any
	if len(ids) == 1 {
		s.kind, arg = oneStatement, ids[0]
	} else {
		arg = r.dialect.List(ids)
	}
	statement := r.texts.get(s, func() *statement[T] { return r.textFor(s, nil).byID() })
	rows := slab[T]{next: len(ids)}
	err := r.conn.Query(ctx, statement.text, []any{arg}, func(row *Row) error {
		t := rows.new()
		statement.read(t, row, 0)
		found[*r.table.id(t)] = t
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// wellFormed drops what is no identifier, so nothing that an engine would refuse gets to it. It copies only when it must.
func wellFormed(ids []string) []string {
	bad := func(id string) bool { return backoffice.CheckID(id) != nil }
	if !slices.ContainsFunc(ids, bad) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), bad)
}

// Pages implements backoffice.Reader.
func (r *reader[T, C]) Pages(ctx context.Context, ask backoffice.Ask[C], parents []string, want backoffice.Columns) (map[string]backoffice.Page[*T], error) {
	pages := make(map[string]backoffice.Page[*T], max(len(parents), 1))
	list, err := r.parentsOf(ask.Under, ask.Criteria, parents, func(parent string) { pages[parent] = backoffice.Page[*T]{} })
	if err != nil || list == nil {
		return pages, err
	}
	if _, ok := r.table.orders[ask.Order.Key]; !ok && ask.Order.Key != backoffice.KeyID {
		return nil, backoffice.Errorf(backoffice.BadInput, "this list has no such order")
	}
	w := ask.Window
	s := shape{
		kind: pagesStatement, under: ask.Under, order: ask.Order, columns: want, criteria: r.table.mask(ask.Under, ask.Criteria),
		window: windowShape{limit: w.Limit, backward: w.Backward, after: w.HasAfter, before: w.HasBefore, inclusive: w.Inclusive, offset: w.Offset > 0},
	}
	statement := r.texts.get(s, func() *statement[T] {
		ends, _ := r.table.ends(ask.Under, ask.Criteria)
		return r.textFor(s, ends).pages()
	})
	args := r.window(r.arguments(s, ask.Criteria, list), ask.Order, w)

	rows, from := slab[T]{}, 0
	if ask.Under != backoffice.Root {
		from = 1
	}
	var items []*T
	starts := make([]int, len(list)+1) // where each parent's rows begin among the items
	at := 0
	err = r.conn.Query(ctx, statement.text, args, func(row *Row) error {
		if from == 1 {
			for no := int(row.Int(0)); at < no; at++ {
				starts[at+1] = len(items)
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
		starts[at+1] = len(items)
	}
	for i, parent := range list {
		page := backoffice.Page[*T]{Items: items[starts[i]:starts[i+1]:starts[i+1]]}
		if len(page.Items) > w.Limit {
			page.Items, page.More = page.Items[:w.Limit:w.Limit], true
		}
		if w.Backward {
			slices.Reverse(page.Items)
		}
		pages[parent] = page
	}
	return pages, nil
}

// parentsOf calls empty for every parent asked and returns those to look for: each once; nil when there is nothing to ask.
func (r *reader[T, C]) parentsOf(under backoffice.Edge, c C, parents []string, empty func(string)) ([]string, error) {
	if _, ok := r.table.ends(under, c); !ok {
		return nil, backoffice.Errorf(backoffice.BadInput, "there are no such lists")
	}
	if under == backoffice.Root {
		parents = []string{backoffice.NoParent}
	}
	for _, parent := range parents {
		empty(parent)
	}
	if r.table.nothing != nil && r.table.nothing(c) {
		return nil, nil
	}
	if under == backoffice.Root {
		return parents, nil
	}
	return unique(wellFormed(parents)), nil
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
	if s.under != backoffice.Root {
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
	counts := make(map[string]int, max(len(parents), 1))
	list, err := r.parentsOf(under, criteria, parents, func(parent string) { counts[parent] = 0 })
	if err != nil || list == nil {
		return counts, err
	}
	s := shape{kind: countsStatement, under: under, criteria: r.table.mask(under, criteria)}
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

// slab makes records a block at a time.
type slab[T any] struct {
	block []T
	next  int // how large the next block is to be
}

const maxSlab = 64

func (s *slab[T]) new() *T {
	if len(s.block) == cap(s.block) {
		s.next = min(max(s.next, 4), maxSlab)
		s.block = make([]T, 0, s.next)
		s.next *= 2
	}
	s.block = s.block[:len(s.block)+1]
	return &s.block[len(s.block)-1]
}
