package importexport

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// sheet turns the records of a CSV file into lines: the header gives the field of each column.
type sheet struct {
	comma   rune
	columns []column // then the mapping's constants
	header  []byte   // as in the file
	width   int      // of the header
	before  int      // lines up to the end of the header
	start   int64    // the offset after it
	rows    []rowAt  // of a workbook
	ragged  bool     // a workbook's rows end with their last value
	doubts  bool     // a row of one value may be a title or a total
}

// rowAt says that lines from this one on are those of rows so many less.
type rowAt struct{ line, less int }

// row is the row of a workbook that a line is of; the line itself for a text.
func (s *sheet) row(line int) int {
	at, found := slices.BinarySearchFunc(s.rows, line, func(r rowAt, line int) int { return r.line - line })
	if found {
		at++
	}
	if at > 0 {
		line -= s.rows[at-1].less
	}
	return line
}

type column struct {
	object, name string // the parts of addressFields.city; object is "" for most
	cell         cell
	passed       bool // skipped
	unnamed      bool // may have no values
	constant     bool // is not in the file
	values       map[string]string
	vocabulary   string // the field whose words offices use
	language     backoffice.LabelLanguage
}

// value is a cell's value: mapped, and a word of an office in the specification's words.
func (c *column) value(text string) string {
	text = meantText(text)
	mapped, known := c.values[strings.ToLower(text)]
	if other, has := c.values[anyOther]; !known && has && (text != "" || c.constant) {
		mapped, known = other, true
	}
	if known {
		text = mapped
	}
	if word, known := backoffice.OfficeWord(c.vocabulary, text, c.language); known {
		return word
	}
	return text
}

// meantText is a text without the marks of programs that keep it from being a number, ="…", or a formula, '.
func meantText(text string) string {
	if inner, isText := strings.CutPrefix(text, `="`); isText && strings.HasSuffix(inner, `"`) {
		return strings.TrimSuffix(inner, `"`)
	}
	if inner := strings.TrimPrefix(text, "'"); backoffice.EscapeFormula(inner) == text { // as excel=on writes it
		return inner
	}
	return text
}

// cell is the form of a cell's text.
type cell byte

const (
	textCell cell = iota // a string
	flagCell             // true or false
	numberCell
	percentCell // a string, which is a number
	dayCell
	momentCell // may have a day, which is its start
	jsonCell   // any JSON
	listCell   // strings, with semicolons between them
)

// readSheet reads the header of a CSV file. A column is named for a field, an object's part after a point, or has its
// field in the mapping; readSheet skips a column mapped to "".
func readSheet(
	src *source, cellOf func(field string) (cell, bool), mapping Mapping, language backoffice.LabelLanguage,
) error {
	s := src.sheet
	known := func(name string) bool {
		_, mapped := mapping.Columns[name]
		_, isField := cellOf(name)
		return name != "" && (mapped || isField)
	}
	names, above, err := s.findHeader(src.file, src.size, known)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", src.name, err)
	case names == nil && len(above) == 0:
		return fmt.Errorf("%s has no header line", src.name)
	case names == nil && len(above) > 1 && named(above[0]) < 2:
		return cannotTell(src.name)
	case names == nil:
		names = above[0]
	case len(above) > 0:
		src.notes = append(src.notes, "without "+backoffice.Plural(len(above), "row", "rows")+" above the header")
	}
	if err := s.columnsOf(names, cellOf, mapping, language); err != nil {
		return fmt.Errorf("%s: %w", src.name, err)
	}
	if s.width == 0 {
		return cannotTell(src.name)
	}
	return nil
}

