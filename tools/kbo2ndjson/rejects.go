package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"example.org/backoffice/backoffice"
)

// rejects is the folder of rows that are in no customer: as they were, under the names of their files, and why.
type rejects struct {
	folder  string
	files   map[string]*aside
	reasons *csv.Writer
	last    *os.File
}

// aside is a file of rejected rows.
type aside struct {
	file *os.File
	rows *bufio.Writer
}

func newRejects(folder string) (*rejects, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(folder, "reasons.csv"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	r := &rejects{folder: folder, files: map[string]*aside{}, reasons: csv.NewWriter(file), last: file}
	return r, r.reasons.Write([]string{"file", "line", "reason"})
}

// put adds a row.
func (r *rejects) put(at place, why string) error {
	if r == nil {
		return nil
	}
	to := r.files[at.file]
	if to == nil {
		file, err := os.OpenFile(filepath.Join(r.folder, at.file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		to = &aside{file, bufio.NewWriter(file)}
		r.files[at.file] = to
		if _, err := to.rows.WriteString(at.header + "\n"); err != nil {
			return err
		}
	}
	if _, err := to.rows.WriteString(at.text + "\n"); err != nil {
		return err
	}
	return r.reasons.Write([]string{at.file, strconv.Itoa(at.line), why})
}

// ofNobody puts names and addresses aside that are sound, but of an enterprise that is no customer.
func (r *rejects) ofNobody(folder string, customers map[string]bool) error {
	if r == nil {
		return nil
	}
	offices := map[string]bool{}
	isLeft := map[string]func(row row, number string) bool{ // of the rows that were not put aside before
		"denomination.csv": func(row row, _ string) bool { _, sound := nameOf(row); return sound },
		"address.csv": func(row row, number string) bool {
			if row.get("TypeOfAddress") != "REGO" || row.get("DateStrikingOff") != "" || offices[number] {
				return false
			}
			offices[number] = true
			return true
		},
	}
	for _, name := range []string{"denomination.csv", "address.csv"} {
		counts := newTally()
		err := eachRow(filepath.Join(folder, name), counts, func(row row) error {
			number, err := backoffice.ParseKBONumber(row.get("EntityNumber"))
			if err != nil || customers[number] || !isLeft[name](row, number) {
				return nil
			}
			return r.put(counts.at, "no customer has this number")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rejects) close() error {
	r.reasons.Flush()
	err := errors.Join(r.reasons.Error(), r.last.Close())
	for _, to := range r.files {
		err = errors.Join(err, to.rows.Flush(), to.file.Close())
	}
	return err
}
