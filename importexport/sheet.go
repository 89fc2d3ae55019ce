package importexport

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// sheet turns the records of a CSV file into lines: the header gives the field of each column.
type sheet struct {
	comma   rune
	columns []column
	header  []byte // as in the file
}

type column struct {
	object, name string // the parts of addressFields.city; object is "" for most
	cell         cell
	passed       bool // skipped
}

// cell is the form of a cell's text.
type cell byte

const (
	textCell cell = iota // a string
	flagCell             // true or false
	numberCell
	jsonCell // any JSON
	listCell // strings, with semicolons between them
)

// readSheet reads the header of a CSV file. A column is named for a field, an object's part after a point, or has its
// field in the mapping; readSheet skips a column mapped to "".
func readSheet(
	file *os.File, size int64, name string, cellOf func(field string) (cell, bool), mapping map[string]string,
) (*sheet, error) {
	first, err := newLines(io.NewSectionReader(file, 0, size)).next()
	if err != nil {
		return nil, fmt.Errorf("%s has no header line", name)
	}
	s := &sheet{header: bytes.Clone(first), comma: ','}
	for _, other := range []byte{';', '\t'} {
		if bytes.Count(first, []byte{other}) > bytes.Count(first, []byte{byte(s.comma)}) {
			s.comma = rune(other)
		}
	}
	names, why := s.values(first)
	if why != "" {
		return nil, fmt.Errorf("%s: header: %s", name, why)
	}
	columns := make([]column, len(names))
	for i, header := range names {
		field, mapped := mapping[strings.TrimSpace(header)]
		if !mapped {
			field = strings.TrimSpace(header)
		}
		c := column{name: field, passed: mapped && field == ""}
		if object, part, isPart := strings.Cut(field, "."); isPart {
			c.object, c.name = object, part
		}
		known := c.passed
		if !known {
			c.cell, known = cellOf(field)
		}
		same := func(other column) bool { return !other.passed && other.object == c.object && other.name == c.name }
		switch {
		case !known:
			return nil, fmt.Errorf("%s: no field for the column %s: "+
				"map it with --mapping, or to \"\" to skip it", name, shownKey(header))
		case !c.passed && slices.ContainsFunc(columns[:i], same):
			return nil, fmt.Errorf("%s: two columns map to the field %s", name, field)
		}
		columns[i] = c
	}
	s.columns = columns
	return s, nil
}

// values are the cells of a record; why is its error, "" for none.
func (s *sheet) values(text []byte) (values []string, why string) {
	if !utf8.Valid(text) {
		return nil, "the line is not valid UTF-8"
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = s.comma, -1
	values, err := r.Read()
	if err != nil {
		return nil, "the line is not CSV: a stray or missing quote"
	}
	if len(s.columns) > 0 && len(values) != len(s.columns) {
		return nil, fmt.Sprintf("the line has %d columns instead of %d", len(values), len(s.columns))
	}
	return values, ""
}

// line makes the line of a record, without its empty cells.
func (s *sheet) line(text []byte) (line []byte, why string) {
	values, why := s.values(text)
	if why != "" {
		return nil, why
	}
	line = append(line, '{')
	for i, c := range s.columns {
		if text := strings.TrimSpace(values[i]); !c.passed && errorCell.MatchString(text) {
			return nil, fmt.Sprintf("column %d has the spreadsheet error %s instead of a value", i+1, text)
		}
		if s.saysNothing(i, values) {
			continue
		}
		if c.object == "" {
			line = s.member(line, c.name, c.cell, values[i])
			continue
		}
		if s.began(i, values) {
			continue
		}
		line = append(backoffice.AppendJSONString(comma(line), c.object), ':', '{')
		for j, part := range s.columns {
			if part.object == c.object && !s.saysNothing(j, values) {
				line = s.member(line, part.name, part.cell, values[j])
			}
		}
		line = append(line, '}')
	}
	return append(line, '}'), ""
}

// errorCell matches a spreadsheet's calculation errors, also in Dutch and French.
var errorCell = regexp.MustCompile(`^(#[A-Z][A-Z0-9/]*[!?]|#N/[AB]|#GETTING_DATA|Err:[0-9]{3})$`)

func (s *sheet) saysNothing(i int, values []string) bool {
	return s.columns[i].passed || strings.TrimSpace(values[i]) == ""
}

func (s *sheet) began(i int, values []string) bool { // in an earlier column with a part of the same object
	for j := range i {
		if s.columns[j].object == s.columns[i].object && !s.saysNothing(j, values) {
			return true
		}
	}
	return false
}

// comma appends a comma, unless a member or element is the first.
func comma(line []byte) []byte {
	if line[len(line)-1] == '{' || line[len(line)-1] == '[' {
		return line
	}
	return append(line, ',')
}

// spoken are the words for true and false in spreadsheets.
var spoken = map[string]string{
	"true": "true", "1": "true", "yes": "true", "ja": "true", "oui": "true", "waar": "true", "vrai": "true",
	"false": "false", "0": "false", "no": "false", "nee": "false", "non": "false", "onwaar": "false", "faux": "false",
}

// member appends a field of a line. A value not of the cell's form becomes a string, which the field rejects.
func (s *sheet) member(line []byte, name string, form cell, value string) []byte {
	line = append(backoffice.AppendJSONString(comma(line), name), ':')
	value = strings.TrimSpace(value)
	plain := ""
	switch form {
	case textCell:
	case flagCell:
		plain = spoken[strings.ToLower(value)]
	case numberCell:
		if plain = value; s.comma == ';' { // from a country with a decimal comma
			plain = strings.Replace(plain, ",", ".", 1)
		}
		if !json.Valid([]byte(plain)) || plain[0] != '-' && (plain[0] < '0' || plain[0] > '9') {
			plain = ""
		}
	case jsonCell:
		if json.Valid([]byte(value)) {
			plain = value
		}
	case listCell:
		line = append(line, '[')
		for item := range strings.SplitSeq(value, ";") {
			if item = strings.TrimSpace(item); item != "" {
				line = backoffice.AppendJSONString(comma(line), item)
			}
		}
		return append(line, ']')
	}
	if plain != "" {
		return append(line, plain...)
	}
	return backoffice.AppendJSONString(line, value)
}
