package importexport

import (
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

func TestAPercentageIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	book := excelize.NewFile()
	format := "0.00 %"
	whole, err := book.NewStyle(&excelize.Style{NumFmt: 9})
	must(t, err)
	exact, err := book.NewStyle(&excelize.Style{CustomNumFmt: &format})
	must(t, err)
	for cell, value := range map[string]any{"A1": "_id", "B1": "sharePercent", "C1": "votePercent", "A2": "relation-1", "B2": 0.25, "C2": 0.333333} {
		must(t, book.SetCellValue("Sheet1", cell, value))
	}
	must(t, book.SetCellStyle("Sheet1", "B2", "B2", whole))
	must(t, book.SetCellStyle("Sheet1", "C2", "C2", exact))
	path := filepath.Join(t.TempDir(), "relations.xlsx")
	must(t, book.SaveAs(path))
	h.mustLoad(t, path)
	if r := one(t, h.store.Relations(), "relation-1"); r.SharePercent != "25" || r.VotePercent != "33.3333" {
		t.Errorf("25 %% and 33.3333 %% are %s and %s", r.SharePercent, r.VotePercent)
	}
	h.mustLoad(t, only(t, "relations.csv", "_id;sharePercent", "relation-1;12,5"))
	if r := one(t, h.store.Relations(), "relation-1"); r.SharePercent != "12.5" {
		t.Errorf("12,5 is %s", r.SharePercent)
	}
}

func TestADateIsReadAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	relation := one(t, h.store.Relations(), "relation-1")
	for _, is1904 := range []bool{false, true} {
		for i, format := range []string{"", "dd/mm/yyyy", `[$-813]d mmmm yyyy;@`, `yyyy\-mm\-dd`} {
			book := excelize.NewFile()
			style := &excelize.Style{NumFmt: 14, CustomNumFmt: &format}
			if format == "" {
				style.CustomNumFmt = nil
			}
			shown, err := book.NewStyle(style)
			must(t, err)
			counted := `0 "dagen"`
			days, err := book.NewStyle(&excelize.Style{CustomNumFmt: &counted})
			must(t, err)
			must(t, book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &is1904}))
			start := float64(46112 + i) // 2026-03-31
			if is1904 {
				start -= 1462
			}
			for cell, value := range map[string]any{"A1": "_id", "B1": "startDate", "C1": "createdAt", "D1": "note", "A2": relation.ID, "B2": start, "C2": start + 0.4375, "D2": 12} {
				must(t, book.SetCellValue("Sheet1", cell, value))
			}
			must(t, book.SetCellStyle("Sheet1", "B2", "C2", shown))
			must(t, book.SetCellStyle("Sheet1", "D2", "D2", days))
			path := filepath.Join(t.TempDir(), "relations.xlsx")
			must(t, book.SaveAs(path))
			h.mustLoad(t, path)
			day := time.Date(2026, 3, 31+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			if r := one(t, h.store.Relations(), relation.ID); string(r.StartDate) != day || r.CreatedAt.String() != day+"T08:30:00.000Z" || r.Note != "12" {
				t.Errorf("%s in %q is %s and %s, and 12 days are %s", day, format, r.StartDate, r.CreatedAt, r.Note)
			}
		}
	}
	for i, text := range []string{"05/04/2026", "6.4.2026", "7-04-2026", "2026-04-08"} {
		h.mustLoad(t, only(t, "relations.csv", "_id;startDate;createdAt", relation.ID+";"+text+";"+text))
		day, before := fmt.Sprintf("2026-04-%02d", i+5), fmt.Sprintf("2026-04-%02dT22:00:00.000Z", i+4)
		if r := one(t, h.store.Relations(), relation.ID); string(r.StartDate) != day || r.CreatedAt.String() != before {
			t.Errorf("%s is %s and %s", text, r.StartDate, r.CreatedAt)
		}
	}
	for text, want := range map[string]string{"31/03/2026": "2026-03-30T22:00:00.000Z", "2026-03-31": "2026-03-30T22:00:00.000Z"} {
		h.mustLoad(t, only(t, "documents.csv", "_id;timeCreated", "document-1;"+text))
		if d := one(t, h.store.Documents(), "document-1"); d.File.TimeCreated.String() != want {
			t.Errorf("a file of %s is of %s", text, d.File.TimeCreated)
		}
	}
	for _, text := range []string{"04/31/2026", "31/02/2026", "31/03/26", "46112"} {
		if _, err := h.load(t.Context(), only(t, "relations.csv", "_id;startDate", relation.ID+";"+text)); err == nil {
			t.Errorf("%s is a day", text)
		}
	}
}

