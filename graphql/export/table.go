package export

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// Columns that an export adds.
const (
	cursorColumn    = "_cursor"
	truncatedColumn = "_truncated"
)

// table maps rows to cells: a column for each scalar, and at most one list whose elements become rows of their own.
// Other lists are joined in a cell.
type table struct {
	row       *shape
	columns   []string
	list      *member        // unfolded into rows; nil for none
	within    []int          // the list's columns, from 1
	cursor    int            // the column of cursors, from 1; 0 for none
	truncated int            // the column of truncated lists, from 1; 0 for none
	layouts   map[int]string // of moments and days, by column, from 1

	// The current row.
	bytes []byte
	cells [][]byte // JSON as in the answer; nil for nothing
	at    int      // the offset of the list's value; -1 for none
	more  []string // the paths of lists that have more
	text  []byte   // what the joined cells hold
}

// mostColumns is a sheet's limit, and any table's.
const mostColumns = 16_384

// newTable assigns columns to a selection. unfold is the path of the list to unfold. Errors: BadInput, naming the
// lists, unless every list but the named one can be joined.
func newTable(row *shape, unfold string) (*table, error) {
	t := &table{row: row, layouts: map[int]string{}}
	var wide, joined []string // paths of lists
	t.assign(row, "", unfold, false, func(m *member, joins bool) {
		path := backoffice.ShownName(m.path)
		if m.path == unfold {
			t.list = m
		}
		if joins {
			joined = append(joined, path)
		} else {
			wide = append(wide, path)
		}
	})
	switch {
	case len(wide)+len(joined) == 0 && unfold != "":
		return nil, backoffice.Errorf(backoffice.BadInput, "this document has no list for rows to unfold")
	case len(wide) > 1:
		return nil, backoffice.Errorf(backoffice.BadInput,
			"at most one list can be unfolded into rows; this document has %s: keep one, "+
				"or one field of each of the others, or use JSON Lines", cutTo(wide, ""))
	case t.list == nil && unfold != "":
		return nil, backoffice.Errorf(backoffice.BadInput,
			"rows must name a list of this document: %s", cutTo(append(wide, joined...), ""))
	case len(wide) == 1 && t.list == nil:
		return nil, backoffice.Errorf(backoffice.BadInput,
			"a table has one kind of row: unfold the list with rows=%s, or select one field of it, or use JSON Lines",
			wide[0])
	}
	for _, m := range row.members {
		if m.role == cursor {
			t.columns = append(t.columns, cursorColumn)
			t.cursor = len(t.columns)
			m.column = t.cursor
		}
	}
	if row.hidesPage() {
		t.columns = append(t.columns, truncatedColumn)
		t.truncated = len(t.columns)
	}
	if len(t.columns) > mostColumns {
		return nil, backoffice.Errorf(backoffice.OverLimit, "a table has at most %d columns", mostColumns)
	}
	seen := map[string]bool{}
	for _, path := range t.columns {
		if seen[path] {
			return nil, backoffice.Errorf(backoffice.BadInput,
				"two columns would be named %s: give one of them an alias", backoffice.ShownName(path))
		}
		seen[path] = true
	}
	t.cells = make([][]byte, len(t.columns))
	return t, nil
}

// assign assigns columns to the scalars of a shape, those of lists included, and calls found with each list.
func (t *table) assign(s *shape, prefix, unfold string, inList bool, found func(m *member, joins bool)) {
	column := func(m *member, path string) {
		t.columns = append(t.columns, path)
		if m.column = len(t.columns); inList {
			t.within = append(t.within, m.column)
		}
	}
	for _, m := range s.members {
		switch {
		case m.role == page || m.role == cursor:
		case m.role == rows || m.list:
			only := m.below.only()
			joins := only != "" && m.path != unfold
			found(m, joins)
			if joins {
				column(m, join(m.path, only))
				continue
			}
			t.assign(m.below, m.path, unfold, true, found)
		case m.below != nil:
			t.assign(m.below, m.path, unfold, inList, found)
		default:
			column(m, join(prefix, m.name))
			t.layouts[m.column] = m.layout
		}
	}
}

func (s *shape) hidesPage() bool {
	return s.hides && slices.ContainsFunc(s.members,
		func(m *member) bool { return m.role == page || m.below != nil && m.below.hidesPage() })
}

// each calls do for each row of the element at an offset, and returns the element's end.
func (t *table) each(b []byte, at int, do func(cells [][]byte) error) (end int, err error) {
	clear(t.cells)
	t.bytes, t.at, t.more, t.text = b, -1, t.more[:0], t.text[:0]
	end = t.read(t.row, at)
	t.tellMore()
	list, ofRow := t.at, len(t.more)
	if list < 0 || isNull(b, list) || b[list+1] == ']' {
		return end, do(t.cells)
	}
	return end, eachElement(b, list, func(at int) (int, error) {
		for _, column := range t.within {
			t.cells[column-1] = nil
		}
		t.more = t.more[:ofRow]
		end := t.read(t.list.below, at)
		t.tellMore()
		return end, do(t.cells)
	})
}

func (t *table) read(s *shape, at int) (end int) {
	return s.each(t.bytes, at, func(m *member, at int) int {
		switch {
		case m.role == page:
			if isTrue(t.bytes, at) {
				t.more = append(t.more, m.path)
			}
			return skip(t.bytes, at)
		case m.column > 0 && (m.below != nil || m.many):
			end := skip(t.bytes, at)
			t.cells[m.column-1] = t.joined(m.below, at)
			return end
		case m.role == rows || m.list:
			t.at = at
			return skip(t.bytes, at)
		case m.below != nil:
			return t.read(m.below, at)
		}
		end := skip(t.bytes, at)
		t.cells[m.column-1] = t.bytes[at:end:end]
		return end
	})
}

// tellMore fills the cell that names the lists that have more.
func (t *table) tellMore() {
	if t.truncated == 0 {
		return
	}
	if t.cells[t.truncated-1] = nil; len(t.more) > 0 {
		t.cells[t.truncated-1] = []byte(`"` + strings.Join(t.more, between) + `"`)
	}
}

func isTrue(b []byte, at int) bool {
	for ; b[at] != '}' && b[at] != 'n'; at++ {
		if b[at] == ':' {
			return b[at+1] == 't'
		}
	}
	return false
}
