package backoffice

import "time"

// CustomerFilter is what a caller wants of a list of customers; all that is set must hold. A nil field is no filter.
type CustomerFilter struct {
	Ids                      []string // nil: no filter; empty: matches nothing
	Type                     *CustomerType
	Language                 *string
	ResponsibleID            *string
	Email                    *string // without regard to case
	CustomerCode             *string
	KboNumber                *string // in any accepted notation
	CompanyType              *LegalForm
	Scope                    *string
	Search                   *string // 3 to 200 characters
	UpdatedSince             *Instant
	WithoutChecklistID       *string
	RegistrationNumber       *string // needs privacy.read
	SpouseRegistrationNumber *string // needs privacy.read
}

// CustomerCriteria is a CustomerFilter made ready for the store: checked, folded, comparable. A zero field is no
// criterion.
type CustomerCriteria struct {
	Nothing            bool // no customer can match
	IDs                *IDs // one of these
	Type               CustomerType
	Language           string
	ResponsibleID      string
	EmailFolded        string
	CustomerCode       string
	KboNumber          string
	CompanyType        LegalForm
	Scope              string
	Search             string // folded
	UpdatedSince       Instant
	WithoutChecklistID string
	// Blind indexes of the registration numbers, as bytes.
	RegistrationIndex       string
	SpouseRegistrationIndex string
}

// Criteria checks the filter. index turns a registration number (11 digits) into its blind index; it is called only
// when the filter has one.
// Errors: BadInput for a search of under 3 or over 200 characters or a number that is none.
func (f *CustomerFilter) Criteria(index func(PrivacyField, string) (string, error)) (CustomerCriteria, error) {
	var c CustomerCriteria
	if f == nil {
		return c, nil
	}
	if f.Ids != nil {
		if c.IDs = NewIDs(f.Ids); c.IDs.Len() == 0 {
			c.Nothing = true
		}
	}
	if f.Type != nil {
		c.Type = *f.Type
	}
	if f.CompanyType != nil {
		c.CompanyType = *f.CompanyType
	}
	if f.UpdatedSince != nil {
		c.UpdatedSince = *f.UpdatedSince
	}
	exact(&c.Language, f.Language, &c.Nothing)
	exact(&c.ResponsibleID, f.ResponsibleID, &c.Nothing)
	exact(&c.CustomerCode, f.CustomerCode, &c.Nothing)
	exact(&c.Scope, f.Scope, &c.Nothing)
	exact(&c.WithoutChecklistID, f.WithoutChecklistID, &c.Nothing)
	exact(&c.EmailFolded, f.Email, &c.Nothing)
	c.EmailFolded = FoldEmail(c.EmailFolded)
	if f.KboNumber != nil {
		number, err := ParseKBONumber(*f.KboNumber)
		if err != nil {
			return c, err
		}
		c.KboNumber = number
	}
	if f.Search != nil {
		search, err := foldSearch(*f.Search)
		if err != nil {
			return c, err
		}
		c.Search = search
	}
	for _, number := range []struct {
		field PrivacyField
		text  *string
		into  *string
	}{
		{RegistrationNumber, f.RegistrationNumber, &c.RegistrationIndex},
		{SpouseRegistrationNumber, f.SpouseRegistrationNumber, &c.SpouseRegistrationIndex},
	} {
		if number.text == nil {
			continue
		}
		digits, err := ParseNationalNumber(*number.text, time.Now())
		if err != nil {
			return c, err
		}
		blind, err := index(number.field, digits)
		if err != nil {
			return c, err
		}
		*number.into = blind
	}
	return c, nil
}
