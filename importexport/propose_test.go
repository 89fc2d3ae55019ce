package importexport

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestColumnsOfOneNameAreProposedOnceAndThoseOfNoneNever(t *testing.T) {
	t.Parallel()
	proposal, err := Propose(filepath.Join(only(t, "customers.csv", "Klantnr;Naam;Tele.foon;;Tele.foon;", "K-1;Peeters;02 555 12 12;12;0475 12 34 56;"), "customers.csv"), "")
	must(t, err)
	if text := string(proposal.Mapping); strings.Count(text, `"Tele.foon"`) != 1 || !strings.Contains(text, `"Tele.foon": ""`) || strings.Contains(text, `"":`) ||
		!strings.Contains(strings.Join(proposal.Notes, "\n"), `several columns are called "Tele.foon"`) || strings.Count(strings.Join(proposal.Notes, "\n"), "column 4 has values but no name") != 1 {
		t.Errorf("%s %q", text, proposal.Notes)
	}
}

func TestAProposalKeepsTheFieldsNames(t *testing.T) {
	t.Parallel()
	for noun, of := range tables {
		fields := append(slices.DeleteFunc(of.fieldNames(), func(name string) bool { _, known := of.cellOf(name); return !known }), "_id", "_deleted")
		proposal, err := Propose(filepath.Join(only(t, "lijst.csv", strings.Join(fields, ";"), strings.Repeat(";", len(fields)-1)), "lijst.csv"), "")
		must(t, err)
		mapping, err := ParseMapping(proposal.Mapping)
		must(t, err)
		columns := mapping[stem(of.fileName())].Columns
		for _, field := range fields {
			if columns[field] != field {
				t.Errorf("the column %s of a %s has the field %q: %s", field, noun, columns[field], proposal.Mapping)
			}
		}
	}
}

func TestAProposalIsForTheNounThatTheFileSaysOrFills(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"users": "users", "Customers": "customers", "lijst": "users"} {
		proposal, err := Propose(filepath.Join(only(t, file+".csv", "voornaam;naam;e-mail;taal", "An;Maes;an@maes.be;nl"), file+".csv"), "")
		must(t, err)
		if text := string(proposal.Mapping); !strings.HasPrefix(text, `{"`+want+`": {`) {
			t.Errorf("%s.csv is proposed as %s", file, text)
		}
	}
	proposal, err := Propose(filepath.Join(only(t, "lijst.csv", "id;customerCode;Naam", "1;K-1;Maes"), "lijst.csv"), "")
	must(t, err)
	if text := string(proposal.Mapping); !strings.Contains(text, `"id": ""`) || !strings.Contains(text, `"customerCode": "customerCode"`) {
		t.Errorf("a field's own name gives way to a word for it: %s", text)
	}
}

func TestANumberBesideTheStreetIsTheHousesWhereTheCustomersIsAnother(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"Klantnr;Straat;Nr": "addressFields.houseNumber", "Naam;Straat;Nr": "customerCode", "Straat;Nr;Klantnr": "addressFields.houseNumber"} {
		proposal, err := Propose(filepath.Join(only(t, "lijst.csv", header, "1;2;3"), "lijst.csv"), "")
		must(t, err)
		mapping, err := ParseMapping(proposal.Mapping)
		must(t, err)
		if columns := mapping["customers"].Columns; columns["Nr"] != want || columns["Klantnr"] == "" && strings.Contains(header, "Klantnr") {
			t.Errorf("%s is %v", header, columns)
		}
	}
}
