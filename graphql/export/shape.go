package export

import (
	"bytes"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// shape is the fields that the objects at one path of the answer may have, whatever their types: by GraphQL's rules a
// name means the same kind of thing in all of them.
type shape struct {
	members []*member
	hides   bool // holds something that the client did not ask for
}

type member struct {
	name   string
	key    []byte // as in the answer: `"name":`
	role   role
	list   bool   // of objects
	many   bool   // a list of scalars
	layout string // of a DateTime or a Date; "" for all else
	below  *shape // of objects
	path   string // of a page and of a list, for people; see paths
	column int    // of a table, from 1; 0 for none
}

type role uint8

const (
	plain  role = iota
	page        // reports whether a connection has more; added by the export
	rows        // the rows of a connection
	node        // the object of an edge, whose names are the row's
	cursor      // of a row; the client asked for it by an option
)

// Names that no document can have, for the fields that an export adds.
const (
	pageName   = "+page"
	cursorName = "+cursor"
)

// mostMembers bounds a shape: fragments inside fragments could make an answer's shape larger than any document.
const mostMembers = 20_000

var errWide = backoffice.Errorf(backoffice.OverLimit,
	"the answer would have more than %d different fields", mostMembers)

type shaping struct {
	*selecting
	count int
}

func (s *shaping) of(set ast.SelectionSet) (*shape, error) {
	made := &shape{}
	for _, f := range s.fields(set) {
		if s.count++; s.count > mostMembers {
			return nil, errWide
		}
		m := &member{name: f.alias, key: append(strconv.AppendQuote(nil, f.alias), ':')}
		switch {
		case f.alias == pageName:
			m.role, made.hides = page, true
		case f.alias == cursorName:
			m.role, made.hides = cursor, true
		case limits.IsConnection(f.parent) && (f.name == "edges" || f.name == "nodes"):
			m.role = rows
		case limits.IsEdge(f.parent) && f.name == "node":
			m.role = node
		}
		if len(f.set) > 0 && m.role != page {
			var err error
			if m.below, err = s.of(f.set); err != nil {
				return nil, err
			}
			m.list = f.definition.Type.Elem != nil
			made.hides = made.hides || m.below.hides
		} else if f.definition != nil {
			m.many = f.definition.Type.Elem != nil
			m.layout = layouts[f.definition.Type.NamedType]
		}
		made.members = append(made.members, m)
	}
	return made, nil
}

// paths sets the paths of lists and pages: the names that lead there, without those of connections and edges.
func (s *shape) paths(prefix string) {
	for _, m := range s.members {
		m.path = prefix
		if m.role == plain {
			m.path = join(prefix, m.name)
		}
		if m.below != nil {
			m.below.paths(m.path)
		}
	}
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// find returns the member whose key is at an offset; it tries the expected one first.
func (s *shape) find(b []byte, at, expected int) (m *member, i int) {
	for n := range s.members {
		i = expected + n
		if i >= len(s.members) {
			i -= len(s.members)
		}
		if bytes.HasPrefix(b[at:], s.members[i].key) {
			return s.members[i], i
		}
	}
	return nil, expected
}

// each calls do with each member of an object, which may be null, and its value's offset; both return where they end.
func (s *shape) each(b []byte, at int, do func(m *member, at int) (end int)) (end int) {
	if isNull(b, at) {
		return at + len("null")
	}
	at++
	for expected := 0; b[at] != '}'; {
		if b[at] == ',' {
			at++
		}
		m, i := s.find(b, at, expected)
		expected = i + 1
		at = do(m, at+len(m.key))
	}
	return at + 1
}
