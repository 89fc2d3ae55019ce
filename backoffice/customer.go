package backoffice

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

	// HiddenChanges counts the changes of registration numbers alone, and OpenUpdatedAt is when it was changed but for
	// those, 0 for UpdatedAt: they are what a pair without privacy.read sees of Version and UpdatedAt. See VisibleTo.
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

// CustomerFields is what a caller sends to make or to change a customer. When one is made, absent and null are the same;
// when one is changed, absent keeps and null clears.
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

// AddressFields is an address as sent: absent keeps and null clears each part.
type AddressFields struct {
	Street      Optional[string]
	HouseNumber Optional[string]
	Box         Optional[string]
	PostalCode  Optional[string]
	City        Optional[string]
	Country     Optional[string]
}

type customerField = WritableField[Customer, CustomerFields]

// customerFields are the fields of a customer that can be written, but for the registration numbers, which are sealed.
var customerFields = []customerField{
	wordField("type", func(c *Customer) *CustomerType { return &c.Type }, func(in *CustomerFields) Optional[CustomerType] { return in.Type }),
	textField("name", func(c *Customer) *Text { return &c.OwnName }, func(in *CustomerFields) Optional[string] { return in.Name }, plainText),
	textField("firstName", func(c *Customer) *Text { return &c.FirstName }, func(in *CustomerFields) Optional[string] { return in.FirstName }, plainText),
	textField("lastName", func(c *Customer) *Text { return &c.LastName }, func(in *CustomerFields) Optional[string] { return in.LastName }, plainText),
	textField("kboNumber", func(c *Customer) *Text { return &c.KboNumber }, func(in *CustomerFields) Optional[string] { return in.KboNumber }, nil),
	wordField("companyType", func(c *Customer) *LegalForm { return &c.CompanyType }, func(in *CustomerFields) Optional[LegalForm] { return in.CompanyType }),
	textField("customerCode", func(c *Customer) *Text { return &c.CustomerCode }, func(in *CustomerFields) Optional[string] { return in.CustomerCode }, plainText),
	addressField("street", func(c *Customer) *Text { return &c.Address.Street }, func(in *AddressFields) Optional[string] { return in.Street }),
	addressField("houseNumber", func(c *Customer) *Text { return &c.Address.HouseNumber }, func(in *AddressFields) Optional[string] { return in.HouseNumber }),
	addressField("box", func(c *Customer) *Text { return &c.Address.Box }, func(in *AddressFields) Optional[string] { return in.Box }),
	addressField("postalCode", func(c *Customer) *Text { return &c.Address.PostalCode }, func(in *AddressFields) Optional[string] { return in.PostalCode }),
	addressField("city", func(c *Customer) *Text { return &c.Address.City }, func(in *AddressFields) Optional[string] { return in.City }),
	addressField("country", func(c *Customer) *Text { return &c.Address.Country }, func(in *AddressFields) Optional[string] { return in.Country }),
	listField("scopes", func(c *Customer) *[]string { return &c.Scopes }, func(in *CustomerFields) Optional[[]string] { return in.Scopes }, checkScopes),
	referenceField("responsibleId", func(c *Customer) *string { return &c.ResponsibleID }, func(in *CustomerFields) Optional[string] { return in.ResponsibleID }),
	textField("language", func(c *Customer) *Text { return &c.Language }, func(in *CustomerFields) Optional[string] { return in.Language }, ParseLanguage),
	textField("email", func(c *Customer) *Text { return &c.Email }, func(in *CustomerFields) Optional[string] { return in.Email }, ParseEmail),
	textField("phone", func(c *Customer) *Text { return &c.Phone }, func(in *CustomerFields) Optional[string] { return in.Phone }, ParsePhone),
}

// CustomerFieldTable is the table of a customer's fields.
func CustomerFieldTable() []WritableField[Customer, CustomerFields] { return customerFields }

// addressField is a part of the address; null for the address clears each.
func addressField(part string, at func(*Customer) *Text, sent func(*AddressFields) Optional[string]) customerField {
	return textField("address."+part, at, func(in *CustomerFields) Optional[string] {
		if in.Address.IsNull() {
			return Null[string]()
		}
		address, _ := in.Address.Get()
		return sent(&address)
	}, plainText)
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
