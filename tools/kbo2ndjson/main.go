// Command kbo2ndjson turns the open data of the Belgian enterprise register (KBO Open Data, FPS Economy) into the
// customers of an import folder:
//
//	go run -C tools ./kbo2ndjson /FOLDER /OUT [/REJECTS]
//
// FOLDER holds enterprise.csv, address.csv, denomination.csv and code.csv; OUT gets customers.ndjson. Each active
// enterprise becomes a company. A row that is not sound is left out and counted, never repaired: the register's own
// check digits decide. What was written and what was left out, with the reason, is reported on standard output; REJECTS
// gets each row that is in no customer as it was, and reasons.csv.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.org/backoffice/backoffice"
)

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: kbo2ndjson FOLDER OUT [REJECTS]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], strings.Join(os.Args[3:], ""), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kbo2ndjson:", err)
		os.Exit(1)
	}
}

// customer is a line of customers.ndjson. What the register does not know is null, which clears it on a later import;
// a language that is only unknown here is left as it is.
type customer struct {
	ID           string               `json:"_id"`
	Type         string               `json:"type"`
	Name         backoffice.Text      `json:"name"`
	KBONumber    string               `json:"kboNumber"`
	CompanyType  backoffice.LegalForm `json:"companyType"`
	CustomerCode string               `json:"customerCode"`
	Address      *address             `json:"addressFields"`
	Language     string               `json:"language,omitempty"`
}

// run converts a folder and writes the report. rejects is where rows go that are left out, "" for nowhere.
func run(folder, out, rejects string, report io.Writer) (err error) {
	counts := newTally()
	if rejects != "" {
		if counts.rejects, err = newRejects(rejects); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, counts.rejects.close()) }()
	}
	names, err := readNames(folder, counts)
	if err != nil {
		return err
	}
	addresses, err := readAddresses(folder, counts)
	if err != nil {
		return err
	}
	codes, err := readCodes(folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	// Nothing is seen under the final name before it is whole.
	partial, err := os.CreateTemp(out, "customers-*.partial")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(partial.Name()) }()
	buffered := bufio.NewWriter(partial)
	err = writeCustomers(folder, buffered, names, addresses, codes, counts)
	if err = errors.Join(err, buffered.Flush(), partial.Chmod(0o644), partial.Close()); err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), filepath.Join(out, "customers.ndjson")); err != nil {
		return err
	}
	return counts.write(report)
}

func writeCustomers(folder string, w io.Writer, names map[string]name, addresses map[string]registered, codes map[string]string, counts *tally) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	seen := map[string]bool{}
	err := eachRow(filepath.Join(folder, "enterprise.csv"), counts, func(row row) error {
		number, err := backoffice.ParseKBONumber(row.get("EnterpriseNumber"))
		switch {
		case err != nil:
			return counts.leaveOut("the number fails its check")
		case seen[number]:
			return counts.leaveOut("the number occurs before")
		case row.get("Status") != "AC":
			return counts.leaveOut("not active")
		}
		seen[number] = true
		counts.add("customers")

		named, where := names[number], addresses[number]
		line := customer{
			ID: "kbo-" + number, Type: "Company", KBONumber: number, CustomerCode: "KBO-" + number,
			CompanyType: legalForm(row, codes, counts),
			Language:    languageOf(named, where),
		}
		if named.text != "" {
			line.Name = backoffice.Text(named.text)
			counts.add("customers with a name")
		}
		if where != nil {
			line.Address = where.in(line.Language)
			counts.add("customers with an address")
		}
		if line.Language != "" {
			counts.add("customers with a language")
		}
		return encoder.Encode(line)
	})
	if err != nil {
		return err
	}
	for number := range names {
		if !seen[number] {
			counts.add("denomination.csv: names of no customer")
		}
	}
	return counts.rejects.ofNobody(folder, seen)
}

// legalForm translates a legal person's form. The register has two columns: the form on paper, and the one by which it
// is to be read since the code of companies and associations of 2019. Two that name different forms contradict each
// other, and so does a form that has no KBO number; both are ANDERE, as is a form that we have no key for.
func legalForm(row row, codes map[string]string, counts *tally) backoffice.LegalForm {
	if row.get("TypeOfEnterprise") == "1" {
		return backoffice.LegalFormEenmanszaak // a natural person has no legal form
	}
	paper, read := row.get("JuridicalForm"), row.get("JuridicalFormCAC")
	form, reading := backoffice.LegalFormOfKBO(paper), backoffice.LegalFormOfKBO(read)
	switch {
	case form == backoffice.LegalFormAndere:
		form = reading
	case reading != backoffice.LegalFormAndere && reading != form:
		counts.add("ANDERE: the two forms contradict each other")
		return backoffice.LegalFormAndere
	}
	switch {
	case form == backoffice.LegalFormAndere && codes[paper] == "":
		counts.add("ANDERE: a form that code.csv does not know")
	case form == backoffice.LegalFormAndere:
		counts.add("ANDERE: a form without a key")
		counts.addDetail(fmt.Sprintf("form %s, %s", paper, codes[paper]))
	case !form.NeedsKBO():
		counts.add("ANDERE: a form that has no KBO number")
		return backoffice.LegalFormAndere
	}
	return form
}
