package inputs

import (
	"github.com/99designs/gqlgen/graphql"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

type CreateCustomerRelationInput struct {
	backoffice.RelationDraft
	IdempotencyKey *string
}

// UpdateCustomerRelationInput is the input of updateCustomerRelation: absent keeps, null clears.
type UpdateCustomerRelationInput struct {
	ID              string
	ExpectedVersion *int
	SharePercent    graphql.Omittable[*string]
	VotePercent     graphql.Omittable[*string]
	StartDate       graphql.Omittable[*string]
	EndDate         graphql.Omittable[*string]
	Note            graphql.Omittable[*string]
	Nominee         graphql.Omittable[*bool]
}

type UpdateCustomerRelationPayload struct {
	Relation *backoffice.CustomerRelation
	Outcome
}

var updateRelation = mapping.New[UpdateCustomerRelationInput, backoffice.RelationFields](
	mapping.Except("ID", "ExpectedVersion"))

func (in *UpdateCustomerRelationInput) Fields() backoffice.RelationFields {
	return updateRelation.Map(in)
}

type DeleteCustomerRelationInput struct {
	ID string
}

type CreateCustomerRelationPayload struct {
	Relation *backoffice.CustomerRelation
	Outcome
}

type DeleteCustomerRelationPayload struct {
	DeletedRelationID *string
	Outcome
}
