package main

import (
	"cmp"
	"path/filepath"
	"strconv"

	"example.org/backoffice/backoffice"
)

// address holds the fields of addressFields; null (the empty text) is what the register does not know.
type address struct {
	Street      backoffice.Text `json:"street"`
	HouseNumber backoffice.Text `json:"houseNumber"`
	Box         backoffice.Text `json:"box"`
	PostalCode  backoffice.Text `json:"postalCode"`
	City        backoffice.Text `json:"city"`
	Country     backoffice.Text `json:"country"`
}

// registered is a registered office in its languages.
type registered map[string]*address

// in returns the address in a language, else in Dutch; the register writes those of one language in both.
func (r registered) in(language string) *address {
	if found := r[language]; found != nil {
		return found
	}
	return r["dutch"]
}

// belgium is the country of an address that names none.
var belgium = map[string]backoffice.Text{"dutch": "België", "french": "Belgique"}

// readAddresses keeps each enterprise's registered office; those of branches are not a customer's address.
func readAddresses(folder string, counts *tally) (map[string]registered, error) {
	addresses := map[string]registered{}
	err := eachRow(filepath.Join(folder, "address.csv"), counts, func(row row) error {
		if row.get("TypeOfAddress") != "REGO" {
			return counts.leaveOut("not a registered office")
		}
		number, err := backoffice.ParseKBONumber(row.get("EntityNumber"))
		switch {
		case err != nil:
			return counts.leaveOut("the number fails its check")
		case row.get("DateStrikingOff") != "":
			return counts.leaveOut("struck off")
		case addresses[number] != nil:
			return counts.leaveOut("the enterprise has one before")
		}
		addresses[number] = registered{"dutch": addressOf(row, "NL", "FR", "dutch"), "french": addressOf(row, "FR", "NL", "french")}
		return nil
	})
	return addresses, err
}

func addressOf(row row, suffix, other, language string) *address {
	either := func(column string) backoffice.Text {
		return cmp.Or(textOf(row.get(column+suffix)), textOf(row.get(column+other)))
	}
	return &address{
		Street: either("Street"), HouseNumber: textOf(row.get("HouseNumber")), Box: textOf(row.get("Box")),
		PostalCode: textOf(row.get("Zipcode")), City: either("Municipality"), Country: cmp.Or(either("Country"), belgium[language]),
	}
}

// textOf is a field's text, empty when it is none by our rules.
func textOf(text string) backoffice.Text {
	if backoffice.CheckText(text, backoffice.MaxText) != nil {
		return ""
	}
	return backoffice.Text(text)
}

// languageOf is the language of the name, else that of the place by its postal code; Brussels has two, so it tells
// nothing, and neither does a place abroad.
func languageOf(named name, where registered) string {
	if named.language != "" || where == nil || where["dutch"].Country != belgium["dutch"] {
		return named.language
	}
	code, err := strconv.Atoi(string(where["dutch"].PostalCode))
	switch {
	case err != nil:
		return ""
	case code >= 4700 && code <= 4799:
		return "german"
	case code >= 1300 && code <= 1499, code >= 4000 && code <= 7999:
		return "french"
	case code >= 1500 && code <= 3999, code >= 8000 && code <= 9999:
		return "dutch"
	}
	return ""
}
