package backoffice

import "time"

// CustomerType tells a company from a private person.
type CustomerType string

const (
	Company       CustomerType = "COMPANY"
	PrivatePerson CustomerType = "PRIVATE_PERSON"
)

// Label is the specification's word: "Company" or "Private Person".
func (t CustomerType) Label() string {
	if t == PrivatePerson {
		return "Private Person"
	}
	return "Company"
}

// ParseCustomerTypeLabel reads the specification's word.
func ParseCustomerTypeLabel(label string) (CustomerType, error) {
	for _, t := range []CustomerType{Company, PrivatePerson} {
		if t.Label() == label {
			return t, nil
		}
	}
	return "", Errorf(BadInput, "a customer's type is Company or Private Person")
}

// Customer is a company or a private person whose books the office keeps.
type Customer struct {
	ID           string
	Type         CustomerType
	OwnName      Text // the name as it was given; may be missing. Name is the one to show
	FirstName    Text
	LastName     Text
	DisplayName  string   // kept with the row: see DisplayNameOf
	Scopes       []string // support scopes, sorted, each once
	KboNumber    Text     // companies only, 10 digits
	CompanyType  LegalForm
	Address      Address
	CustomerCode Text
	// The two registration numbers never travel in clear; the faces open them through package privacy.
	Registration       Sealed
	SpouseRegistration Sealed
	ResponsibleID      string // the user who is responsible, or ""
	Language           Text
	Email              Text
	Phone              Text
	CreatedAt          Instant
	UpdatedAt          Instant
	Version            int // grows by one with every change

	// HiddenChanges counts the changes of registration numbers alone, and OpenUpdatedAt is when it was changed but for
	// those, 0 for UpdatedAt: they are what a pair without privacy.read sees of Version and UpdatedAt. See SeenBy.
	HiddenChanges int
	OpenUpdatedAt Instant
}

// Address is where a customer is reached; every part may be missing.
type Address struct {
	Street      Text
	HouseNumber Text
	Box         Text
	PostalCode  Text
	City        Text
	Country     Text
}

// IsNode marks Customer as a Node of the GraphQL schema.
func (*Customer) IsNode() {}

// Name is the name as given, else first and last name of a private person, else null.
func (c *Customer) Name() Text {
	if c.OwnName != "" {
		return c.OwnName
	}
	return c.workedOutName()
}

// workedOutName is the name that a private person shows without one of its own.
func (c *Customer) workedOutName() Text {
	switch {
	case c.Type != PrivatePerson:
		return ""
	case c.FirstName != "" && c.LastName != "":
		return c.FirstName + " " + c.LastName
	}
	return c.FirstName + c.LastName
}

// DisplayNameOf is the name to show: the name, else the customer code, else the KBO number, else the identifier.
func DisplayNameOf(c *Customer) string {
	for _, name := range []Text{c.Name(), c.CustomerCode, c.KboNumber} {
		if name != "" {
			return string(name)
		}
	}
	return c.ID
}

// SearchTextOf is what CustomerFilter.Search looks in: the folded display name, code and e-mail, a line each, so that
// no search reaches across two of them.
func SearchTextOf(c *Customer) string {
	return Fold(c.DisplayName) + "\n" + Fold(string(c.CustomerCode)) + "\n" + Fold(string(c.Email))
}

// CompanyTypeLabel is the legal form in words, null for a customer without one.
func (c *Customer) CompanyTypeLabel(language LabelLanguage) Text {
	if c.CompanyType == "" {
		return ""
	}
	return Text(c.CompanyType.Label(language))
}

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

// CustomerOrderField names what a list of customers can be ordered by; identifiers break ties.
type CustomerOrderField string

const (
	CustomerByID        CustomerOrderField = "ID"
	CustomerByName      CustomerOrderField = "NAME" // display name, case and accents ignored
	CustomerByCreatedAt CustomerOrderField = "CREATED_AT"
	CustomerByUpdatedAt CustomerOrderField = "UPDATED_AT"
)

// CustomerOrder is the order of a list of customers.
type CustomerOrder struct {
	Field     CustomerOrderField
	Direction OrderDirection
}

// Order gives the order to the store; nil is by identifier.
func (o *CustomerOrder) Order() Order {
	if o == nil {
		return ByID
	}
	by := map[CustomerOrderField]OrderKey{CustomerByName: KeyName, CustomerByCreatedAt: KeyCreatedAt, CustomerByUpdatedAt: KeyUpdatedAt}[o.Field]
	return Order{Key: by, Descending: o.Direction == Descending}
}

// Identity makes Customer an Entity.
func (c *Customer) Identity() string { return c.ID }

// Position tells where the customer stands in a list of that order.
func (c *Customer) Position(key OrderKey) Position {
	p := Position{Key: key, ID: c.ID}
	switch key {
	case KeyName:
		p.Text = Fold(c.DisplayName)
	case KeyCreatedAt:
		p.Number = float64(c.CreatedAt)
	case KeyUpdatedAt:
		p.Number = float64(c.UpdatedAt)
	}
	return p
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
