package backoffice

import (
	"slices"
	"strconv"
	"time"
)

// MaxSupportScopes is how many support scopes a customer may have.
const MaxSupportScopes = 100

// CheckCustomer holds a customer to the rules that need no other record, and brings its values into the form in which
// they are stored: KBO number as ten digits, telephone number in international format, scopes sorted and each once, the
// display name worked out, and no name for a private person that is the one worked out. It returns all that is wrong, with the paths of GraphQL's inputs; nil when nothing is.
// Registration numbers are sealed by then: CheckRegistrationNumber is theirs.
func CheckCustomer(c *Customer) []*UserError {
	var check checker
	switch c.Type {
	case Company:
		checkCompany(&check, c)
	case PrivatePerson:
		if c.KboNumber != "" {
			check.add(CodeNotAllowed, "a private person has no KBO number", "kboNumber")
		}
		if c.CompanyType != "" {
			check.add(CodeNotAllowed, "a private person has no legal form", "companyType")
		}
		if c.OwnName == c.workedOutName() { // what is worked out is not stored: it would stay when the other names change
			c.OwnName = ""
		}
	case "":
		check.add(CodeRequired, "this field is required", "type")
	default:
		check.add(CodeInvalid, "a customer is a company or a private person", "type")
	}
	checkFields(customerFields, c, &check)
	c.DisplayName = DisplayNameOf(c)
	return check.found
}

// checkCompany: which legal forms there are depends on whether the company has a KBO number.
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
		check.add(CodeNotAllowed, "a company of this legal form has a KBO number", "companyType")
	case !c.CompanyType.NeedsKBO() && c.KboNumber != "":
		check.add(CodeNotAllowed, "a company of this legal form has no KBO number", "companyType")
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

// Input is the field's name in GraphQL's inputs, as user errors and the change log have it.
func (f PrivacyField) Input() string {
	if f == SpouseRegistrationNumber {
		return "spouseRegistrationNumber"
	}
	return "registrationNumber"
}

// CheckRegistrationNumber reads a registration number that was sent for a field of a customer and returns its eleven
// digits, ready to be sealed; or what is wrong with it.
func CheckRegistrationNumber(field PrivacyField, number string, now time.Time) (digits string, wrong *UserError) {
	digits, err := ParseNationalNumber(number, now)
	if err != nil {
		return "", &UserError{Code: CodeInvalid, Message: err.Error(), Field: []string{field.Input()}}
	}
	return digits, nil
}
