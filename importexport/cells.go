package importexport

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// notCalculated is read for a formula without a value in the workbook, as from a program that writes formulas without
// calculating them. It looks like a spreadsheet's error, and is rejected like one.
const notCalculated = "#FORMULA!"

// typedCells reads what excelize does not report of a sheet's cells: which are numbers, which formulas lack a value. A
// number that is shown as a percentage is the percentage.
type typedCells struct {
	part    io.ReadCloser
	decoder *xml.Decoder
	percent func(style int) bool
	number  int            // of the last row read
	cells   map[int]string // of it, by column, both from 1
}

// percents reports which styles of a book show a fraction as a percentage.
func percents(book *excelize.File) func(style int) bool {
	known := map[int]bool{}
	return func(style int) bool {
		is, ok := known[style]
		if !ok {
			format, err := book.GetStyle(style)
			is = err == nil && (format.NumFmt == 9 || format.NumFmt == 10 || // 0% and 0.00%
				format.CustomNumFmt != nil && strings.Contains(*format.CustomNumFmt, "%"))
			known[style] = is
		}
		return is
	}
}

// openCells opens the cells of a workbook's first sheet.
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
		Sheets []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
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
	for _, relationship := range related.Relationships {
		if len(book.Sheets) > 0 && relationship.ID == book.Sheets[0].ID {
			target := relationship.Target // relative to workbook.xml, or from the root
			if !strings.HasPrefix(target, "/") {
				target = path.Join("xl", target)
			}
			part, err := archive.Open(strings.TrimPrefix(target, "/"))
			return &typedCells{part: part, decoder: xml.NewDecoder(part)}, err
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

// fill puts the numbers and the formulas of a row into its values. Rows must come in order.
func (c *typedCells) fill(row int, values []string) ([]string, error) {
	for c.number < row {
		if err := c.next(); errors.Is(err, io.EOF) {
			return values, nil
		} else if err != nil {
			return nil, err
		}
	}
	for column, value := range c.cells {
		for c.number == row && len(values) < column {
			values = append(values, "")
		}
		if c.number == row {
			values[column-1] = value
		}
	}
	return values, nil
}

func (c *typedCells) next() error {
	for {
		token, err := c.decoder.Token()
		if err != nil {
			return err
		}
		start, starts := token.(xml.StartElement)
		if !starts || start.Name.Local != "row" {
			continue
		}
		var row struct {
			Number int `xml:"r,attr"`
			Cells  []struct {
				Name    string    `xml:"r,attr"`
				Style   int       `xml:"s,attr"`
				Type    string    `xml:"t,attr"`
				Formula *struct{} `xml:"f"`
				Value   *string   `xml:"v"`
			} `xml:"c"`
		}
		if err := c.decoder.DecodeElement(&row, &start); err != nil {
			return err
		}
		if c.number++; row.Number > 0 {
			c.number = row.Number
		}
		c.cells = map[int]string{}
		column := 0
		for _, cell := range row.Cells {
			column++
			if cell.Name != "" {
				if column, _, err = excelize.CellNameToCoordinates(cell.Name); err != nil {
					return err
				}
			}
			switch {
			case cell.Formula != nil && (cell.Value == nil || *cell.Value == "" && cell.Type != "str"):
				c.cells[column] = notCalculated // unlike an empty text, "str"
			case cell.Value != nil && (cell.Type == "" || cell.Type == "n"):
				if number, err := strconv.ParseFloat(*cell.Value, 64); err == nil {
					if c.percent(cell.Style) {
						number = math.Round(number*1e12) / 1e10
					}
					c.cells[column] = strconv.FormatFloat(number, 'f', -1, 64)
				}
			}
		}
		return nil
	}
}
