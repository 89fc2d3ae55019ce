package inputs

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/mapping"
)

// CreateCustomerRelationInput is the input of createCustomerRelation.
type CreateCustomerRelationInput struct {
	CustomerID        string
	RelatedCustomerID string
	Kind              backoffice.RelationKind
	IdempotencyKey    *string
}

// DeleteCustomerRelationInput is the input of deleteCustomerRelation.
type DeleteCustomerRelationInput struct {
	ID string
}

// CreateCustomerRelationPayload is what came of createCustomerRelation.
type CreateCustomerRelationPayload struct {
	Relation   *backoffice.CustomerRelation
	UserErrors []*backoffice.UserError
}

// DeleteCustomerRelationPayload is what came of deleteCustomerRelation.
type DeleteCustomerRelationPayload struct {
	DeletedRelationID *string
	UserErrors        []*backoffice.UserError
}

var createRelation = mapping.New[CreateCustomerRelationInput, backoffice.RelationDraft](mapping.Except("IdempotencyKey"))

// Draft is what was sent.
func (in *CreateCustomerRelationInput) Draft() backoffice.RelationDraft {
	return createRelation.Map(in)
}
