package cache

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

type find[T backoffice.Entity, C comparable] struct {
	*reader[T, C]
	ids   []string
	want  backoffice.Columns
	found func(T)
	err   error

	hits    []*entry
	hitIDs  []string
	missing []string
	wider   backoffice.Columns // the columns read of those
	below   backoffice.Queued
	got     []T
}

func (f *find[T, C]) Err() error { return f.err }

func (f *find[T, C]) fail(err error) { f.err = err }

func (f *find[T, C]) readMemory(p *attempt) {
	f.hits, f.hitIDs, f.missing, f.got, f.below, f.wider = f.hits[:0], f.hitIDs[:0], f.missing[:0], nil, nil, f.want
	for _, id := range f.ids {
		if !backoffice.IsID(id) {
			continue
		}
		if p.memory {
			e, more := f.row(p, id)
			if e != nil {
				p.take(e)
				f.hits, f.hitIDs = append(f.hits, e), append(f.hitIDs, id)
				if !f.of.check {
					continue
				}
				more = f.want.With(e.want)
			}
			f.wider = f.wider.With(more)
		}
		f.missing = append(f.missing, id)
	}
	if len(f.missing) > 0 {
		p.needed = true
		f.below = f.reader.below.Find(p.batch, f.missing, f.wider, func(row T) { f.got = append(f.got, row) })
	}
}

func (f *find[T, C]) complete(p *attempt) {
	if f.below != nil {
		if f.err = f.below.Err(); f.err != nil {
			return
		}
	}
	f.of.hits.Add(int64(len(f.hits)))
	if f.of.check {
		f.compare(p)
	} else {
		for _, e := range f.hits {
			if e.value == nil {
				continue
			}
			if f.err = p.charge(1, e.bytes); f.err != nil {
				return
			}
			f.found(p.handed(f.form, e.value).(T))
		}
	}
	f.of.misses.Add(int64(len(f.missing)))
	if p.within.isSet() && !p.once {
		f.keepInView(p)
	} else if !p.within.isSet() && len(f.got) < len(f.missing) {
		f.keepAbsence(p)
	}
	for _, row := range f.got {
		f.found(f.keepRow(p, row, f.wider))
	}
}

// row is what is known of a record as the caller sees it; nil is nothing. Then have is worth reading with it.
func (f *find[T, C]) row(p *attempt, id string) (e *entry, have backoffice.Columns) {
	if p.within.isSet() {
		there, known := p.recall(f.view, id, p.within.question(isVisible{}), f.depends(p))
		if !known {
			return nil, f.want
		}
		if !there.(bool) {
			return notInView, 0
		}
	}
	if e, have = f.of.row(f.view, id, f.want, p.as.at); e != nil && e.value == nil && p.within.isSet() {
		return nil, f.want
	}
	return e, have
}

var notInView = &entry{}

func (f *find[T, C]) depends(p *attempt) nounSet { return p.within.depends(0, f.rules.noun) }

func (f *find[T, C]) keepInView(p *attempt) {
	there := f.there()
	for _, id := range f.missing {
		answer := func() (any, int) { return there[id], 1 }
		f.of.keepAnswer(f.view, id, p.within.question(isVisible{}), f.depends(p), p.readAt, answer)
	}
}

// there are the identifiers of what was read.
func (f *find[T, C]) there() map[string]bool {
	there := make(map[string]bool, len(f.got))
	for _, row := range f.got {
		there[row.Identity()] = true
	}
	return there
}

func (f *find[T, C]) keepAbsence(p *attempt) {
	there := f.there()
	for _, id := range f.missing {
		if at := (key{aRow, f.view, id}); !there[id] && f.of.admission.admit(at, p.once) {
			at.id = strings.Clone(id)
			f.of.keepRow(at, 0, nil, 0, p.readAt)
		}
	}
}

func (f *find[T, C]) compare(p *attempt) {
	if !p.sound {
		return
	}
	stored := make(map[string]T, len(f.got))
	for _, row := range f.got {
		stored[row.Identity()] = row
	}
	for i, e := range f.hits {
		row, there := stored[f.hitIDs[i]]
		f.of.compareRow(f.view, f.hitIDs[i], e, row, there, f.wider)
	}
}

// keepRow caches a row that was read, if it is admitted, and returns it as the caller gets it.
func (r *reader[T, C]) keepRow(p *attempt, row T, want backoffice.Columns) T {
	at := key{aRow, r.view, row.Identity()}
	e, ok := r.of.memory.GetIfPresent(at)
	if ok && e.filled <= p.readAt.at && e.want.Cover(want) || !r.of.admission.admit(at, p.once) {
		return row
	}
	copied, bytes := copyOf(r.form, row)
	at.id = copied.Identity()
	r.of.keepRow(at, want, copied, bytes, p.readAt)
	if p.own {
		return row
	}
	return copied
}

