package rest

import (
	"context"
	"net/http"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
	"example.org/backoffice/rest/mapping"
)

// Customer is a customer as shown; it has registration numbers only for a credential with privacy.read.
type Customer struct {
	ID           string        `json:"_id" doc:"The identifier."`
	Type         CustomerType  `json:"type" doc:"Company or private person."`
	Name         *string       `json:"name" doc:"A company's name, or a private person's name or first and last name."`
	DisplayName  string        `json:"displayName" doc:"The name to show: the name, else the code, else the KBO number, else the identifier."`
	FirstName    *string       `json:"firstName" doc:"The first name."`
	LastName     *string       `json:"lastName" doc:"The last name."`
	Scopes       []string      `json:"scopes" nullable:"false" doc:"The support scopes, such as checklist, annual-accounts or vat-os."`
	KboNumber    *string       `json:"kboNumber" doc:"The KBO number, 10 digits; companies only."`
	CompanyType  *LegalForm    `json:"companyType" nullable:"true" doc:"The legal form; companies only."`
	Address      AddressFields `json:"addressFields" doc:"The address."`
	CustomerCode *string       `json:"customerCode" doc:"The firm's code for the customer, unique."`
	RegistrationNumbers
	ResponsibleID *string `json:"responsible" doc:"The identifier of the responsible user."`
	Language      *string `json:"language" doc:"The preferred language, a name such as dutch."`
	Email         *string `json:"email" doc:"The e-mail address."`
	Phone         *string `json:"phone" doc:"The phone number, in international notation."`
	CreatedAt     Instant `json:"createdAt" doc:"When the customer was created."`
	UpdatedAt     Instant `json:"updatedAt" doc:"When the customer was last changed. A change to only the registration numbers counts only for callers with privacy.read."`
	Version       int     `json:"version" doc:"Increases with every change; also the ETag. Callers with and without privacy.read have separate versions: a change to only the registration numbers increases only the former."`
}

type AddressFields struct {
	Street      *string `json:"street" doc:"The street."`
	HouseNumber *string `json:"houseNumber" doc:"The house number."`
	Box         *string `json:"box" doc:"The box."`
	PostalCode  *string `json:"postalCode" doc:"The postal code."`
	City        *string `json:"city" doc:"The city."`
	Country     *string `json:"country" doc:"The country."`
}

// RegistrationNumbers are absent for a credential without privacy.read, and null when the customer has none.
type RegistrationNumbers struct {
	RegistrationNumber       Optional[string] `json:"registrationNumber,omitzero" doc:"The national registration number, 11 digits. Only with the scope privacy.read. Each disclosure is recorded in the register of consultations."`
	SpouseRegistrationNumber Optional[string] `json:"spouseRegistrationNumber,omitzero" doc:"The partner's national registration number, 11 digits. Only with the scope privacy.read. Each disclosure is recorded in the register of consultations."`
}

// CustomerChange is a change of a customer: absent fields stay, null clears.
type CustomerChange struct {
	Type Optional[CustomerType] `json:"type,omitempty" doc:"Company or private person. A private person has no kboNumber or companyType."`
	CustomerDetails
}

// NewCustomer is a customer to create; absent and null are the same.
type NewCustomer struct {
	Type CustomerType `json:"type" doc:"Company or private person. A private person has no kboNumber or companyType."`
	CustomerDetails
}

type CustomerDetails struct {
	Name                     Optional[string]        `json:"name,omitempty" doc:"The name, at most 200 characters."`
	FirstName                Optional[string]        `json:"firstName,omitempty" doc:"The first name, at most 200 characters."`
	LastName                 Optional[string]        `json:"lastName,omitempty" doc:"The last name, at most 200 characters."`
	Scopes                   Optional[[]string]      `json:"scopes,omitempty" doc:"The support scopes." example:"[\"checklist\"]"`
	KboNumber                Optional[string]        `json:"kboNumber,omitempty" doc:"The KBO number, in any accepted notation; its check digits are verified." example:"0200.065.765"`
	CompanyType              Optional[LegalForm]     `json:"companyType,omitempty" doc:"The legal form. Which forms are valid depends on whether there is a kboNumber."`
	CustomerCode             Optional[string]        `json:"customerCode,omitempty" doc:"The firm's code for the customer, unique."`
	Address                  Optional[AddressChange] `json:"addressFields,omitempty" doc:"The address. An absent part keeps its value, and null clears it; a null address clears all parts."`
	RegistrationNumber       Optional[string]        `json:"registrationNumber,omitempty" doc:"The national registration number; its check digits are verified. Needs the scope privacy.read."`
	SpouseRegistrationNumber Optional[string]        `json:"spouseRegistrationNumber,omitempty" doc:"The partner's national registration number. Needs the scope privacy.read."`
	ResponsibleID            Optional[string]        `json:"responsible,omitempty" doc:"The identifier of the responsible user."`
	Language                 Optional[string]        `json:"language,omitempty" doc:"The preferred language: its English name in lower case." example:"dutch"`
	Email                    Optional[string]        `json:"email,omitempty" doc:"The e-mail address, at most 254 characters."`
	Phone                    Optional[string]        `json:"phone,omitempty" doc:"The phone number." example:"+32 9 251 11 11"`
}

