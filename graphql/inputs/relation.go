package inputs

import "example.org/backoffice/backoffice"

type CreateCustomerRelationInput struct {
	backoffice.RelationDraft
	IdempotencyKey *string
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
