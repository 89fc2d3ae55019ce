package importexport

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"

	"github.com/xuri/excelize/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

const maxWorkbook = 2 << 30 // bytes that a workbook may hold

// openWorkbook writes the first visible sheet of a workbook as CSV into a file, which applying reads again. It removes
// the name at once where the system allows that, or else on closing. Cells have their values, not what the program
// displays. rows are the rows of its lines; note names the sheet if there are others.
func openWorkbook(workbook *os.File, name string) (_ *os.File, rows []rowAt, note string, err error) {
	folder, remove, err := files.NewTemp()
	if err != nil {
		return nil, nil, "", err
	}
	defer remove()
	options := excelize.Options{RawCellValue: true, UnzipSizeLimit: maxWorkbook, TmpDir: folder}
	book, err := excelize.OpenReader(workbook, options)
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s is not a readable workbook (.xlsx)", name)
	}
	defer func() { _ = book.Close() }()
	file, err := temporary()
	if err != nil {
		return nil, nil, "", cannotRead(name, err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	typed, err := openCells(workbook)
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s has no readable sheet", name)
	}
	defer func() { _ = typed.part.Close() }()
	typed.kind = kinds(book)
	if about, err := book.GetWorkbookProps(); err == nil && about.Date1904 != nil {
		typed.is1904 = *about.Date1904
	}
	sheet, err := book.Rows(typed.sheet)
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s has no sheet", name)
	}
	defer func() { _ = sheet.Close() }()
	out := csv.NewWriter(file)
	breaks := 0
	for row := 1; sheet.Next(); row++ {
		cells, err := typed.fill(row, func() ([]string, error) { return sheet.Columns(options) })
		if err != nil {
			return nil, nil, "", fmt.Errorf("%s: a row of the sheet cannot be read", name)
		}
		if more := strings.Count(strings.Join(cells, ""), "\n"); more > 0 {
			breaks += more
			rows = append(rows, rowAt{row + breaks + 1, breaks})
		}
		if err := out.Write(cells); err != nil {
			return nil, nil, "", cannotRead(name, err)
		}
	}
	if out.Flush(); out.Error() != nil || sheet.Error() != nil {
		return nil, nil, "", fmt.Errorf("%s: the sheet cannot be read", name)
	}
	if n := typed.sheets; n > 1 {
		note = fmt.Sprintf("only %s of %d sheets", backoffice.ShownName(typed.sheet), n)
	}
	return file, rows, note, nil
}
