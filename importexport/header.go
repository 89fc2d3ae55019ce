package importexport

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// headerWithin is how many rows are looked at for the header: lists often have a title above it.
const headerWithin = 20

// findHeader finds the row that names the columns: the first of which known knows two names, or all of them. It sets
// the separator. above are the rows before it, for the error or a proposal.
func (s *sheet) findHeader(
	file io.ReaderAt, size int64, known func(name string) bool,
) (names []string, above [][]string, err error) {
	r := newCSVRecords(file, size, s)
	for r.choose = true; len(above) < headerWithin; {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if mark, isMark := bytes.CutPrefix(bytes.Trim(text, "\"\r"), []byte("sep=")); isMark && len(mark) == 1 &&
			bytes.Contains([]byte(",;\t|"), mark) {
			s.comma, r.choose = rune(mark[0]), false
			continue
		}
		names, why := s.values(text)
		if why != "" {
			return nil, nil, fmt.Errorf("header: %s", why)
		}
		for i := range names {
			names[i] = spaced(names[i])
		}
		unknown := func(name string) bool { return !known(name) }
		fields := backoffice.Unique(slices.DeleteFunc(slices.Clone(names), unknown))
		if len(fields) > 1 || len(fields) == 1 && named(names) == 1 {
			s.header = bytes.Clone(bytes.TrimSuffix(text, []byte("\r")))
			s.start, s.before, s.width = r.lines.read, r.lines.number, len(names)
			return names, above, nil
		}
		above = append(above, names)
	}
	return nil, above, nil
}

// spaced is a text with one space between its words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// named counts the names of a row.
func named(row []string) (n int) {
	for _, name := range row {
		if name != "" {
			n++
		}
	}
	return n
}

// commaOf is the separator that is most frequent in a row, outside quotes.
func commaOf(row []byte) rune {
	counts, quoted := map[rune]int{}, false
	for _, c := range row {
		switch {
		case c == '"':
			quoted = !quoted
		case !quoted:
			counts[rune(c)]++
		}
	}
	comma := ','
	for _, other := range []rune{';', '\t'} {
		if counts[other] > counts[comma] {
			comma = other
		}
	}
	return comma
}

// columnsOf finds the field of each column, and appends the mapping's constants.
func (s *sheet) columnsOf(
	names []string, cellOf func(field string) (cell, bool), mapping Mapping, language backoffice.LabelLanguage,
) error {
	add := func(field string) (c column, known bool) {
		c.name = field
		if object, part, isPart := strings.Cut(field, "."); isPart {
			c.object, c.name = object, part
		}
		c.cell, known = cellOf(field)
		c.values, c.vocabulary, c.language = mapping.Values[field], field, language
		return c, known
	}
	for _, name := range names {
		field, mapped := mapping.Columns[name]
		if !mapped {
			field = name
		}
		c, known := add(field)
		switch {
		case mapped && field == "":
			c.passed = true
		case name == "":
			c.unnamed = true
		case !known:
			return fmt.Errorf("no field for the column %s: map it with --mapping, or to \"\" to skip it; "+
				"backoffice import FILE --propose writes a mapping", shownKey(name))
		case slices.ContainsFunc(s.columns, c.same):
			return fmt.Errorf("two columns map to the field %s", field)
		}
		s.columns = append(s.columns, c)
	}
	for _, field := range slices.Sorted(maps.Keys(mapping.Values)) {
		c, _ := add(field)
		values := mapping.Values[field]
		_, always := values[anyOther]
		_, empty := values[""]
		if c.constant = true; (always || empty) && !slices.ContainsFunc(s.columns, c.same) {
			s.columns = append(s.columns, c)
			s.doubts = true
		}
	}
	return nil
}

func (c column) same(other column) bool {
	return !c.passed && !c.unnamed && !other.passed && !other.unnamed &&
		other.object == c.object && other.name == c.name
}

// rejectsHeader begins a file of rejected records. By the byte order mark Excel knows that it is UTF-8.
func (s *sheet) rejectsHeader() []byte {
	out := []byte("\ufeff")
	if commaOf(s.header) != s.comma {
		out = append(out, "sep="+string(s.comma)+"\n"...)
	}
	return append(append(out, s.header...), '\n')
}

// padded completes the record of a workbook, whose rows end with their last value.
func (s *sheet) padded(text []byte) []byte {
	values, why := s.values(text)
	if s.ragged && why == "" {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma = s.comma
		if cells, err := r.Read(); err == nil && len(cells) < len(values) {
			text = append(text, strings.Repeat(string(s.comma), len(values)-len(cells))...)
		}
	}
	return text
}
