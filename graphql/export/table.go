package export

import (
	"slices"

	"example.org/backoffice/backoffice"
)

// Columns that an export adds.
const (
	cursorColumn    = "_cursor"
	truncatedColumn = "_truncated"
)

// table maps rows to cells: a column for each scalar, and at most one list whose elements become rows of their own.
type table struct {
	row       *shape
	columns   []string
	list      *member // unfolded into rows; nil for none
	within    []int   // the list's columns, from 1
	cursor    int     // the column of cursors, from 1; 0 for none
	truncated int     // the column of truncated lists, from 1; 0 for none

	// The current row.
	bytes []byte
	cells [][]byte // JSON as in the answer; nil for nothing
	at    int      // the offset of the list's value; -1 for none
	more  bool     // the list has more
}

// mostColumns is a sheet's limit, and any table's.
const mostColumns = 16_384

// newTable assigns columns to a selection. unfold is the path of the list to unfold. Errors: BadInput, naming the
// lists, unless the row has none or only the named one.
func newTable(row *shape, unfold string) (*table, error) {
	t := &table{row: row}
	var lists []*member
	t.assign(row, "", false, &lists)
	paths := make([]string, len(lists))
	for i, m := range lists {
		paths[i] = backoffice.ShownName(m.path)
		if m.path == unfold {
			t.list = m
		}
	}
	switch {
	case len(lists) == 0 && unfold != "":
		return nil, backoffice.Errorf(backoffice.BadInput, "this document has no list for rows to unfold")
	case len(lists) == 1 && unfold == "":
		return nil, backoffice.Errorf(backoffice.BadInput,
			"a table has one kind of row: unfold the list with rows=%s, or select no list, or use JSON Lines",
			paths[0])
	case len(lists) > 1:
		return nil, backoffice.Errorf(backoffice.BadInput,
			"at most one list can be unfolded into rows; this document has %s: keep one, or use JSON Lines",
			cutTo(paths, ""))
	case len(lists) == 1 && t.list == nil:
		return nil, backoffice.Errorf(backoffice.BadInput, "rows must name a list of this document: %s", paths[0])
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

// assign assigns columns to the scalars of a shape, those of lists included, and collects the lists.
func (t *table) assign(s *shape, prefix string, inList bool, lists *[]*member) {
	for _, m := range s.members {
		switch {
		case m.role == page || m.role == cursor:
		case m.role == rows || m.list:
			*lists = append(*lists, m)
			t.assign(m.below, m.path, true, lists)
		case m.below != nil:
			t.assign(m.below, m.path, inList, lists)
		default:
			t.columns = append(t.columns, join(prefix, m.name))
			if m.column = len(t.columns); inList {
				t.within = append(t.within, m.column)
			}
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
	t.bytes, t.at, t.more = b, -1, false
	end = t.read(t.row, at)
	if t.more {
		t.cells[t.truncated-1] = t.listPath()
	}
	list := t.at
	if list < 0 || isNull(b, list) || b[list+1] == ']' {
		return end, do(t.cells)
	}
	return end, eachElement(b, list, func(at int) (int, error) {
		for _, column := range t.within {
			t.cells[column-1] = nil
		}
		end := t.read(t.list.below, at)
		return end, do(t.cells)
	})
}

func (t *table) read(s *shape, at int) (end int) {
	return s.each(t.bytes, at, func(m *member, at int) int {
		switch {
		case m.role == page:
			t.more = t.more || isTrue(t.bytes, at)
			return skip(t.bytes, at)
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

func (t *table) listPath() []byte { return append(append([]byte{'"'}, t.list.path...), '"') }

func isTrue(b []byte, at int) bool {
	for ; b[at] != '}' && b[at] != 'n'; at++ {
		if b[at] == ':' {
			return b[at+1] == 't'
		}
	}
	return false
}
