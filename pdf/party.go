package pdf

import (
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

type Party struct {
	Name      string
	Address   backoffice.Address
	KBONumber string // 10 digits, or nothing
}

func PartyOf(c *backoffice.Customer) Party {
	return Party{Name: c.DisplayName, Address: c.Address, KBONumber: string(c.KboNumber)}
}

func (p Party) facts(l *labels) []fact {
	return []fact{{l.Customer, p.Name}, {l.Address, addressLines(p.Address)}}
}

// addressLines writes an address as on an envelope, with its country unless that is Belgium.
func addressLines(a backoffice.Address) string {
	street := joined(" ", string(a.Street), string(a.HouseNumber))
	if a.Box != "" {
		street += " / " + string(a.Box)
	}
	country := string(a.Country)
	switch strings.ToLower(country) {
	case "be", "belgium", "belgië", "belgique", "belgien":
		country = ""
	}
	return joined("\n", street, joined(" ", string(a.PostalCode), string(a.City)), country)
}

// joined leaves out what is empty.
func joined(separator string, parts ...string) string {
	there := slices.DeleteFunc(backoffice.Map(parts, strings.TrimSpace), func(p string) bool { return p == "" })
	return strings.Join(there, separator)
}
