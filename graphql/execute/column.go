package execute

// Column is the results of one field for all objects of a level, in the objects' order.
type Column interface {
	rows() int
	// without returns a copy with the zero value at each error.
	without(errs []error) Column
	// spread passes the results to the frame: which objects the next selections apply to, and for which rows.
	spread(f *frame)
}

// Leaves is a column of scalars or enums. put appends one, or null, and reports whether the value is there.
func Leaves[R any](values []R, put func(*Writer, R) bool) Column { return leaves[R]{values, put} }

// Singles is a column of objects; nil is null.
func Singles[R any](values []*R) Column { return singles[*R]{values, compact[R]} }

// Lists is a column of lists of objects; a nil list is null where the schema allows it, and so is a nil object.
func Lists[R any](values [][]*R) Column { return lists[*R]{values, compact[R]} }

// Interfaces is a column of objects of several types. split returns for each value the index of its type among the
// field's types, from 1 (0: null), and for each type its objects in order.
func Interfaces[I any](values []I, split func([]I) ([]uint16, []List)) Column {
	return singles[I]{values, split}
}

func InterfaceLists[I any](values [][]I, split func([]I) ([]uint16, []List)) Column {
	return lists[I]{values, split}
}

type putter interface {
	put(w *Writer, row int) bool
}

type leaves[R any] struct {
	values []R
	append func(*Writer, R) bool
}

func (c leaves[R]) rows() int                   { return len(c.values) }
func (c leaves[R]) without([]error) Column      { return c } // rows with an error are skipped
func (c leaves[R]) spread(f *frame)             { f.leaves = c }
func (c leaves[R]) put(w *Writer, row int) bool { return c.append(w, c.values[row]) }

type singles[E any] struct {
	values []E
	split  func([]E) ([]uint16, []List)
}

func (c singles[E]) rows() int                   { return len(c.values) }
func (c singles[E]) without(errs []error) Column { return singles[E]{blank(c.values, errs), c.split} }
func (c singles[E]) spread(f *frame)             { f.kinds, f.below = c.split(c.values) }

type lists[E any] struct {
	values [][]E
	split  func([]E) ([]uint16, []List)
}

func (c lists[E]) rows() int                   { return len(c.values) }
func (c lists[E]) without(errs []error) Column { return lists[E]{blank(c.values, errs), c.split} }
func (c lists[E]) spread(f *frame)             { f.kinds, f.below = c.split(flatten(c.values, f)) }

// flatten concatenates lists and notes in the frame how many elements each has, -1 for a nil one.
func flatten[E any](values [][]E, f *frame) []E {
	f.counts = make([]int32, len(values))
	total := 0
	for i, list := range values {
		if f.counts[i] = int32(len(list)); list == nil {
			f.counts[i] = -1
		}
		total += len(list)
	}
	if len(values) == 1 {
		return values[0]
	}
	flat := make([]E, 0, total)
	for _, list := range values {
		flat = append(flat, list...)
	}
	return flat
}

// compact drops nil values. kinds marks those that were there, and is nil when all were.
func compact[R any](values []*R) (kinds []uint16, below []List) {
	var objects []*R
	for i, value := range values {
		switch {
		case value == nil && kinds == nil:
			objects, kinds = append(objects, values[:i]...), make([]uint16, len(values))
			for there := range i {
				kinds[there] = 1
			}
		case value != nil && kinds != nil:
			objects, kinds[i] = append(objects, value), 1
		}
	}
	if kinds == nil {
		objects = values
	}
	return kinds, []List{Of[*R](objects)}
}

// blank copies values, with the zero value at each error.
func blank[E any](values []E, errs []error) []E {
	kept := make([]E, len(values))
	for i, value := range values {
		if errs[i] == nil {
			kept[i] = value
		}
	}
	return kept
}
