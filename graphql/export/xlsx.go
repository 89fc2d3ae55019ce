package export

import (
	"archive/zip"
	"bufio"
	"cmp"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

// XLSX is a ZIP of XML files, the sheets among them. excelize writes a long sheet's XML to a temporary file, and packs
// it when everything is there. So nothing is sent before everything was read: a failure until then has an answer.

const (
	mostSheetRows = excelize.TotalRows
	mostCellUnits = excelize.TotalCellChars // of UTF-16, in a cell
	bytesInMemory = 4 * excelize.StreamChunkSize
)

type workbook struct {
	table  *table
	name   string
	folder string // for temporary files
	remove func()
	most   int64 // bytes in them
	file   *excelize.File
	sheet  *excelize.StreamWriter
	sheets int
	header int            // its style
	styles map[string]int // of moments and days, by layout
	widths []float64

	row   int   // the last written, of the sheet
	said  int64 // bytes of the cells so far
	cells []any
	text  []byte
}

func (x *exporting) sheets(ctx context.Context) error {
	w, err := newWorkbook(x.table, x.list.name, x.config.Limits.ExportBytes)
	if err != nil {
		return err
	}
	defer w.close()
	err = x.walk.leaves(ctx, func(l *leaf) error {
		x.moved()
		if w.sheet == nil {
			w.measure(l.part.Data, l.rows)
		}
		err := eachElement(l.part.Data, l.rows, func(at int) (end int, err error) {
			return w.table.each(l.part.Data, at, func(cells [][]byte) error {
				if err := x.count(1); err != nil {
					return err
				}
				return w.write(cells)
			})
		})
		if err == nil {
			err = w.fits()
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	x.open()
	out := bufio.NewWriterSize(x.w, flushBytes)
	if err := w.pack(out); err != nil {
		return err
	}
	if out.Flush() != nil || x.control.Flush() != nil {
		return errGone
	}
	return nil
}

// newWorkbook makes a workbook whose temporary files are bounded. Errors: Unavailable when the disk lacks room.
func newWorkbook(t *table, name string, most int64) (*workbook, error) {
	folder, remove, err := files.NewTemp()
	if err != nil {
		return nil, noRoom(err)
	}
	w := &workbook{table: t, styles: map[string]int{}, name: name, folder: folder, remove: remove, most: most,
		cells: make([]any, len(t.columns)), widths: make([]float64, len(t.columns))}
	if free, err := FreeBytes(folder); err != nil || free < most {
		w.close()
		if err == nil {
			err = fmt.Errorf("%s has %d bytes free, and --limit-export-bytes is %d", os.TempDir(), free, most)
		}
		return nil, noRoom(err)
	}
	w.file = excelize.NewFile(excelize.Options{TmpDir: folder})
	w.header, err = w.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	for _, layout := range slices.Sorted(maps.Keys(formats)) {
		if err == nil {
			w.styles[layout], err = w.file.NewStyle(&excelize.Style{CustomNumFmt: new(formats[layout])})
		}
	}
	if err != nil {
		w.close()
		return nil, backoffice.Fault(err, "creating a workbook")
	}
	return w, nil
}

func noRoom(cause error) error {
	return &backoffice.Error{
		Kind:    backoffice.Unavailable,
		Message: "the server has no disk space for an XLSX export now: use csv or jsonl, which need none",
		Cause:   cause,
	}
}

func (w *workbook) close() {
	if w.file != nil {
		_ = w.file.Close()
	}
	w.remove()
}

// Widths of columns, in characters.
const (
	narrowest    = 8
	widest       = 50
	filterButton = 3 // beside a column's name
)

// measure makes columns as wide as their names and the values of the first page.
func (w *workbook) measure(b []byte, rows int) {
	for i, name := range w.table.columns {
		w.widths[i] = float64(len(name))
	}
	_ = eachElement(b, rows, func(at int) (int, error) {
		return w.table.each(b, at, func(cells [][]byte) error {
			for i, cell := range cells {
				shown := utf8.RuneCount(cell)
				if format := formats[w.table.layouts[i+1]]; format != "" {
					shown = min(shown, len(format))
				}
				w.widths[i] = max(w.widths[i], float64(shown))
			}
			return nil
		})
	})
	for i := range w.widths {
		w.widths[i] = min(max(w.widths[i]+filterButton, narrowest), widest)
	}
}

// end ends a sheet: its header filters the rows above.
func (w *workbook) end() error {
	if len(w.table.columns) > 0 {
		last, err := excelize.CoordinatesToCellName(len(w.table.columns), w.row)
		if err == nil {
			err = w.file.AutoFilter(w.sheet.Sheet, "A1:"+last, nil)
		}
		if err != nil {
			return backoffice.Fault(err, "ending a sheet")
		}
	}
	if err := w.sheet.Flush(); err != nil {
		return noRoom(err)
	}
	return nil
}

// begin starts a sheet: a header that stays visible, and the columns' widths.
func (w *workbook) begin() (err error) {
	if w.sheet != nil {
		if err := w.end(); err != nil {
			return err
		}
	}
	const longest = 25 // characters of a sheet's name, and a number after them
	name := w.name[:min(len(w.name), longest)]
	if strings.EqualFold(name, "history") { // which Excel keeps for itself
		name += "_"
	}
	if w.sheets++; w.sheets == 1 {
		err = w.file.SetSheetName("Sheet1", name)
	} else {
		name += " " + strconv.Itoa(w.sheets)
		_, err = w.file.NewSheet(name)
	}
	if err = cmp.Or(err, w.file.SetSheetDimension(name, "")); err != nil { // which is A1 from the start
		return backoffice.Fault(err, "creating a sheet")
	}
	if w.sheet, err = w.file.NewStreamWriter(name); err != nil {
		return backoffice.Fault(err, "creating a sheet")
	}
	for i, width := range slices.Backward(w.widths) { // excelize puts each in front, and Excel wants them ascending
		if err := w.sheet.SetColWidth(i+1, i+1, max(width, narrowest)); err != nil {
			return backoffice.Fault(err, "creating a sheet")
		}
	}
	err = w.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
	if err != nil {
		return backoffice.Fault(err, "creating a sheet")
	}
	names := backoffice.Map(w.table.columns, func(name string) any { return name })
	w.row = 0
	return w.put(names, excelize.RowOpts{StyleID: w.header})
}

func (w *workbook) put(cells []any, options ...excelize.RowOpts) error {
	w.row++
	if err := w.sheet.SetRow("A"+strconv.Itoa(w.row), cells, options...); err != nil {
		return noRoom(err)
	}
	return nil
}

// write writes a row, on the next sheet when one is full.
func (w *workbook) write(cells [][]byte) (err error) {
	if w.sheet == nil || w.row == mostSheetRows {
		if err := w.begin(); err != nil {
			return err
		}
	}
	for i, cell := range cells {
		if w.cells[i], err = w.value(cell, i); err != nil {
			return err
		}
	}
	return w.put(w.cells)
}

// value is a cell's content: numbers, booleans and dates, all else as text: nothing is a formula, leading zeros stay.
func (w *workbook) value(cell []byte, column int) (any, error) {
	w.said += int64(len(cell))
	if len(cell) == 0 {
		return nil, nil
	}
	switch cell[0] {
	case 'n':
		return nil, nil
	case 't', 'f':
		return cell[0] == 't', nil
	case '"':
		w.text = appendText(w.text[:0], cell)
		if layout := w.table.layouts[column+1]; layout != "" {
			if days, ok := daysOf(layout, string(w.text)); ok {
				return excelize.Cell{StyleID: w.styles[layout], Value: days}, nil
			}
		}
		return w.shown(string(w.text), column)
	case '{', '[':
		return w.shown(string(cell), column)
	}
	number, err := strconv.ParseFloat(string(cell), 64)
	return number, err
}

// shown is a text as a cell may hold it: without what XML cannot represent, and whole.
func (w *workbook) shown(text string, column int) (any, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > mostCellUnits && len(utf16.Encode([]rune(text))) > mostCellUnits {
		return nil, backoffice.Errorf(backoffice.BadInput,
			"a value of %s exceeds the %d characters of an XLSX cell: use csv or jsonl",
			backoffice.ShownName(w.table.columns[column]), mostCellUnits)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

// fits checks the size and the presence of the temporary files.
func (w *workbook) fits() error {
	written := int64(0)
	entries, err := os.ReadDir(w.folder)
	if err != nil {
		return noRoom(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return noRoom(err)
		}
		written += info.Size()
	}
	switch {
	case max(written, w.said) > w.most:
		return backoffice.Errorf(backoffice.TooLarge,
			"the XLSX file would be larger than %d bytes: ask for fewer rows, or use csv or jsonl",
			w.most)
	case w.said > bytesInMemory && len(entries) == 0: // excelize would continue in memory
		return noRoom(fmt.Errorf("cannot create a temporary file in %s", w.folder))
	}
	return nil
}

// finish ends the last sheet; one without rows has its header.
func (w *workbook) finish() error {
	if w.sheet == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if err := w.end(); err != nil {
		return err
	}
	return w.fits()
}

// pack writes the workbook, directly from its temporary files.
func (w *workbook) pack(to io.Writer) error {
	w.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		packed := zip.NewWriter(to)
		packed.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(to, flate.BestSpeed)
		})
		return packed
	})
	_, err := w.file.WriteToBuffer() // the buffer stays empty
	return err
}
