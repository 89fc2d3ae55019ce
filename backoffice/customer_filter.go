package backoffice

import "time"

// CustomerFilter picks customers that meet all fields that are set. A nil field is no filter.
type CustomerFilter struct {
	Any                      []*CustomerFilter // nil: no filter; empty: matches nothing
	Not                      *CustomerFilter   // one that matches everybody leaves nobody
	Ids                      []string          // nil: no filter; empty: matches nothing
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
	SearchMode               SearchMode
	City                     *string // this and the two below: the whole text, without regard to case and accents
	PostalCode               *string
	Country                  *string
	HasEmail                 *bool
	HasPhone                 *bool
	HasResponsible           *bool
	HasKboNumber             *bool
	CreatedFrom              *Instant // From is inclusive, To is exclusive
	CreatedTo                *Instant
	UpdatedFrom              *Instant
	UpdatedTo                *Instant
	Transcripts              *TranscriptsCondition
	Relations                *RelationsCondition
	LabelID                  *string // of the responsible user
	HasDocument              *bool
	OwnershipDiffers         *bool // a discrepancy is open
	// MissingChecklistOf is a financial year. It has a checklist that the customer lacks and at least half of the
	// customers of the same type and language have.
	MissingChecklistOf *string
}

// CustomerCriteria is a CustomerFilter prepared for the store: checked, folded, comparable.
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
	// Blind indexes of the registration numbers, as bytes; during a key rotation two of IndexSize: either may match.
	RegistrationIndex       string
	SpouseRegistrationIndex string
	Any                     Nested[CustomerCriteria] // at least one of these
	Not                     Nested[CustomerCriteria] // one, which must not match
	Fuzzy                   string                   // words, as SearchTextOf writes them; then Search is empty
	City                    string                   // this and the two below folded
	PostalCode              string
	Country                 string
	HasEmail                Tristate
	HasPhone                Tristate
	HasResponsible          Tristate
	HasKboNumber            Tristate
	Created                 Span
	Updated                 Span
	SomeTranscript          Nested[TranscriptCriteria] // one, which at least one transcript meets
	NoTranscript            Nested[TranscriptCriteria] // one, which no transcript meets
	Relations               RelationsCriteria
	LabelID                 string
	HasDocument             Tristate
	OwnershipDiffers        Tristate
	MissingChecklistOf      string
}

// Criteria checks the filter. index turns a registration number (11 digits) into its blind index; it is called only
// when the filter has one. Errors: BadInput for a search of under 3 or over 200 characters, an invalid number, filters
// nested too deep, and for what any and not may not have: a FUZZY search, and a registration number, because each
// search for one is an entry of the register.
func (f *CustomerFilter) Criteria(index func(PrivacyField, string) (string, error)) (CustomerCriteria, error) {
	return f.criteria(index, 0)
}

// criteria is Criteria for a filter nested level deep.
func (f *CustomerFilter) criteria(
	index func(PrivacyField, string) (string, error), level int,
) (CustomerCriteria, error) {
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
	exact(&c.LabelID, f.LabelID, &c.Nothing)
	exact(&c.CustomerCode, f.CustomerCode, &c.Nothing)
	exact(&c.Scope, f.Scope, &c.Nothing)
	exact(&c.WithoutChecklistID, f.WithoutChecklistID, &c.Nothing)
	exact(&c.MissingChecklistOf, f.MissingChecklistOf, &c.Nothing)
	exact(&c.EmailFolded, f.Email, &c.Nothing)
	c.EmailFolded = FoldEmail(c.EmailFolded)
	folded(&c.City, f.City, &c.Nothing)
	folded(&c.PostalCode, f.PostalCode, &c.Nothing)
	folded(&c.Country, f.Country, &c.Nothing)
	c.HasEmail, c.HasPhone = tristate(f.HasEmail), tristate(f.HasPhone)
	c.HasResponsible, c.HasKboNumber = tristate(f.HasResponsible), tristate(f.HasKboNumber)
	c.HasDocument, c.OwnershipDiffers = tristate(f.HasDocument), tristate(f.OwnershipDiffers)
	c.Created, c.Updated = spanOf(f.CreatedFrom, f.CreatedTo), spanOf(f.UpdatedFrom, f.UpdatedTo)
	if level > 0 && (f.RegistrationNumber != nil || f.SpouseRegistrationNumber != nil) {
		return c, Errorf(BadInput,
			"filters by registration number are not allowed within any or not")
	}
	if level > 0 && f.Search != nil && f.SearchMode == SearchFuzzy {
		return c, Errorf(BadInput, "a FUZZY search is not allowed within any or not")
	}
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
		name       string
		sent, into *string
		parse      func(string) (string, error)
	}{
		{"kboNumber", f.KboNumber, &c.KboNumber, ParseKBONumber},
		{"search", f.Search, &c.Search, foldSearch},
		{RegistrationNumber.Input(), f.RegistrationNumber, &c.RegistrationIndex, blind(RegistrationNumber)},
		{SpouseRegistrationNumber.Input(), f.SpouseRegistrationNumber, &c.SpouseRegistrationIndex,
			blind(SpouseRegistrationNumber)},
	} {
		if text.sent == nil {
			continue
		}
		parsed, err := text.parse(*text.sent)
		if err != nil {
			return c, InField(err, text.name)
		}
		*text.into = parsed
	}
	if f.Search != nil && f.SearchMode == SearchFuzzy {
		c.Search, c.Fuzzy = "", fuzzyWords(c.Search)
		c.Nothing = c.Nothing || c.Fuzzy == "" // no name is similar to no words
	}
	var err error
	if err = f.Transcripts.criteria(&c); err != nil {
		return c, err
	}
	if c.Relations, err = f.Relations.criteria(); err != nil {
		return c, err
	}
	nested := func(f *CustomerFilter, level int) (CustomerCriteria, error) { return f.criteria(index, level) }
	err = anyAndNot(f.Any, f.Not, level, nested,
		func(c CustomerCriteria) bool { return c.Nothing }, &c.Any, &c.Not, &c.Nothing)
	return c, err
}
