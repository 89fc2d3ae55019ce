package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"example.org/backoffice/backoffice"
)

// cut is a list that did not fit as a whole.
type cut struct {
	List   string `json:"list"` // the names that lead to it
	Rows   int    `json:"rows"` // that are shown
	Of     int    `json:"of"`   // that were read
	Total  *int   `json:"total,omitempty"`
	Cursor string `json:"cursor,omitempty"` // of the last row that is shown

	root  *field // the field of the root whose rows they are; nil for a list further below
	again bool   // it was read again, with as many rows as fit
}

// value is a part of an answer: a text, or an object or a list in which something may be cut.
type value struct {
	text   []byte
	field  *field // of a member
	name   []byte // likewise, with its quotes
	object bool
	list   bool
	parts  []*value // members or rows
	least  int      // bytes when all lists are empty

	written []byte
	cuts    []*cut // in it
}

// more is how many bytes lists that may be cut take.
func (v *value) more() int { return len(v.text) - v.least }

// shorten cuts lists at a row's border until an answer has at most so many bytes. fits is false if that is not enough.
func shorten(data []byte, fields []*field, most int) (shorter []byte, cuts []*cut, fits bool) {
	p := parsing{text: data, decoder: jsontext.NewDecoder(bytes.NewReader(data))}
	whole, err := p.value(fields, false)
	if err != nil || whole.least > most {
		return nil, nil, false
	}
	s := &shortening{}
	shorter = s.write(whole, most, nil)
	return shorter, s.cuts, true
}

var errNotSelected = errors.New("the answer has a field that is not selected")

type parsing struct {
	text    []byte
	decoder *jsontext.Decoder
}

// value reads the next value, of an object with these fields or, as rows, a list of them.
func (p *parsing) value(fields []*field, rows bool) (*value, error) {
	kind := p.decoder.PeekKind()
	if kind != '{' && (kind != '[' || !rows) || fields == nil {
		text, err := p.decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(p.decoder.InputOffset())
		return &value{text: p.text[end-len(text) : end], least: len(text)}, nil
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return nil, err
	}
	begin := int(p.decoder.InputOffset()) - 1
	v := &value{object: kind == '{', list: kind == '[', least: len("{}")}
	for next := p.decoder.PeekKind(); next != '}' && next != ']'; next = p.decoder.PeekKind() {
		part, err := p.part(v.object, fields)
		if err != nil {
			return nil, err
		}
		if v.object {
			v.least += min(len(v.parts), 1) + len(part.name) + 1 + part.least
		}
		v.parts = append(v.parts, part)
	}
	if _, err := p.decoder.ReadToken(); err != nil {
		return nil, err
	}
	v.text = p.text[begin:p.decoder.InputOffset()]
	return v, nil
}

func (p *parsing) part(member bool, fields []*field) (*value, error) {
	if !member {
		return p.value(fields, false)
	}
	name, err := p.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	alias := name.String()
	at := slices.IndexFunc(fields, func(f *field) bool { return f.alias == alias })
	if at < 0 {
		return nil, errNotSelected
	}
	part, err := p.value(fields[at].below, fields[at].isRows())
	if err == nil {
		part.field, part.name = fields[at], fmt.Appendf(nil, "%q", alias) // of letters, digits and _
	}
	return part, err
}

type shortening struct{ cuts []*cut }

// pageRoom is what another cursor may add to pageInfo.
const pageRoom = 128

// write returns a value with at most so many bytes, which are no fewer than its least.
func (s *shortening) write(v *value, most int, path []*field) []byte {
	switch {
	case len(v.text) <= most || v.parts == nil:
		return v.text
	case v.list:
		return s.rows(v, most, path)
	}
	rest := most - v.least
	page := slices.IndexFunc(v.parts, func(part *value) bool { return part.field.source.Name == "pageInfo" })
	if page >= 0 {
		rest = max(0, rest-pageRoom)
	}
	smallest := slices.Clone(v.parts) // first, so that what it leaves of its share is for the others
	slices.SortStableFunc(smallest, func(a, b *value) int { return cmp.Compare(a.more(), b.more()) })
	for n, part := range smallest {
		of := &shortening{}
		part.written = of.write(part, part.least+rest/(len(smallest)-n), append(slices.Clone(path), part.field))
		part.cuts, rest = of.cuts, rest-len(part.written)+part.least
	}
	before := len(s.cuts)
	for _, part := range v.parts {
		s.cuts = append(s.cuts, part.cuts...)
	}
	own := s.own(before, path)
	counted(v, own)
	if len(own) > 0 && page >= 0 {
		v.parts[page].written = own[0].page(v.parts[page])
	}
	b := []byte{'{'}
	for i, part := range v.parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, part.name...), ':'), part.written...)
	}
	return append(b, '}')
}

// rows writes the rows that fit as a whole. Of the first, something may be cut, so that not even one would be shown.
func (s *shortening) rows(v *value, most int, path []*field) []byte {
	b, rows := []byte{'['}, 0
	for i, row := range v.parts {
		comma := min(i, 1)
		room := most - len(b) - comma - 1
		if len(row.text) > room && (i > 0 || row.least > room) {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, s.write(row, room, path)...)
		rows++
	}
	if rows < len(v.parts) {
		c := &cut{List: namesOf(path), Rows: rows, Of: len(v.parts)}
		if len(path) == 2 && path[0].source.Definition.Arguments.ForName("first") != nil {
			c.root = path[0]
		}
		if rows > 0 {
			c.Cursor = textOf(v.parts[rows-1], "cursor")
		}
		s.cuts = append(s.cuts, c)
	}
	return append(b, ']')
}

// counted adds the total of a connection to its lists that were cut.
func counted(v *value, cuts []*cut) {
	for _, part := range v.parts {
		var total int
		if part.field.source.Name == "totalCount" && json.Unmarshal(part.text, &total) == nil {
			for _, c := range cuts {
				c.Total = &total
			}
		}
	}
}

// own are the lists of an object itself that were cut.
func (s *shortening) own(before int, path []*field) []*cut {
	at := len(namesOf(path))
	isNot := func(c *cut) bool { return strings.LastIndexByte(c.List, '.') != at }
	return slices.DeleteFunc(slices.Clone(s.cuts[before:]), isNot)
}

// page writes pageInfo as of the last row that is shown. Its cursor is null where the answer has none.
func (c *cut) page(info *value) []byte {
	if !info.object {
		return info.text
	}
	b := []byte{'{'}
	for i, part := range info.parts {
		text := part.text
		switch part.field.source.Name {
		case "hasNextPage":
			text = []byte("true")
		case "endCursor":
			if text = []byte("null"); c.Cursor != "" && len(`""`)+len(c.Cursor) <= pageRoom+len(part.text) {
				text = fmt.Appendf(nil, "%q", c.Cursor)
			}
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, part.name...), ':'), text...)
	}
	return append(b, '}')
}

func textOf(v *value, name string) (text string) {
	for _, part := range v.parts {
		if part.field.source.Name == name && json.Unmarshal(part.text, &text) == nil {
			return text
		}
	}
	return ""
}

func namesOf(path []*field) string {
	return strings.Join(backoffice.Map(path, func(f *field) string { return f.alias }), ".")
}
