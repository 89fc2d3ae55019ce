package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
)

// AddressInput is an address as sent.
type AddressInput struct {
	Street      graphql.Omittable[*string]
	HouseNumber graphql.Omittable[*string]
	Box         graphql.Omittable[*string]
	PostalCode  graphql.Omittable[*string]
	City        graphql.Omittable[*string]
	Country     graphql.Omittable[*string]
}

// CreateCustomerInput is the input of createCustomer.
type CreateCustomerInput struct {
	Type                     backoffice.CustomerType
	Name                     *string
	FirstName                *string
	LastName                 *string
	Scopes                   []string
	KboNumber                *string
	CompanyType              *backoffice.LegalForm
	CustomerCode             *string
	Address                  *AddressInput
	ResponsibleID            *string
	Language                 *string
	Email                    *string
	Phone                    *string
	RegistrationNumber       *string
	SpouseRegistrationNumber *string
	IdempotencyKey           *string
}

// UpdateCustomerInput is the input of updateCustomer: absent keeps, null clears.
type UpdateCustomerInput struct {
	ID                       string
	ExpectedVersion          *int
	Type                     graphql.Omittable[*backoffice.CustomerType]
	Name                     graphql.Omittable[*string]
	FirstName                graphql.Omittable[*string]
	LastName                 graphql.Omittable[*string]
	Scopes                   graphql.Omittable[[]string]
	KboNumber                graphql.Omittable[*string]
	CompanyType              graphql.Omittable[*backoffice.LegalForm]
	CustomerCode             graphql.Omittable[*string]
	Address                  graphql.Omittable[*AddressInput]
	ResponsibleID            graphql.Omittable[*string]
	Language                 graphql.Omittable[*string]
	Email                    graphql.Omittable[*string]
	Phone                    graphql.Omittable[*string]
	RegistrationNumber       graphql.Omittable[*string]
	SpouseRegistrationNumber graphql.Omittable[*string]
}

// DeleteCustomerInput is the input of deleteCustomer.
type DeleteCustomerInput struct {
	ID              string
	ExpectedVersion *int
}

// CreateCustomerPayload is what came of createCustomer.
type CreateCustomerPayload struct {
	Customer   *backoffice.Customer
	UserErrors []*backoffice.UserError
}

// UpdateCustomerPayload is what came of updateCustomer.
type UpdateCustomerPayload struct {
	Customer   *backoffice.Customer
	UserErrors []*backoffice.UserError
}

// DeleteCustomerPayload is what came of deleteCustomer.
type DeleteCustomerPayload struct {
	DeletedCustomerID *string
	UserErrors        []*backoffice.UserError
}

func (in *AddressInput) fields() backoffice.AddressFields {
	return backoffice.AddressFields{
		Street:      sent(in.Street),
		HouseNumber: sent(in.HouseNumber),
		Box:         sent(in.Box),
		PostalCode:  sent(in.PostalCode),
		City:        sent(in.City),
		Country:     sent(in.Country),
	}
}

// Fields is what was sent. In a creation absent and null are the same.
func (in *CreateCustomerInput) Fields() backoffice.CustomerFields {
	fields := backoffice.CustomerFields{
		Type:                     backoffice.Value(in.Type),
		Name:                     backoffice.ValueOf(in.Name),
		FirstName:                backoffice.ValueOf(in.FirstName),
		LastName:                 backoffice.ValueOf(in.LastName),
		Scopes:                   backoffice.Value(in.Scopes),
		KboNumber:                backoffice.ValueOf(in.KboNumber),
		CompanyType:              backoffice.ValueOf(in.CompanyType),
		CustomerCode:             backoffice.ValueOf(in.CustomerCode),
		ResponsibleID:            backoffice.ValueOf(in.ResponsibleID),
		Language:                 backoffice.ValueOf(in.Language),
		Email:                    backoffice.ValueOf(in.Email),
		Phone:                    backoffice.ValueOf(in.Phone),
		RegistrationNumber:       backoffice.ValueOf(in.RegistrationNumber),
		SpouseRegistrationNumber: backoffice.ValueOf(in.SpouseRegistrationNumber),
	}
	if in.Address != nil {
		fields.Address = backoffice.Value(in.Address.fields())
	}
	return fields
}

// Fields is what was sent.
func (in *UpdateCustomerInput) Fields() backoffice.CustomerFields {
	fields := backoffice.CustomerFields{
		Type:                     sent(in.Type),
		Name:                     sent(in.Name),
		FirstName:                sent(in.FirstName),
		LastName:                 sent(in.LastName),
		Scopes:                   sentList(in.Scopes),
		KboNumber:                sent(in.KboNumber),
		CompanyType:              sent(in.CompanyType),
		CustomerCode:             sent(in.CustomerCode),
		ResponsibleID:            sent(in.ResponsibleID),
		Language:                 sent(in.Language),
		Email:                    sent(in.Email),
		Phone:                    sent(in.Phone),
		RegistrationNumber:       sent(in.RegistrationNumber),
		SpouseRegistrationNumber: sent(in.SpouseRegistrationNumber),
	}
	if address := in.Address; address.IsSet() {
		fields.Address = backoffice.Null[backoffice.AddressFields]()
		if address.Value() != nil {
			fields.Address = backoffice.Value(address.Value().fields())
		}
	}
	return fields
}
