package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// CustomerChange is what can be changed of a customer: what is absent stays, null clears.
type CustomerChange struct {
	Type Optional[CustomerType] `json:"type,omitempty" doc:"The kind of customer. A private person has neither kboNumber nor companyType."`
	CustomerDetails
}

// NewCustomer is a customer to be made; absent and null are the same.
type NewCustomer struct {
	Type CustomerType `json:"type" doc:"The kind of customer. A private person has neither kboNumber nor companyType."`
	CustomerDetails
}

// CustomerDetails are the fields that need not be there.
type CustomerDetails struct {
	Name                     Optional[string]        `json:"name,omitempty" doc:"The name, at most 200 characters."`
	FirstName                Optional[string]        `json:"firstName,omitempty" doc:"The first name, at most 200 characters."`
	LastName                 Optional[string]        `json:"lastName,omitempty" doc:"The last name, at most 200 characters."`
	Scopes                   Optional[[]string]      `json:"scopes,omitempty" doc:"The support scopes." example:"[\"checklist\"]"`
	KboNumber                Optional[string]        `json:"kboNumber,omitempty" doc:"The KBO number, in any accepted notation; its check digits are verified." example:"0200.065.765"`
	CompanyType              Optional[LegalForm]     `json:"companyType,omitempty" doc:"The legal form; which ones there are depends on whether there is a kboNumber."`
	CustomerCode             Optional[string]        `json:"customerCode,omitempty" doc:"The office's own code, unique among customers."`
	AddressFields            Optional[AddressChange] `json:"addressFields,omitempty" doc:"The address: of its parts, what is absent stays and null clears; a null address is cleared whole."`
	RegistrationNumber       Optional[string]        `json:"registrationNumber,omitempty" doc:"The national registration number; its check digits are verified. Needs the scope privacy.read."`
	SpouseRegistrationNumber Optional[string]        `json:"spouseRegistrationNumber,omitempty" doc:"The partner's national registration number. Needs the scope privacy.read."`
	Responsible              Optional[string]        `json:"responsible,omitempty" doc:"The identifier of the responsible user."`
	Language                 Optional[string]        `json:"language,omitempty" doc:"The preferred language, the lower-case English name of one." example:"dutch"`
	Email                    Optional[string]        `json:"email,omitempty" doc:"The e-mail address, at most 254 characters."`
	Phone                    Optional[string]        `json:"phone,omitempty" doc:"The telephone number." example:"+32 9 251 11 11"`
}

// AddressChange is what can be changed of an address.
type AddressChange struct {
	Street      Optional[string] `json:"street,omitempty" doc:"The street."`
	HouseNumber Optional[string] `json:"houseNumber,omitempty" doc:"The house number."`
	Box         Optional[string] `json:"box,omitempty" doc:"The box."`
	PostalCode  Optional[string] `json:"postalCode,omitempty" doc:"The postal code."`
	City        Optional[string] `json:"city,omitempty" doc:"The city."`
	Country     Optional[string] `json:"country,omitempty" doc:"The country."`
}

// input gives the domain what was sent. The schema has let only the words through that the domain knows.
func (d *CustomerDetails) input() backoffice.CustomerFields {
	in := backoffice.CustomerFields{
		Name:                     d.Name.Optional,
		FirstName:                d.FirstName.Optional,
		LastName:                 d.LastName.Optional,
		Scopes:                   d.Scopes.Optional,
		KboNumber:                d.KboNumber.Optional,
		CompanyType:              converted(d.CompanyType, func(form LegalForm) backoffice.LegalForm { return backoffice.LegalForm(form) }),
		CustomerCode:             d.CustomerCode.Optional,
		ResponsibleID:            d.Responsible.Optional,
		Language:                 d.Language.Optional,
		Email:                    d.Email.Optional,
		Phone:                    d.Phone.Optional,
		RegistrationNumber:       d.RegistrationNumber.Optional,
		SpouseRegistrationNumber: d.SpouseRegistrationNumber.Optional,
	}
	in.Address = converted(d.AddressFields, func(address AddressChange) backoffice.AddressFields {
		return backoffice.AddressFields{
			Street:      address.Street.Optional,
			HouseNumber: address.HouseNumber.Optional,
			Box:         address.Box.Optional,
			PostalCode:  address.PostalCode.Optional,
			City:        address.City.Optional,
			Country:     address.Country.Optional,
		}
	})
	return in
}

// converted gives the domain a field in its own type.
func converted[F, T any](field Optional[F], convert func(F) T) backoffice.Optional[T] {
	if sent, ok := field.Get(); ok {
		return backoffice.Value(convert(sent))
	}
	if field.IsNull() {
		return backoffice.Null[T]()
	}
	return backoffice.Optional[T]{}
}

// customerType reads the specification's word; one that is none becomes a type that the domain refuses.
func customerType(word CustomerType) backoffice.CustomerType {
	kind, err := backoffice.ParseCustomerTypeLabel(string(word))
	if err != nil {
		return backoffice.CustomerType(word)
	}
	return kind
}

func (a *API) customerWrites() {
	register(a, huma.Operation{
		OperationID: "createCustomer", Method: http.MethodPost, Path: "/customers", Tags: []string{tagCustomers},
		Summary: "Create a customer", DefaultStatus: http.StatusCreated,
		Description: "Makes a customer and answers with it.",
	}, backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		Idempotent
		Body NewCustomer
	}) (*madeVersioned[Customer], error) {
		input := in.Body.input()
		input.Type = backoffice.Value(customerType(in.Body.Type))
		c, err := a.Office.CreateCustomer(ctx, auth.From(ctx), input, in.key())
		if err != nil {
			return nil, err
		}
		shown, err := showVersion(ctx, c)
		if err != nil {
			return nil, err
		}
		return &madeVersioned[Customer]{ETag: shown.ETag, Location: "/customers/" + c.ID, Body: shown.Body}, nil
	})
	register(a, huma.Operation{
		OperationID: "updateCustomer", Method: http.MethodPut, Path: "/customers/{customerId}", Tags: []string{tagCustomers},
		Summary:     "Update a customer",
		Description: "Changes the fields that are sent, clears those that are sent as null, and answers with the customer.",
	}, backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Guarded
		Body CustomerChange
	}) (*versioned[Customer], error) {
		versions, err := in.versions()
		if err != nil {
			return nil, err
		}
		input := in.Body.input()
		input.Type = converted(in.Body.Type, customerType)
		c, err := a.Office.UpdateCustomer(ctx, auth.From(ctx), in.CustomerID, input, versions)
		if err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "id")
		}
		return showVersion(ctx, c)
	})
	register(a, huma.Operation{
		OperationID: "deleteCustomer", Method: http.MethodDelete, Path: "/customers/{customerId}", Tags: []string{tagCustomers},
		Summary:     "Delete a customer",
		Description: "Erases the customer with its relations, transcripts, calculations, documents and stored files.",
	}, backoffice.CustomersWrite, func(ctx context.Context, in *struct {
		OfCustomer
		Guarded
	}) (*nothing, error) {
		versions, err := in.versions()
		if err != nil {
			return nil, err
		}
		if err := a.Office.DeleteCustomer(ctx, auth.From(ctx), in.CustomerID, versions); err != nil {
			return nil, inPath(err, backoffice.NounCustomer, "id")
		}
		return &nothing{}, nil
	})
}
