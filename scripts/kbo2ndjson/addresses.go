package main

import (
	"path/filepath"
	"strconv"

	"example.org/backoffice/backoffice"
)

// address holds the fields of addressFields; null is what the register does not know.
type address struct {
	Street      *string `json:"street"`
	HouseNumber *string `json:"houseNumber"`
	Box         *string `json:"box"`
	PostalCode  *string `json:"postalCode"`
	City        *string `json:"city"`
	Country     *string `json:"country"`
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
var belgium = map[string]string{"dutch": "België", "french": "Belgique"}

// readAddresses keeps each enterprise's registered office; those of branches are not a customer's address.
func readAddresses(folder string, counts *tally) (map[string]registered, error) {
	addresses := map[string]registered{}
	err := eachRow(filepath.Join(folder, "address.csv"), counts, func(row row) error {
		if row.get("TypeOfAddress") != "REGO" {
			counts.add("address.csv: left out, not a registered office")
			return nil
		}
		number, err := backoffice.ParseKBONumber(row.get("EntityNumber"))
		switch {
		case err != nil:
			counts.add("address.csv: left out, the number fails its check")
			return nil
		case row.get("DateStrikingOff") != "":
			counts.add("address.csv: left out, struck off")
			return nil
		case addresses[number] != nil:
			counts.add("address.csv: left out, the enterprise has one before")
			return nil
		}
		addresses[number] = registered{"dutch": addressOf(row, "NL", "FR", "dutch"), "french": addressOf(row, "FR", "NL", "french")}
		return nil
	})
	return addresses, err
}

func addressOf(row row, suffix, other, language string) *address {
	either := func(column string) *string {
		if found := textOf(row.get(column + suffix)); found != nil {
			return found
		}
		return textOf(row.get(column + other))
	}
	country := either("Country")
	if country == nil {
		home := belgium[language]
		country = &home
	}
	return &address{
		Street: either("Street"), HouseNumber: textOf(row.get("HouseNumber")), Box: textOf(row.get("Box")),
		PostalCode: textOf(row.get("Zipcode")), City: either("Municipality"), Country: country,
	}
}

// textOf is a field's text, nil when it is none by our rules.
func textOf(text string) *string {
	if backoffice.CheckText(text, backoffice.MaxText) != nil {
		return nil
	}
	return &text
}

// languageOf is the language of the name, else that of the place by its postal code; Brussels has two, so it tells
// nothing, and neither does a place abroad.
func languageOf(named name, where registered) string {
	if named.language != "" || where == nil || *where["dutch"].Country != belgium["dutch"] || where["dutch"].PostalCode == nil {
		return named.language
	}
	code, err := strconv.Atoi(*where["dutch"].PostalCode)
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
