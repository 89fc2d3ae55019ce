package importexport

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"

	"example.org/backoffice/backoffice"
)

// officeRows are customers in the words of an office, and what they are.
var officeRows = map[string][][]string{
	"nl": {{"Klantnr", "Soort", "Naam", "Rechtsvorm", "Ondernemingsnr", "Straat", "Postcode", "Gemeente", "Taal", "Omzet"},
		{"KL/001", "Bedrijf", "Bakkerij Zoë & zoon", "B.V.B.A.", "0200.065.765", "’t Hofke", "9000", "Gent", "Nederlands", "12"},
		{"007", "Particulier", "André Gérard", "", "", "Rue de l’Église", "4000", "Liège", "FR", ""}},
	"fr": {{"N° client", "Type", "Nom", "Forme juridique", "N° d'entreprise", "Rue", "Code postal", "Localité", "Langue", "Chiffre d'affaires"},
		{"KL/001", "Société", "Bakkerij Zoë & zoon", "S.R.L.", "BE 0200 065 765", "’t Hofke", "9000", "Gent", "néerlandais", "12"},
		{"007", "personne physique", "André Gérard", "", "", "Rue de l’Église", "4000", "Liège", "F", ""}},
	"de": {{"Kundennummer", "Kundenart", "Name", "Rechtsform", "Unternehmensnummer", "Straße", "PLZ", "Ort", "Sprache", "Umsatz"},
		{"KL/001", "Unternehmen", "Bakkerij Zoë & zoon", "SPRL", "200065765", "’t Hofke", "9000", "Gent", "nl-BE", "12"},
		{"007", "natürliche Person", "André Gérard", "", "", "Rue de l’Église", "4000", "Liège", "Französisch", ""}},
}

// officeText is the rows with a separator, ended as Windows does.
func officeText(rows [][]string, comma string) (text string) {
	for _, row := range rows {
		text += strings.Join(row, comma) + "\r\n"
	}
	return text
}

// officeForms write rows in the forms in which offices have them.
var officeForms = map[string]func(t testing.TB, rows [][]string) string{
	"utf8.csv":  func(_ testing.TB, rows [][]string) string { return "\ufeff" + officeText(rows, ";") },
	"comma.csv": func(_ testing.TB, rows [][]string) string { return officeText(rows, ",") },
	"quoted.CSV": func(_ testing.TB, rows [][]string) string {
		return `"` + strings.ReplaceAll(strings.TrimSuffix(officeText(rows, `";"`), "\r\n"), "\r\n", "\"\r\n\"") + `"`
	},
	"western.csv": func(t testing.TB, rows [][]string) string {
		text, err := charmap.Windows1252.NewEncoder().String(officeText(rows, ";"))
		must(t, err)
		return text
	},
	"unicode.txt": func(t testing.TB, rows [][]string) string {
		text, err := utf.UTF16(utf.LittleEndian, utf.ExpectBOM).NewEncoder().String(officeText(rows, "\t"))
		must(t, err)
		return text
	},
	"sep.csv":    func(_ testing.TB, rows [][]string) string { return "sep=;\r\n" + officeText(rows, ";") },
	"titled.csv": func(_ testing.TB, rows [][]string) string { return "Kantoor\r\n;;;\r\n" + officeText(rows, ";") },
	"breaks.csv": func(_ testing.TB, rows [][]string) string {
		return "\"Kantoor\nGent\";;\r\n" + officeText(rows, ";")
	},
	"tails.csv": func(_ testing.TB, rows [][]string) string {
		return strings.ReplaceAll(officeText(rows, ";"), "\r\n", ";;\r\n") + ";;;;;;;;;;;\r\n;;;;;;;;;;;\r\n"
	},
	"book.xlsx": officeBook,
	"strict.xlsx": func(t testing.TB, rows [][]string) string {
		path := filepath.Join(t.TempDir(), "book.xlsx")
		must(t, os.WriteFile(path, []byte(officeBook(t, rows)), 0o600))
		asOthersWrite(t, path, "xl/workbook.xml", map[string]string{"http://schemas.openxmlformats.org/officeDocument/2006/relationships": "http://purl.oclc.org/ooxml/officeDocument/relationships"})
		text, err := os.ReadFile(path)
		must(t, err)
		return string(text)
	},
	"titled.xlsx": func(t testing.TB, rows [][]string) string {
		return officeBook(t, append([][]string{{"Kantoor"}, nil}, rows...))
	},
}

func officeBook(t testing.TB, rows [][]string) string {
	book := excelize.NewFile()
	for i, row := range rows {
		for j, value := range row {
			cell, err := excelize.CoordinatesToCellName(j+1, i+1)
			must(t, err)
			must(t, book.SetCellStr("Sheet1", cell, value))
		}
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	must(t, book.SaveAs(path))
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func TestFilesOfOfficesLoadByTheirProposedMapping(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"KL/001": "COMPANY|Bakkerij Zoë & zoon|BV|0200065765|’t Hofke|9000|Gent|dutch",
		"007":    "PRIVATE_PERSON|André Gérard|||Rue de l’Église|4000|Liège|french",
	}
	files := 0
	for language, rows := range officeRows {
		for form, write := range officeForms {
			files++
			path := filepath.Join(t.TempDir(), language+form)
			must(t, os.WriteFile(path, []byte(write(t, rows)), 0o600))
			proposal, err := Propose(path, "")
			must(t, err)
			mapping, err := ParseMapping(proposal.Mapping)
			must(t, err)
			h := newEnv(t)
			all, err := (&Importer{Store: h.store, Files: h.files, Keys: h.keys, Key: "customerCode", Mapping: mapping}).Import(t.Context(), path)
			if err != nil || len(all) != 1 || all[0].Created != 2 || all[0].Lines() != 2 {
				t.Errorf("%s%s: %+v, %v, by %s", language, form, all, err, proposal.Mapping)
				continue
			}
			found := map[string]string{}
			must(t, eachOf(t.Context(), h.store, backoffice.CustomerTable, func(c *customer) {
				found[string(c.CustomerCode)] = fmt.Sprintf("%s|%s|%s|%s|%s|%s|%s|%s", c.Type, c.OwnName, c.CompanyType, c.KboNumber,
					c.Address.Street, c.Address.PostalCode, c.Address.City, c.Language)
			}))
			if !maps.Equal(found, want) {
				t.Errorf("%s%s: the customers are %v", language, form, found)
			}
		}
	}
	if files != 36 {
		t.Errorf("%d files were loaded", files)
	}
}
