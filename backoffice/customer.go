package backoffice

import "cmp"

// CustomerType tells a company from a private person.
type CustomerType string

const (
	Company       CustomerType = "COMPANY"
	PrivatePerson CustomerType = "PRIVATE_PERSON"
)

func (t CustomerType) Label() string {
	if t == PrivatePerson {
		return "Private Person"
	}
	return "Company"
}

var CustomerTypes = []CustomerType{Company, PrivatePerson}

func ParseCustomerTypeLabel(label string) (CustomerType, error) {
	return labelled(CustomerTypes, label, "a customer's type must be Company or Private Person")
}

// Customer is a company or a private person whose books the office keeps.
type Customer struct {
	ID           string
	Type         CustomerType
	OwnName      Text // the name as it was given; may be missing. Name is the one to show
	FirstName    Text
	LastName     Text
	DisplayName  string   // stored with the row: see DisplayNameOf
	Scopes       []string // support scopes, sorted, each once
	KboNumber    Text     // companies only, 10 digits
	CompanyType  LegalForm
	Address      Address
	CustomerCode Text
	// The two registration numbers never travel in clear; the APIs open them through package privacy.
	Registration       Sealed
	SpouseRegistration Sealed
	ResponsibleID      string // the user who is responsible, or ""
	Language           Text
	Email              Text
	Phone              Text
	CreatedAt          Instant
	UpdatedAt          Instant
	Version            int // grows by one with every change
	// HiddenChanges counts the changes of registration numbers alone. OpenUpdatedAt is the time of the last other
	// change, 0 for UpdatedAt. VisibleTo makes from them the Version and UpdatedAt of callers without privacy.read.
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

// CustomerFields is the input to create or update a customer. In an update absent keeps and null clears; in a creation
// both leave the field empty.
type CustomerFields struct {
	Type                     Optional[CustomerType]
	Name                     Optional[string]
	FirstName                Optional[string]
	LastName                 Optional[string]
	Scopes                   Optional[[]string]
	KboNumber                Optional[string]
	CompanyType              Optional[LegalForm]
	CustomerCode             Optional[string]
	Address                  Optional[AddressFields]
	ResponsibleID            Optional[string]
	Language                 Optional[string]
	Email                    Optional[string]
	Phone                    Optional[string]
	RegistrationNumber       Optional[string] // needs privacy.read
	SpouseRegistrationNumber Optional[string] // needs privacy.read
}

// AddressFields is the input for an address: absent keeps and null clears each part.
type AddressFields struct {
	Street      Optional[string]
	HouseNumber Optional[string]
	Box         Optional[string]
	PostalCode  Optional[string]
	City        Optional[string]
	Country     Optional[string]
}

// CustomerTable does not have the registration numbers, which are sealed.
var CustomerTable = &Table[Customer, CustomerCriteria]{
	nothing: func(c CustomerCriteria) bool { return c.Nothing },
	Noun:    NounCustomer,
	ID:      func(c *Customer) *string { return &c.ID },
	Version: func(c *Customer) *int { return &c.Version },
	Fields: []WritableField[Customer]{
		customerType,
		textField("name", func(c *Customer) *Text { return &c.OwnName }, plainText),
		textField("firstName", func(c *Customer) *Text { return &c.FirstName }, plainText),
		textField("lastName", func(c *Customer) *Text { return &c.LastName }, plainText),
		listField("scopes", "", func(c *Customer) *[]string { return &c.Scopes }, checkScopes),
		textField("kboNumber", func(c *Customer) *Text { return &c.KboNumber }, nil),
		companyType,
		textField("address.street", func(c *Customer) *Text { return &c.Address.Street }, plainText),
		textField("address.houseNumber", func(c *Customer) *Text { return &c.Address.HouseNumber }, plainText),
		textField("address.box", func(c *Customer) *Text { return &c.Address.Box }, plainText),
		textField("address.postalCode", func(c *Customer) *Text { return &c.Address.PostalCode }, plainText),
		textField("address.city", func(c *Customer) *Text { return &c.Address.City }, plainText),
		textField("address.country", func(c *Customer) *Text { return &c.Address.Country }, plainText),
		textField("customerCode", func(c *Customer) *Text { return &c.CustomerCode }, plainText),
		optionalReference("responsibleId", NounUser, func(c *Customer) *string { return &c.ResponsibleID }),
		textField("language", func(c *Customer) *Text { return &c.Language }, ParseLanguage),
		textField("email", func(c *Customer) *Text { return &c.Email }, ParseEmail),
		textField("phone", func(c *Customer) *Text { return &c.Phone }, ParsePhone),
		madeField("createdAt", func(c *Customer) *Instant { return &c.CreatedAt }),
		madeField("updatedAt", func(c *Customer) *Instant { return &c.UpdatedAt }),
	},
	Unique: []string{"customerCode"},
	rule:   func(c *Customer, _ *checker) { c.DisplayName = DisplayNameOf(c) },
}

var customerInput = inputOf[CustomerFields](CustomerTable, "RegistrationNumber", "SpouseRegistrationNumber")

// Name is the own name, else the first and last name of a private person, else null.
func (c *Customer) Name() Text {
	if c.OwnName != "" {
		return c.OwnName
	}
	return c.workedOutName()
}

// workedOutName is the name of a private person without a name of its own.
func (c *Customer) workedOutName() Text {
	switch {
	case c.Type != PrivatePerson:
		return ""
	case c.FirstName != "" && c.LastName != "":
		return c.FirstName + " " + c.LastName
	}
	return c.FirstName + c.LastName
}

// DropShownName drops a name that was sent as it was read, made of the names before, perhaps with a new last name.
func (c *Customer) DropShownName(before *Customer) {
	if c.OwnName == before.workedOutName() && c.workedOutName() != "" {
		c.OwnName = ""
	}
}

// DisplayNameOf is the name to show: the name, else the customer code, else the KBO number, else the identifier.
func DisplayNameOf(c *Customer) string {
	return string(cmp.Or(c.Name(), c.CustomerCode, c.KboNumber, Text(c.ID)))
}

// SearchTextOf is the text that CustomerFilter.Search searches: the folded display name, code and e-mail, a line each,
// so that no match spans two of them. A FUZZY search uses a fourth line, in capitals, which other searches never match.
func SearchTextOf(c *Customer) string {
	name := Fold(c.DisplayName)
	return name + "\n" + Fold(string(c.CustomerCode)) + "\n" + Fold(string(c.Email)) + "\n" + fuzzyWords(name)
}

// CompanyTypeLabel is the legal form in words, null for a customer without one.
func (c *Customer) CompanyTypeLabel(language LabelLanguage) Text {
	return Text(c.CompanyType.Label(language))
}

func (c *Customer) Identity() string { return c.ID }

func (c *Customer) Position(key OrderKey) Position {
	p := Position{Key: key, ID: c.ID}
	switch key {
	case KeyName:
		p.Text = Fold(c.DisplayName)
	case KeyCreatedAt:
		p.Number = float64(c.CreatedAt.Milliseconds())
	case KeyUpdatedAt:
		p.Number = float64(c.UpdatedAt.Milliseconds())
	}
	return p
}
