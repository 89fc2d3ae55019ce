package store

import (
	"slices"
	"strconv"

	"example.org/backoffice/backoffice"
)

// similar is how a noun is searched for similar words. An engine finds the rows that share the most trigrams with them,
// by its trigram index and in the same order on each; the domain ranks the similarity.
type similar[T any, C comparable] struct {
	words func(C) string // "" for no such search
	place func(search []string, row *T) backoffice.Position
}

func (t *table[T, C]) trigrams(c C) []string {
	if t.similar == nil {
		return nil
	}
	return backoffice.Trigrams(t.similar.words(c))
}

// mostSimilar are the rows with the most shared trigrams: a table t of two arguments, trigrams and least number shared.
func (b *textOf[T, C]) mostSimilar() string {
	join := "SELECT f.rowid AS id, COUNT(*) AS shared FROM json_each(?) q CROSS JOIN " + b.table.name +
		"_search f WHERE f.search_text MATCH q.value GROUP BY f.rowid HAVING COUNT(*) >= ?"
	on := "t.rowid"
	if b.dialect.bulk {
		join = "SELECT c.id, COUNT(*) AS shared FROM unnest(?::text[]) q(trigram) JOIN " + b.table.name +
			" c ON c.search_text LIKE q.trigram GROUP BY c.id HAVING COUNT(*) >= ?"
		on = "t.id"
	}
	join = " JOIN (" + numbered(join, &b.parameters) + ") f ON f.id = " + on
	return "(SELECT t.*" + b.joined(join) + " ORDER BY f.shared DESC, t.name_folded, t.id LIMIT " +
		strconv.Itoa(backoffice.MaxSimilar) + ")"
}

func (d *Dialect) similarArguments(trigrams []string, args []any) []any {
	patterns := make([]string, len(trigrams))
	for i, trigram := range trigrams { // of letters, digits and blanks
		if patterns[i] = `"` + trigram + `"`; d.bulk {
			patterns[i] = "%" + trigram + "%"
		}
	}
	return append(args, d.List(patterns), int64(backoffice.LeastShared(len(trigrams))))
}

// similarList reads rows that are like a search; only the domain can order them, and they are few.
func (r *reader[T, C]) similarList(b *backoffice.Batch, ask backoffice.ListQuery[C], trigrams []string,
	want backoffice.Columns, into []backoffice.Page[*T]) backoffice.Queued {
	if ask.Parent != backoffice.Root {
		return b.Queue(failed(backoffice.Errorf(backoffice.BadInput, "unknown list")))
	}
	by, of := ask.Order, order{}
	if by.Key != backoffice.KeyRelevance {
		of = r.table.orders[by.Key]
	}
	told := by.Key == backoffice.KeyID || of.column != "" // by the rows
	s := shape{
		kind: pagesStatement, columns: want, criteria: r.table.mask(ask.Parent, ask.Criteria),
		varying: r.table.varyingText(ask.Criteria, r.dialect), similar: true,
	}
	if of.expression != nil || told {
		s.order.Key = by.Key
	}
	if want != 0 {
		// The name determines the similarity.
		s.columns = want.With(r.Columns([]string{backoffice.KeyName.Field()}))
	}
	statement := r.texts.get(s, func() *statement[T] { return r.textFor(s, nil).similar() })
	args := r.arguments(s, ask.Criteria, nil)
	rows := r.rows(b, 0)
	var found placed[T]
	each := func(row *Row) error {
		t := rows.new()
		statement.read(t, row, 0)
		at := backoffice.Position{Key: by.Key, ID: *r.table.id(t)}
		switch {
		case by.Key == backoffice.KeyRelevance:
			at = r.table.similar.place(trigrams, t)
		case of.place != nil:
			of.place(&at, row, len(statement.reads))
		default:
			at = any(t).(backoffice.Entity).Position(by.Key)
		}
		found.items, found.places = append(found.items, t), append(found.places, at)
		return nil
	}
	return b.Queue(&Query{Statement: Statement{Text: statement.text, Args: args, Each: each}, done: func() {
		into[0] = found.window(by, ask.Window)
		if told {
			into[0].Positions = nil
		}
	}})
}

// similar is the text for all rows that are like a search, in no order.
func (b *textOf[T, C]) similar() *statement[T] {
	columns, reads := b.selectedColumns()
	return &statement[T]{b.named("similar", "SELECT "+columns+b.from()), reads, b.customers()}
}

type placed[T any] struct {
	items  []*T
	places []backoffice.Position
}

// window puts rows in order and takes a window of them, as a list does.
func (p *placed[T]) window(by backoffice.Order, w backoffice.Window) backoffice.Page[*T] {
	order := make([]int, 0, len(p.items))
	for i := range p.items {
		if within(by, w, p.places[i]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return p.places[i].Compare(p.places[j], by.Descending != w.Backward) })
	order = order[min(w.Offset, len(order)):]
	page := backoffice.Page[*T]{More: len(order) > w.Limit}
	order = order[:min(w.Limit, len(order))]
	if w.Backward {
		slices.Reverse(order)
	}
	for _, i := range order {
		page.Items, page.Positions = append(page.Items, p.items[i]), append(page.Positions, p.places[i])
	}
	return page
}

// within reports whether a position is in a window, whatever the window's size.
func within(by backoffice.Order, w backoffice.Window, at backoffice.Position) bool {
	after, before := at.Compare(w.After, by.Descending), at.Compare(w.Before, by.Descending)
	return (!w.HasAfter || after > 0 || after == 0 && w.Inclusive) &&
		(!w.HasBefore || before < 0 || before == 0 && w.Inclusive)
}