func TestAHouseNumberThatASpreadsheetMadeADateIsRejected(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	book := excelize.NewFile()
	day, err := book.NewStyle(&excelize.Style{NumFmt: 16}) // d-mmm
	must(t, err)
	for cell, value := range map[string]any{"A1": "_id", "B1": "addressFields.houseNumber", "C1": "name", "A2": "company", "B2": 46082, "C2": 46082} {
		must(t, book.SetCellValue("Sheet1", cell, value))
	}
	must(t, book.SetCellStyle("Sheet1", "B2", "C2", day))
	path := filepath.Join(t.TempDir(), "customers.xlsx")
	must(t, book.SaveAs(path))
	_, err = h.load(t.Context(), path)
	if bad := new(BadFile); !errors.As(err, &bad) || len(bad.Lines) != 1 || !strings.Contains(bad.Lines[0].Report(""), "column 2 has a date instead of a text") {
		t.Errorf("it is %v", err)
	}
}

func TestARowOfMoreCellsThanASheetMayHaveIsNotRead(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	last := `<c t="inlineStr"><is><t>x</t></is></c>`
	for what, rows := range map[string]string{
		"one row":          `<row r="3">` + strings.Repeat(`<c/>`, 20_000) + last + `</row>`,
		"a row twice":      strings.Repeat(`<row r="3">`+strings.Repeat(`<c/>`, 10_000)+`</row>`, 2) + `<row r="3">` + last + `</row>`,
		"an earlier row":   `<row r="3">` + strings.Repeat(`<c/>`, 10_000) + `</row><row r="2">` + strings.Repeat(`<c/>`, 10_000) + last + `</row>`,
		"a negative row":   `<row r="3"></row><row r="-1">` + strings.Repeat(`<c/>`, 20_000) + last + `</row>`,
		"two numbers":      `<row r="3"></row><row r="9" x:r="3" xmlns:x="x">` + strings.Repeat(`<c/>`, 20_000) + last + `</row>`,
		"behind the rows":  `</sheetData><sheetData><row r="3">` + strings.Repeat(`<c/>`, 20_000) + last + `</row>`,
		"a cell in a cell": `<row r="3"><c><c/>` + strings.Repeat(`<c/>`, 20_000) + last + `</c></row>`,
		"one cell often":   `<row r="3">` + strings.Repeat(`<c r="A3"/>`, 20_000) + last + `</row>`,
	} {
		book := excelize.NewFile()
		for cell, value := range map[string]string{"A1": "_id", "B1": "name", "A2": "a", "B2": "A"} {
			must(t, book.SetCellValue("Sheet1", cell, value))
		}
		path := filepath.Join(t.TempDir(), "labels.xlsx")
		must(t, book.SaveAs(path))
		asOthersWrite(t, path, "xl/worksheets/sheet1.xml", map[string]string{`</sheetData>`: rows + `</sheetData>`})
		if _, err := h.load(t.Context(), path); err == nil || !strings.Contains(err.Error(), "a row of the sheet cannot be read") {
			t.Errorf("%s: %v", what, err)
		}
		cells := &typedCells{decoder: xml.NewDecoder(strings.NewReader("<sheet><sheetData>" + rows + "</sheetData></sheet>"))}
		if _, err := cells.fill(3, func() ([]string, error) { t.Errorf("%s: excelize reads it", what); return nil, nil }); err == nil {
			t.Errorf("%s is a row", what)
		}
	}
}
