package export

import (
	"slices"
	"strconv"
)

// lines writes rows as JSON Lines: one node per line, as it was selected.
type lines struct {
	row       *shape
	truncated []string // the row's lists that have more
	empty     bool     // nothing of the row's object was written yet
}

func (*lines) header(to []byte) []byte { return to }

func (l *lines) append(to, b []byte, at int) (_ []byte, end, n int) {
	if !l.row.hides && !slices.ContainsFunc(l.row.members, func(m *member) bool { return m.role == node }) {
		end = skip(b, at)
		return append(append(to, b[at:end]...), '\n'), end, 1
	}
	l.truncated = l.truncated[:0]
	l.empty = true
	var place []byte
	to = append(to, '{')
	to, end = l.members(to, l.row, b, at, &place)
	if place != nil {
		to = append(l.key(to, cursorColumn), place...)
	}
	if len(l.truncated) > 0 {
		to = append(l.key(to, truncatedColumn), '[')
		for i, path := range l.truncated {
			if i > 0 {
				to = append(to, ',')
			}
			to = strconv.AppendQuote(to, path)
		}
		to = append(to, ']')
	}
	return append(to, '}', '\n'), end, 1
}

func (l *lines) key(to []byte, name string) []byte {
	return append(strconv.AppendQuote(l.comma(to), name), ':')
}

func (l *lines) comma(to []byte) []byte {
	if l.empty {
		l.empty = false
		return to
	}
	return append(to, ',')
}

// members appends the fields of the row's object, an edge's node and the edge's own fields alike.
func (l *lines) members(to []byte, s *shape, b []byte, at int, place *[]byte) (_ []byte, end int) {
	end = s.each(b, at, func(m *member, at int) (end int) {
		switch m.role {
		case cursor:
			end = skip(b, at)
			*place = b[at:end:end]
		case node:
			to, end = l.members(to, m.below, b, at, place)
		default:
			to = append(l.comma(to), m.key...)
			to, end = l.value(to, m, b, at)
		}
		return end
	})
	return to, end
}

// value appends a value without its hidden parts.
func (l *lines) value(to []byte, m *member, b []byte, at int) (_ []byte, end int) {
	switch {
	case m.below == nil || !m.below.hides || isNull(b, at):
		end = skip(b, at)
		return append(to, b[at:end]...), end
	case !m.list:
		return l.object(to, m.below, b, at)
	}
	to = append(to, '[')
	for at++; b[at] != ']'; {
		if b[at] == ',' {
			to = append(to, ',')
			at++
		}
		to, at = l.object(to, m.below, b, at)
	}
	return append(to, ']'), at + 1
}

func (l *lines) object(to []byte, s *shape, b []byte, at int) (_ []byte, end int) {
	if isNull(b, at) {
		return append(to, "null"...), at + len("null")
	}
	to = append(to, '{')
	first := true
	end = s.each(b, at, func(m *member, at int) (end int) {
		if m.role == page {
			if isTrue(b, at) {
				l.note(m.path)
			}
			return skip(b, at)
		}
		if !first {
			to = append(to, ',')
		}
		first = false
		to, end = l.value(append(to, m.key...), m, b, at)
		return end
	})
	return append(to, '}'), end
}

func (l *lines) note(path string) {
	if !slices.Contains(l.truncated, path) {
		l.truncated = append(l.truncated, path)
	}
}