// handed is a cached row as the caller gets it: shared, or a copy.
func (p *attempt) handed(f *form, row any) any {
	if !p.own {
		return row
	}
	copied, _ := f.copy(reflect.ValueOf(row))
	return copied.Interface()
}

// charge counts what is taken from memory as if it had been read: a request has a budget for it.
func (p *attempt) charge(rows, bytes int) error {
	if budget := backoffice.BudgetOf(p.ctx); budget != nil {
		return budget.Read(rows, bytes)
	}
	return nil
}

// page is a cached page: its rows are cached by themselves.
type page struct {
	ids       []string
	positions []backoffice.Position // for orders that records do not determine
	more      bool
}

// pageOf makes a cached page, and returns how many bytes it takes.
func pageOf[T backoffice.Entity](read backoffice.Page[T]) (of *page, bytes int) {
	var all strings.Builder
	for _, row := range read.Items {
		all.WriteString(row.Identity())
	}
	of = &page{ids: make([]string, len(read.Items)), more: read.More}
	rest := all.String()
	for i, row := range read.Items {
		n := len(row.Identity())
		of.ids[i], rest = rest[:n], rest[n:]
	}
	bytes = all.Len() + 16*len(of.ids)
	for i, at := range read.Positions {
		at.ID, at.Text = of.ids[i], strings.Clone(at.Text)
		of.positions = append(of.positions, at)
		bytes += len(at.Text) + positionBytes
	}
	return of, bytes
}

// positionBytes is the size of a position without its text.
const positionBytes = 56

type listRead[T backoffice.Entity, C comparable] struct {
	*reader[T, C]
	list    backoffice.ListQuery[C]
	parents []string
	want    backoffice.Columns
	into    []backoffice.Page[T]
	err     error

	columns  backoffice.Columns // with those that determine a row's position
	question any
	known    []*page // of each parent
	items    [][]T   // of the known pages
	missing  []string
	indexes  []int // of the missing parents
	got      []backoffice.Page[T]
	holes    []hole // in the known pages
	lacking  []string
	rows     map[string]T // that are missing
	wider    backoffice.Columns
	below    backoffice.Queued
	rest     backoffice.Queued
	bytes    int
	hits     int
}

type hole struct{ page, at int }

func (l *listRead[T, C]) Err() error { return l.err }

func (l *listRead[T, C]) fail(err error) { l.err = err }

func (l *listRead[T, C]) readMemory(p *attempt) {
	if !l.rules.finds(l.list.Criteria) {
		l.got, l.indexes, l.missing = make([]backoffice.Page[T], len(l.parents)), make([]int, len(l.parents)), nil
		for i := range l.indexes {
			l.indexes[i] = i
		}
		l.below = l.reader.below.Lists(p.idle, l.list, l.parents, l.want, l.got)
		return
	}
	l.question = p.within.question(l.list)
	if l.columns = l.want; l.want != 0 && l.list.Order.Key != backoffice.KeyID {
		l.columns |= l.Columns([]string{l.list.Order.Key.Field()})
	}
	l.known, l.items = make([]*page, len(l.parents)), make([][]T, len(l.parents))
	l.missing, l.indexes, l.holes, l.lacking, l.rows, l.below, l.rest, l.wider, l.bytes, l.hits = nil, nil, nil, nil,
		nil, nil, nil, l.columns, 0, 0
	keeps := l.rules.keeps(l.list.Criteria)
	if !keeps {
		p.trace.end()
	}
	depends := l.depends(p)
	rows := 0
	for i, parent := range l.parents {
		if l.list.Parent != backoffice.Root && !backoffice.IsID(parent) {
			continue
		}
		if p.memory && keeps {
			if known, ok := p.recall(l.view, parent, l.question, depends); ok {
				l.known[i] = known.(*page)
				l.hits++
				rows += len(l.known[i].ids)
				if !l.of.check {
					continue
				}
			}
		}
		l.missing, l.indexes = append(l.missing, parent), append(l.indexes, i)
	}
	l.fromMemory(p, rows)
	if len(l.missing) > 0 {
		p.needed = true
		l.got = make([]backoffice.Page[T], len(l.missing))
		l.below = l.reader.below.Lists(p.batch, l.list, l.missing, l.columns, l.got)
	}
	if len(l.lacking) > 0 && !l.of.check {
		p.needed = true
		l.rest = l.reader.below.Find(p.batch, l.lacking, l.wider, func(row T) { l.rows[row.Identity()] = row })
	}
}