// values are the cells of a record; why is its error, "" for none.
func (s *sheet) values(text []byte) (values []string, why string) {
	if !utf8.Valid(text) {
		return nil, "the line is not valid UTF-8: save the file as CSV UTF-8"
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = s.comma, -1
	values, err := r.Read()
	if err != nil {
		return nil, "the line is not CSV: a stray or missing quote"
	}
	if s.width == 0 {
		return values, ""
	}
	if s.areRows(text) {
		return nil, manyRows
	}
	for len(values) > s.width && strings.TrimSpace(values[len(values)-1]) == "" {
		values = values[:len(values)-1]
	}
	for len(values) < s.width && (s.ragged || len(values) < len(s.columns) && s.columns[len(values)].unnamed) {
		values = append(values, "")
	}
	if len(values) != s.width {
		return nil, fmt.Sprintf("the line has %d columns instead of %d", len(values), s.width)
	}
	return values, ""
}

// line makes the line of a record, without its empty cells.
func (s *sheet) line(text []byte) (line []byte, why string) {
	values, why := s.values(text)
	if why != "" {
		return nil, why
	}
	if values, why = s.worded(values); why != "" {
		return nil, why
	}
	line = append(line, '{')
	for i, c := range s.columns {
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

// worded are the values of a record's cells, then the constants. A cell that may not have its value is rejected.
func (s *sheet) worded(values []string) (_ []string, why string) {
	told, possible := 0, 0
	for i, c := range s.columns {
		if c.constant {
			values = append(values, c.value(""))
			continue
		}
		values[i] = strings.TrimSpace(values[i])
		switch text := values[i]; {
		case c.passed:
		case text == "" && c.unnamed:
		case c.unnamed:
			return nil, fmt.Sprintf("column %d has a value, but no name in the header", i+1)
		case errorCell.MatchString(text):
			return nil, fmt.Sprintf("column %d has the spreadsheet error %s instead of a value", i+1, text)
		case strings.ContainsRune(text, utf8.RuneError):
			return nil, fmt.Sprintf("column %d has lost a character: save the original again, as CSV UTF-8", i+1)
		case shortened.MatchString(text):
			return nil, fmt.Sprintf("column %d has a number that the spreadsheet shortened: format it as text", i+1)
		case s.ragged && slices.Contains(codes, c.name) && aDate.MatchString(text):
			return nil, fmt.Sprintf("column %d has a date instead of a text: format it as text, and retype it", i+1)
		default:
			if possible++; text != "" {
				told++
			}
			values[i] = c.value(text)
		}
	}
	if s.doubts && told == 1 && possible > 2 {
		return nil, "the line has one value, like a title or a total; delete it, or complete the record"
	}
	return values, ""
}

// codes are the fields whose texts a spreadsheet may take for a date: 1-3.
var codes = []string{"houseNumber", "box", "postalCode", "customerCode", "kboNumber", "phone"}
var aDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(T|$)`)

// shortened matches a long number as a spreadsheet saves it: 4,00123E+11.
var shortened = regexp.MustCompile(`^-?[0-9]([.,][0-9]+)?E\+[0-9]+$`)

// errorCell matches a spreadsheet's calculation errors, also in Dutch, French and German, and a column that is too narrow.
var errorCell = regexp.MustCompile(`^(#\p{Lu}[\p{Lu}0-9/]*[!?]|#N/[AB]|#NV|#GETTING_DATA|Err:[0-9]{3}|#{2,})$`)

func (s *sheet) saysNothing(i int, values []string) bool {
	return s.columns[i].passed || values[i] == ""
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
	"wahr": "true", "falsch": "false", "nein": "false",
	"false": "false", "0": "false", "no": "false", "nee": "false", "non": "false", "onwaar": "false", "faux": "false",
}

// member appends a field of a line. A value not of the cell's form becomes a string, which the field rejects.
func (s *sheet) member(line []byte, name string, form cell, value string) []byte {
	line = append(backoffice.AppendJSONString(comma(line), name), ':')
	plain := ""
	switch form {
	case textCell:
	case flagCell:
		plain = spoken[strings.ToLower(value)]
	case percentCell:
		if s.comma != ',' {
			value = strings.Replace(value, ",", ".", 1)
		}
	case dayCell, momentCell:
		for _, layout := range []string{time.DateOnly, "2/1/2006", "2.1.2006", "2-1-2006"} {
			if day, err := time.Parse(layout, value); err == nil {
				if value = day.Format(time.DateOnly); form == momentCell {
					value = backoffice.StartOfDay(value, 0).String()
				}
				break
			}
		}
	case numberCell:
		if plain = value; s.comma != ',' { // from a country with a decimal comma
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
