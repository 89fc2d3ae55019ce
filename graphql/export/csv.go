package export

import (
	"bytes"

	"example.org/backoffice/backoffice"
)

// commas writes tables as CSV (RFC 4180); for Excel with semicolons, decimal commas, and formulas made inert.
type commas struct {
	table     *table
	separator byte
	inert     bool
	text      []byte // of a cell, without escapes
}

func newCommas(t *table, excel bool) *commas {
	if excel {
		return &commas{table: t, separator: ';', inert: true}
	}
	return &commas{table: t, separator: ','}
}

// byteOrderMark makes Excel read UTF-8.
const byteOrderMark = "\uFEFF"

func (c *commas) header(to []byte) []byte {
	if c.inert {
		to = append(to, byteOrderMark...)
	}
	for i, name := range c.table.columns {
		if i > 0 {
			to = append(to, c.separator)
		}
		to = c.cell(to, []byte(name))
	}
	return append(to, '\r', '\n')
}

func (c *commas) append(to, b []byte, at int) (_ []byte, end, n int) {
	end, _ = c.table.each(b, at, func(cells [][]byte) error {
		n++
		start := len(to)
		for i, cell := range cells {
			if i > 0 {
				to = append(to, c.separator)
			}
			switch {
			case len(cell) == 0 || cell[0] == 'n':
			case c.inert && cell[0] <= '9' && cell[0] != '"': // a number
				to = append(to, bytes.Replace(cell, []byte{'.'}, []byte{','}, 1)...)
			case cell[0] != '"':
				to = c.cell(to, cell)
			case bytes.IndexByte(cell, '\\') >= 0:
				c.text = appendText(c.text[:0], cell)
				to = c.cell(to, c.said(c.text))
			case bytes.IndexByte(cell, c.separator) >= 0 || c.inert:
				to = c.cell(to, c.said(cell[1:len(cell)-1]))
			default: // most are of this kind: JSON would escape quotes and line breaks
				to = append(to, cell[1:len(cell)-1]...)
			}
		}
		if len(to) == start { // an empty line would not be a row
			to = append(to, '"', '"')
		}
		to = append(to, '\r', '\n')
		return nil
	})
	return to, end, n
}

// said returns a text as it is written.
func (c *commas) said(text []byte) []byte {
	if c.inert {
		return backoffice.EscapeFormula(text)
	}
	return text
}

func (c *commas) cell(to, text []byte) []byte {
	for _, b := range text {
		if b <= '"' && (b == '"' || b == '\n' || b == '\r') || b == c.separator {
			return c.quoted(to, text)
		}
	}
	return append(to, text...)
}

func (*commas) quoted(to, text []byte) []byte {
	to = append(to, '"')
	for {
		at := bytes.IndexByte(text, '"')
		if at < 0 {
			return append(append(to, text...), '"')
		}
		to = append(append(to, text[:at+1]...), '"')
		text = text[at+1:]
	}
}