// fromMemory looks up the rows of the known pages; those that it misses are lacking.
func (l *listRead[T, C]) fromMemory(p *attempt, rows int) {
	all := make([]T, 0, rows)
	p.used = slices.Grow(p.used, rows)
	for i, known := range l.known {
		if known == nil {
			continue
		}
		first := len(all)
		for _, id := range known.ids {
			e, more := l.of.row(l.view, id, l.columns, p.as.at)
			if e != nil && e.value != nil {
				p.take(e)
				all = append(all, e.value.(T))
				l.bytes += e.bytes
				l.hits++
				continue
			}
			var none T
			l.holes = append(l.holes, hole{i, len(all) - first})
			all = append(all, none)
			l.wider = l.wider.With(more)
			if _, asked := l.rows[id]; !asked {
				if l.rows == nil {
					l.rows = map[string]T{}
				}
				l.rows[id] = none
				l.lacking = append(l.lacking, id)
			}
		}
		l.items[i] = all[first:len(all):len(all)]
	}
}

// depends are the nouns on which the list depends as a whole. In the order of identifiers no update moves a record.
func (l *listRead[T, C]) depends(p *attempt) nounSet {
	return p.within.depends(l.rules.depends(l.list.Parent, l.list.Criteria, l.list.Order.Key,
		l.list.Order.Key == backoffice.KeyID), l.rules.noun)
}

var errNoRow = errors.New("a cached list has a record that does not exist")

func (l *listRead[T, C]) complete(p *attempt) {
	for _, read := range []backoffice.Queued{l.below, l.rest} {
		if read != nil && read.Err() != nil {
			l.err = read.Err()
			return
		}
	}
	if l.err = p.charge(l.hits, l.bytes); l.err != nil {
		return
	}
	l.of.hits.Add(int64(l.hits))
	l.of.misses.Add(int64(len(l.missing) + len(l.lacking)))
	if l.of.check {
		l.compare(p)
	} else if l.fill(p); l.err != nil {
		return
	}
	bytes, keeps := 0, len(l.missing) > 0 && l.rules.keeps(l.list.Criteria)
	if keeps {
		bytes = sizeOf(l.question)
		keeps = bytes <= mostQuestion
	}
	depends := l.depends(p)
	for i, parent := range l.missing {
		read := &l.got[i]
		if l.into[l.indexes[i]] = *read; p.once {
			continue
		}
		for j, row := range read.Items {
			read.Items[j] = l.keepRow(p, row, l.columns)
		}
		if keeps {
			l.of.keepAnswer(l.view, parent, l.question, depends, p.readAt, func() (any, int) {
				page, itsBytes := pageOf(*read)
				return page, itsBytes + bytes
			})
		}
	}
	if l.missing == nil { // nothing was asked
		for i, at := range l.indexes {
			l.into[at] = l.got[i]
		}
	}
}

// fill assembles the known pages from their rows.
func (l *listRead[T, C]) fill(p *attempt) {
	for _, id := range l.lacking {
		row := l.rows[id]
		if any(row) == any(*new(T)) {
			l.of.Drop() // this can't happen
			l.err = backoffice.Fault(errNoRow, "reading a list")
			return
		}
		l.rows[id] = l.keepRow(p, row, l.wider)
	}
	for _, hole := range l.holes {
		l.items[hole.page][hole.at] = l.rows[l.known[hole.page].ids[hole.at]]
	}
	for i, known := range l.known {
		if known == nil {
			continue
		}
		if p.own {
			for j, row := range l.items[i] {
				l.items[i][j] = p.handed(l.form, row).(T)
			}
		}
		l.into[i] = backoffice.Page[T]{Items: l.items[i], Positions: known.positions, More: known.more}
	}
}

func (l *listRead[T, C]) compare(p *attempt) {
	if !p.sound || l.known == nil {
		return
	}
	for i, at := range l.indexes {
		known := l.known[at]
		if known == nil {
			continue
		}
		ids := make([]string, len(l.got[i].Items))
		for j, row := range l.got[i].Items {
			ids[j] = row.Identity()
		}
		got := l.got[i]
		if !slices.Equal(known.ids, ids) || !slices.Equal(known.positions, got.Positions) || known.more != got.More {
			l.of.differ(l.view, l.missing[i])
		}
	}
}
