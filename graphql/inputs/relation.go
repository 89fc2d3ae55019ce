package inputs

import (
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type CreateCustomerRelationInput struct {
	CustomerID        string
	RelatedCustomerID string
	Kind              backoffice.RelationKind
	SharePercent      *float64
	VotePercent       *float64
	StartDate         *string
	EndDate           *string
	Note              *string
	Nominee           *bool
	IdempotencyKey    *string
}

// A number becomes the domain's exact text.
func percentOf(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

var (
	percent  = mapping.Convert(percentOf)
	percents = mapping.Convert(func(number *float64) *string {
		if number == nil {
			return nil
		}
		return new(percentOf(*number))
	})
)

var createRelation = mapping.New[CreateCustomerRelationInput, backoffice.RelationDraft](
	mapping.Except("IdempotencyKey"), percents)

func (in *CreateCustomerRelationInput) Draft() backoffice.RelationDraft {
	return createRelation.Map(in)
}

// UpdateCustomerRelationInput is the input of updateCustomerRelation: absent keeps, null clears.
type UpdateCustomerRelationInput struct {
	ID              string
	ExpectedVersion *int
	SharePercent    graphql.Omittable[*float64]
	VotePercent     graphql.Omittable[*float64]
	StartDate       graphql.Omittable[*string]
	EndDate         graphql.Omittable[*string]
	Note            graphql.Omittable[*string]
	Nominee         graphql.Omittable[*bool]
}

var updateRelation = mapping.New[UpdateCustomerRelationInput, backoffice.RelationFields](
	mapping.Except("ID", "ExpectedVersion"), percent)

func (in *UpdateCustomerRelationInput) Fields() backoffice.RelationFields {
	return updateRelation.Map(in)
}

type DeleteCustomerRelationInput struct {
	ID              string
	ExpectedVersion *int
}

type RelationPayload struct {
	Relation *backoffice.CustomerRelation
	Outcome
}

type DeleteCustomerRelationPayload struct {
	DeletedRelationID *string
	Outcome
}