type AddressChange struct {
	Street      Optional[string] `json:"street,omitempty" doc:"The street."`
	HouseNumber Optional[string] `json:"houseNumber,omitempty" doc:"The house number."`
	Box         Optional[string] `json:"box,omitempty" doc:"The box."`
	PostalCode  Optional[string] `json:"postalCode,omitempty" doc:"The postal code."`
	City        Optional[string] `json:"city,omitempty" doc:"The city."`
	Country     Optional[string] `json:"country,omitempty" doc:"The country."`
}

var (
	shownCustomer = mapping.New[backoffice.Customer, Customer](
		mapping.Except("Name", "OwnName"), // computed
		mapping.Except("RegistrationNumbers", "Registration", "SpouseRegistration"),
		mapping.Except("HiddenChanges", "OpenUpdatedAt"),
		mapping.Convert(func(t backoffice.CustomerType) CustomerType { return CustomerType(t.Label()) }),
		mapping.Convert(allOf))
	newCustomer    = mapping.New[NewCustomer, backoffice.CustomerFields](mapping.Convert(customerType))
	customerChange = mapping.New[CustomerChange, backoffice.CustomerFields](mapping.Convert(customerType))
)

func showCustomer(shown *Customer, c *backoffice.Customer) {
	shownCustomer.Into(shown, c)
	shown.Name = orNull(string(c.Name()))
}

var customerType = parsed[CustomerType](backoffice.ParseCustomerTypeLabel)

func showCustomers(ctx context.Context, customers []*backoffice.Customer) ([]Customer, error) {
	shown := make([]Customer, len(customers))
	for i, c := range customers {
		showCustomer(&shown[i], c)
	}
	if !auth.From(ctx).Has(backoffice.PrivacyRead) {
		return shown, nil
	}
	numbers, err := reveal(ctx, customers)
	if err != nil {
		return nil, err
	}
	for i := range shown {
		shown[i].RegistrationNumbers = numbers[i]
	}
	return shown, nil
}

func showOne(ctx context.Context, c *backoffice.Customer) (Customer, error) {
	shown, err := showCustomers(ctx, []*backoffice.Customer{c})
	if err != nil {
		return Customer{}, err
	}
	return shown[0], nil
}

// reveal opens the customers' registration numbers, and records each disclosure in the register.
func reveal(ctx context.Context, customers []*backoffice.Customer) ([]RegistrationNumbers, error) {
	numbers := make([]RegistrationNumbers, len(customers))
	if requestOf(ctx).Method() == http.MethodHead { // none is shown
		return numbers, nil
	}
	asks := make([]privacy.SealedNumber, 0, 2*len(customers))
	for _, c := range customers {
		asks = append(asks,
			privacy.SealedNumber{CustomerID: c.ID, Field: backoffice.RegistrationNumber, Number: c.Registration},
			privacy.SealedNumber{
				CustomerID: c.ID, Field: backoffice.SpouseRegistrationNumber, Number: c.SpouseRegistration})
	}
	opened, err := privacy.Reveal(ctx, asks)
	if err != nil {
		return nil, err
	}
	for i := range numbers {
		numbers[i].RegistrationNumber.Optional = backoffice.NullOr(opened[2*i])
		numbers[i].SpouseRegistrationNumber.Optional = backoffice.NullOr(opened[2*i+1])
	}
	return numbers, nil
}

func showVersion(ctx context.Context, c *backoffice.Customer) (*versioned[Customer], error) {
	shown, err := showOne(ctx, c)
	return &versioned[Customer]{ETag: etag(c.Version), Body: shown}, err
}
