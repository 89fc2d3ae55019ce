package importexport

import (
	"bytes"
	"io"
)

// maxRecord bounds the bytes of a multi-line record: an open quote must not swallow the rest of the file.
const maxRecord = 64 << 10

// rescans bounds how often a file is read again after quotes that stay open. After that, each line is a record.
const rescans = 16

// csvRecords reads the records of a CSV file. A malformed record ends with its first line.
type csvRecords struct {
	*lines
	file   io.ReaderAt
	size   int64
	sheet  *sheet
	number int   // of the record's first line
	start  int64 // its offset
	buffer []byte
	choose bool  // take the separator of each record
	again  int64 // bytes read again
}

// newCSVRecords begins after the header, or at the start of a sheet whose header is not known yet.
func newCSVRecords(file io.ReaderAt, size int64, s *sheet) *csvRecords {
	r := &csvRecords{file: file, size: size, sheet: s}
	r.from(s.start, s.before)
	return r
}

// from continues at an offset, after so many lines.
func (r *csvRecords) from(offset int64, number int) {
	r.lines = newLines(io.NewSectionReader(r.file, offset, r.size-offset))
	r.lines.read, r.lines.number = offset, number
}

func (r *csvRecords) place() (number int, offset int64) { return r.sheet.row(r.number), r.start }

// next returns the next record as it is in the file, as lines.next does a line. Rows of separators alone, which Excel
// leaves below a table, are blank too.
func (r *csvRecords) next() ([]byte, error) {
	first, err := r.lines.next()
	for err == nil && len(bytes.Trim(first, " \t\r\",;")) == 0 && !r.sheet.isOpen(first, false) {
		first, err = r.lines.next()
	}
	r.number, r.start = r.lines.place()
	if err == nil && r.choose {
		r.sheet.comma = commaOf(first)
	}
	if err != nil || !r.sheet.isOpen(first, false) || r.again > rescans*max(r.size, maxRecord) {
		return first, err
	}
	behind, length := r.lines.read, len(first)
	r.buffer = append(r.buffer[:0], first...)
	for len(r.buffer) < maxRecord {
		more, err := r.lines.one()
		if err != nil {
			break
		}
		r.buffer = append(append(r.buffer, '\n'), more...)
		open := r.sheet.isOpen(more, true)
		if r.choose && bytes.IndexByte(more, '"') >= 0 { // the first cell has a line break
			r.sheet.comma = commaOf(r.buffer)
			open = r.sheet.isOpen(r.buffer, false)
		}
		if open {
			continue
		}
		if _, why := r.sheet.values(r.buffer); why == "" || why == manyRows {
			return r.buffer, nil
		}
		break
	}
	r.again += int64(len(r.buffer))
	r.from(behind, r.number)
	return r.buffer[:length], nil
}

const manyRows = "each line of the record looks like a row: add the missing quote, or write its text on one line"

// areRows reports whether each line of a record has the separators of a row: then a missing quote may have joined them.
func (s *sheet) areRows(record []byte) bool {
	if s.ragged || s.width < 2 || !bytes.Contains(record, []byte("\n")) {
		return false
	}
	for line := range bytes.Lines(record) {
		if bytes.Count(line, []byte(string(s.comma))) != s.width-1 && len(bytes.TrimSpace(line)) > 0 {
			return false
		}
	}
	return true
}

// isOpen reports whether a field's quotes are open at the end of a text, before which they were quoted or not.
func (s *sheet) isOpen(text []byte, quoted bool) bool {
	begins := true
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '"' && i+1 < len(text) && text[i+1] == '"':
			i++
		case quoted:
			quoted = c != '"'
		case begins && c == '"':
			quoted = true
		default:
			begins = c == byte(s.comma)
			continue
		}
		begins = false
	}
	return quoted
}
