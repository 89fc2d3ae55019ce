package backoffice

import (
	"slices"
	"strconv"
)

// MaxSupportScopes is how many support scopes a customer may have.
const MaxSupportScopes = 100

// customerType checks a customer's names and numbers by its type. It stores the KBO number as ten digits, and drops the
// own name of a private person that equals the one made of first and last name.
var customerType = func() WritableField[Customer] {
	f := wordField("type", func(c *Customer) *CustomerType { return &c.Type }, CustomerTypes, ParseCustomerTypeLabel,
		"a customer must be a company or a private person")
	known := f.check
	f.check = func(c *Customer, check *checker) {
		switch c.Type {
		case Company:
			checkCompany(check, c)
		case PrivatePerson:
			if c.KboNumber != "" {
				check.add(CodeNotAllowed, "a private person cannot have a KBO number", "kboNumber")
			}
			if c.CompanyType != "" {
				check.add(CodeNotAllowed, "a private person cannot have a legal form", "companyType")
			}
			if c.OwnName == c.workedOutName() { // not stored: it would stay when the other names change
				c.OwnName = ""
			}
		default:
			known(c, check)
		}
	}
	return f
}()

var companyType = func() WritableField[Customer] {
	f := wordField("companyType", func(c *Customer) *LegalForm { return &c.CompanyType }, LegalForms(), nil, "")
	f.Optional = true
	return f
}()

// checkCompany checks the KBO number and the legal form, which depends on having a KBO number.
func checkCompany(check *checker, c *Customer) {
	canonical(check, &c.KboNumber, ParseKBONumber, "kboNumber")
	if c.CompanyType == "" {
		return
	}
	if _, err := ParseLegalForm(string(c.CompanyType)); err != nil {
		check.add(CodeInvalid, err.Error(), "companyType")
		return
	}
	switch {
	case c.CompanyType.NeedsKBO() && c.KboNumber == "":
		check.add(CodeNotAllowed, "a company of this legal form must have a KBO number", "companyType")
	case !c.CompanyType.NeedsKBO() && c.KboNumber != "":
		check.add(CodeNotAllowed, "a company of this legal form cannot have a KBO number", "companyType")
	}
}

func checkScopes(c *Customer, check *checker) {
	for i, scope := range c.Scopes {
		if _, err := ParseSupportScope(scope); err != nil {
			check.add(CodeInvalid, err.Error(), "scopes", strconv.Itoa(i))
		}
	}
	c.Scopes = slices.Clone(c.Scopes)
	slices.Sort(c.Scopes)
	c.Scopes = slices.Compact(c.Scopes)
	if len(c.Scopes) > MaxSupportScopes {
		check.add(CodeInvalid, "a customer has at most "+strconv.Itoa(MaxSupportScopes)+" support scopes", "scopes")
	}
}

// Input is the field's name in GraphQL's inputs, in user errors and in the change log.
func (f PrivacyField) Input() string {
	if f == SpouseRegistrationNumber {
		return "spouseRegistrationNumber"
	}
	return "registrationNumber"
}
