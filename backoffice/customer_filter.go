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
	c.Type, c.CompanyType, c.UpdatedSince = wanted(f.Type), wanted(f.CompanyType), wanted(f.UpdatedSince)
	exact(&c.Language, f.Language, &c.Nothing)
	exact(&c.ResponsibleID, f.ResponsibleID, &c.Nothing)
	exact(&c.CustomerCode, f.CustomerCode, &c.Nothing)
	exact(&c.Scope, f.Scope, &c.Nothing)
	exact(&c.WithoutChecklistID, f.WithoutChecklistID, &c.Nothing)
	exact(&c.EmailFolded, f.Email, &c.Nothing)
	c.EmailFolded = FoldEmail(c.EmailFolded)
	blind := func(field PrivacyField) func(string) (string, error) {
		return func(number string) (string, error) {
			digits, err := ParseNationalNumber(number, time.Now())
			if err != nil {
				return "", err
			}
			return index(field, digits)
		}
	}
	for _, text := range []struct {
		sent, into *string
		parse      func(string) (string, error)
	}{
		{f.KboNumber, &c.KboNumber, ParseKBONumber},
		{f.Search, &c.Search, foldSearch},
		{f.RegistrationNumber, &c.RegistrationIndex, blind(RegistrationNumber)},
		{f.SpouseRegistrationNumber, &c.SpouseRegistrationIndex, blind(SpouseRegistrationNumber)},
	} {
		if text.sent == nil {
			continue
		}
		parsed, err := text.parse(*text.sent)
		if err != nil {
			return c, err
		}
		*text.into = parsed
	}
	return c, nil
}
