package inputs

import "example.org/backoffice/backoffice"

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

// Draft is what was sent.
func (in *CreateCustomerRelationInput) Draft() backoffice.RelationDraft {
	return backoffice.RelationDraft{CustomerID: in.CustomerID, RelatedCustomerID: in.RelatedCustomerID, Kind: in.Kind}
}
