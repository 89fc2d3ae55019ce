package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type AddressInput struct {
	Street      graphql.Omittable[*string]
	HouseNumber graphql.Omittable[*string]
	Box         graphql.Omittable[*string]
	PostalCode  graphql.Omittable[*string]
	City        graphql.Omittable[*string]
	Country     graphql.Omittable[*string]
}

type CustomerDetails struct {
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

// CreateCustomerInput is the input of createCustomer: absent and null are the same.
type CreateCustomerInput struct {
	Type backoffice.CustomerType
	CustomerDetails
	IdempotencyKey *string
}

// UpdateCustomerInput is the input of updateCustomer: absent keeps, null clears.
type UpdateCustomerInput struct {
	ID              string
	ExpectedVersion *int
	Type            graphql.Omittable[*backoffice.CustomerType]
	CustomerDetails
}

type DeleteCustomerInput struct {
	ID              string
	ExpectedVersion *int
}

type MergeCustomersInput struct {
	KeepID         string
	DropID         string
	IdempotencyKey *string
}

type CustomerPayload struct {
	Customer *backoffice.Customer
	Outcome
}

type DeleteCustomerPayload struct {
	DeletedCustomerID *string
	WouldDelete       *backoffice.CustomerDeletion
	Outcome
}

type MergeCustomersPayload struct {
	Customer *backoffice.Customer
	Merged   *backoffice.CustomerMerge
	Outcome
}

var (
	createCustomer = mapping.New[CreateCustomerInput, backoffice.CustomerFields](mapping.Except("IdempotencyKey"))
	updateCustomer = mapping.New[UpdateCustomerInput, backoffice.CustomerFields](
		mapping.Except("ID", "ExpectedVersion"))
)

func (in *CreateCustomerInput) Fields() backoffice.CustomerFields { return createCustomer.Map(in) }

func (in *UpdateCustomerInput) Fields() backoffice.CustomerFields { return updateCustomer.Map(in) }
