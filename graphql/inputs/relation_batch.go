package inputs

import "example.org/backoffice/backoffice"

type CreateCustomerRelationsPayload struct {
	Results []*CreateCustomerRelationsResult
	BatchOutcome
}

type CreateCustomerRelationsResult struct {
	Relation   *backoffice.CustomerRelation
	UserErrors []*backoffice.UserError
}

func NewRelations(inputs []*CreateCustomerRelationInput) []backoffice.BatchInput[backoffice.RelationDraft] {
	relations := make([]backoffice.BatchInput[backoffice.RelationDraft], len(inputs))
	for i, in := range inputs {
		relations[i].Input, relations[i].Key = in.Draft(), backoffice.ValueOf(in.IdempotencyKey)
	}
	return relations
}

func RelationsCreated(outcome *backoffice.BatchOutcome[backoffice.CustomerRelation]) *CreateCustomerRelationsPayload {
	p := &CreateCustomerRelationsPayload{}
	p.Results, p.BatchOutcome = resultsOf(outcome,
		func(r *backoffice.CustomerRelation, userErrors []*backoffice.UserError) *CreateCustomerRelationsResult {
			return &CreateCustomerRelationsResult{r, userErrors}
		})
	return p
}
