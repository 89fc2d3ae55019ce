package inputs

import "example.org/backoffice/backoffice"

// CreateCustomerRelationInput is the input of createCustomerRelation.
type CreateCustomerRelationInput struct {
	backoffice.RelationDraft
	IdempotencyKey *string
}

// DeleteCustomerRelationInput is the input of deleteCustomerRelation.
type DeleteCustomerRelationInput struct {
	ID string
}

// CreateCustomerRelationPayload is what came of createCustomerRelation.
type CreateCustomerRelationPayload struct {
	Relation *backoffice.CustomerRelation
	Outcome
}

// DeleteCustomerRelationPayload is what came of deleteCustomerRelation.
type DeleteCustomerRelationPayload struct {
	DeletedRelationID *string
	Outcome
}
