package importexport

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"example.org/backoffice/backoffice"
)

// notCalculated is read for a formula without a value in the workbook, as from a program that writes formulas without
// calculating them. It looks like a spreadsheet's error, and is rejected like one.
const notCalculated = "#FORMULA!"

// typedCells reads what excelize does not report of a sheet's cells: which are numbers, which formulas lack a value. A
// number shown as a percentage is the percentage, one shown as a date is the day or an instant, Belgian unless in UTC.
type typedCells struct {
	part    io.ReadCloser
	decoder *xml.Decoder
	sheet   string // its name
	sheets  int    // that are visible
	kind    func(style int) kind
	is1904  bool // days are counted from 1904
	number  int  // of the row that begins here, from 1
	over    bool // the rows are
}

// kind is what a style shows a number as.
type kind byte

const (
	asNumber kind = iota
	asPercentage
	asDate
	asUTC // an instant, also at midnight
)

// literal matches what a number format shows as it stands, and its colors, languages and conditions.
var literal = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]|[\\_*].`)

// kinds tells what the styles of a book show numbers as.
func kinds(book *excelize.File) func(style int) kind {
	known := map[int]kind{}
	return func(style int) kind {
		is, ok := known[style]
		if !ok {
			custom := ""
			format, err := book.GetStyle(style)
			if err == nil && format.CustomNumFmt != nil {
				custom = literal.ReplaceAllString(*format.CustomNumFmt, "")
			}
			switch {
			case err != nil:
			case format.NumFmt == 9, format.NumFmt == 10, strings.Contains(custom, "%"): // 0% and 0.00%
				is = asPercentage
			case strings.ContainsAny(custom, "yYdD") && strings.Contains(*format.CustomNumFmt, `UTC"`):
				is = asUTC // as in exports
			case 14 <= format.NumFmt && format.NumFmt <= 22, strings.ContainsAny(custom, "yYdD"):
				is = asDate
			}
			known[style] = is
		}
		return is
	}
}

// shown is the text of a number in a style. A time without a day stays a number, and so does what is after 9999.
func (c *typedCells) shown(number float64, style int) string {
	switch kind := c.kind(style); {
	case kind == asPercentage:
		number = math.Round(number*1e12) / 1e10
	case kind >= asDate && 1 <= number && number < 2958466:
		days, part := math.Modf(number)
		at, _ := excelize.ExcelDateToTime(days, c.is1904) // fails below 0 only, and cuts off milliseconds
		part = math.Round(part*86_400_000) * float64(time.Millisecond)
		zone := backoffice.Belgium
		if kind == asUTC {
			zone = time.UTC
		} else if part == 0 {
			return at.Format(time.DateOnly)
		}
		return backoffice.InstantOf(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, int(part), zone)).String()
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

type bookSheet struct {
	ID    string `xml:"id,attr"` // of a relationship, in the namespace of either kind of workbook
	Name  string `xml:"name,attr"`
	State string `xml:"state,attr"`
}

// openCells opens the cells of a workbook's first sheet that is not hidden.
func openCells(workbook *os.File) (*typedCells, error) {
	info, err := workbook.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(workbook, info.Size())
	if err != nil {
		return nil, err
	}
	var book struct {
		Sheets []bookSheet `xml:"sheets>sheet"`
	}
	var related struct {
		Relationships []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := errors.Join(readPart(archive, "xl/workbook.xml", &book),
		readPart(archive, "xl/_rels/workbook.xml.rels", &related)); err != nil {
		return nil, err
	}
	isHidden := func(s bookSheet) bool { return s.State == "hidden" || s.State == "veryHidden" }
	visible := slices.DeleteFunc(slices.Clone(book.Sheets), isHidden)
	sheets := slices.Concat(visible, book.Sheets)
	named := func(s bookSheet) bool { return strings.EqualFold(s.Name, sheets[0].Name) }
	if len(sheets) > 0 && len(slices.DeleteFunc(book.Sheets, named)) < len(book.Sheets)-1 {
		return nil, errors.New("two sheets have one name") // of which excelize would read the other
	}
	for _, relationship := range related.Relationships {
		if len(sheets) > 0 && relationship.ID == sheets[0].ID {
			target := relationship.Target // relative to workbook.xml, or from the root
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			part, err := archive.Open(strings.TrimPrefix(target, "/"))
			return &typedCells{part: part, decoder: xml.NewDecoder(part), sheet: sheets[0].Name, sheets: len(visible)}, err
		}
	}
	return nil, errors.New("no sheet")
}

func readPart(archive *zip.Reader, name string, into any) error {
	part, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer part.Close()
	return xml.NewDecoder(io.LimitReader(part, maxWorkbook)).Decode(into)
}

// fill has columns read a row, and puts its numbers and formulas into it. Rows must come in order. It counts the cells
// first, wherever they are: excelize takes any number of them into memory.
func (c *typedCells) fill(row int, columns func() ([]string, error)) ([]string, error) {
	cells, count, column, style, form := map[int]string{}, 0, 0, 0, ""
	for c.number <= row {
		token, err := c.decoder.Token()
		if errors.Is(err, io.EOF) {
			c.number = math.MaxInt
			break
		}
		if err != nil {
			return nil, err
		}
		if end, _ := token.(xml.EndElement); end.Name.Local == "sheetData" {
			c.over, column = true, 0
		}
		start, _ := token.(xml.StartElement)
		switch name := start.Name.Local; {
		case c.over && (name == "sheetData" || name == "c"):
			return nil, errors.New("the sheet goes on behind its rows")
		case c.over:
		case name == "row":
			c.number++
			if at := attribute(start, "r"); at != "" {
				number, err := strconv.Atoi(at)
				if err != nil || number < c.number {
					return nil, errors.New("the rows are not in order")
				}
				c.number = number
			}
		case name == "c":
			count, column, form = count+1, column+1, attribute(start, "t")
			style, _ = strconv.Atoi(attribute(start, "s"))
			if at := attribute(start, "r"); at != "" {
				column, _, err = excelize.CellNameToCoordinates(at)
			}
			if err != nil || count > excelize.MaxColumns {
				return nil, errors.Join(err, errors.New("the cells are not those of a row"))
			}
		case column == 0:
		case name == "f":
			cells[column] = notCalculated // until its value is read
		case name == "v":
			var text string
			if err := c.decoder.DecodeElement(&text, &start); err != nil {
				return nil, err
			}
			if text != "" || form == "str" { // an empty text is a value
				delete(cells, column)
			}
			if number, err := strconv.ParseFloat(text, 64); err == nil && (form == "" || form == "n") {
				cells[column] = c.shown(number, style)
			}
		}
	}
	values, err := columns()
	for column, value := range cells {
		for len(values) < column {
			values = append(values, "")
		}
		values[column-1] = value
	}
	return values, err
}

func attribute(of xml.StartElement, name string) string {
	for _, a := range slices.Backward(of.Attr) { // the last counts, as for excelize
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
