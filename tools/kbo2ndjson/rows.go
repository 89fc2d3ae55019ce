package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// row is one line of a file; its columns are found by the header's names.
type row struct {
	columns map[string]int
	fields  []string
}

// get returns a column's text without blanks around it.
func (r row) get(column string) string { return strings.TrimSpace(r.fields[r.columns[column]]) }

// needed are the columns that this program reads, per file; a file without one of them is of another make.
var needed = map[string][]string{
	"enterprise.csv":   {"EnterpriseNumber", "Status", "TypeOfEnterprise", "JuridicalForm", "JuridicalFormCAC"},
	"denomination.csv": {"EntityNumber", "Language", "TypeOfDenomination", "Denomination"},
	"address.csv": {"EntityNumber", "TypeOfAddress", "CountryNL", "CountryFR", "Zipcode", "MunicipalityNL", "MunicipalityFR",
		"StreetNL", "StreetFR", "HouseNumber", "Box", "DateStrikingOff"},
	"code.csv": {"Category", "Code", "Language", "Description"},
}

// eachRow reads a file line by line: the register puts one record on one line, so that a stray quote spoils its own
// line and not the rest of the file. Lines that are no row are counted.
func eachRow(path string, counts *tally, do func(row) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	name := filepath.Base(path)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)

	if !lines.Scan() {
		return fmt.Errorf("%s is empty", name)
	}
	counts.at = place{file: name, header: strings.TrimPrefix(lines.Text(), "\ufeff"), line: 1}
	header, err := fieldsOf(counts.at.header)
	if err != nil {
		return fmt.Errorf("%s: the first line is no header", name)
	}
	columns := map[string]int{}
	for i, column := range header {
		columns[column] = i
	}
	for _, column := range needed[name] {
		if _, ok := columns[column]; !ok {
			return fmt.Errorf("%s has no column %s", name, column)
		}
	}
	for lines.Scan() {
		counts.at.line++
		if counts.at.text = lines.Text(); counts.at.text == "" {
			continue
		}
		fields, err := fieldsOf(lines.Text())
		if err != nil || len(fields) != len(header) {
			if err := counts.leaveOut("not a row of the header's columns"); err != nil {
				return err
			}
			continue
		}
		if err := do(row{columns, fields}); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func fieldsOf(line string) ([]string, error) {
	reader := csv.NewReader(strings.NewReader(line))
	reader.FieldsPerRecord = -1
	return reader.Read()
}

// readCodes returns the Dutch description of each legal form's code, for the report.
func readCodes(folder string) (map[string]string, error) {
	codes := map[string]string{}
	err := eachRow(filepath.Join(folder, "code.csv"), newTally(), func(row row) error {
		if code := row.get("Code"); row.get("Category") == "JuridicalForm" && (codes[code] == "" || row.get("Language") == "NL") {
			codes[code] = row.get("Description")
		}
		return nil
	})
	return codes, err
}
