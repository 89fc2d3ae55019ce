package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/mutations"
)

func (r mutation) AssignChecklist(ctx context.Context, input mutations.AssignChecklistInput) (*mutations.AssignChecklistPayload, error) {
	return one(r.world, ctx, "assignChecklist", []any{input}, func(d *rand.Rand) *mutations.AssignChecklistPayload {
		return &mutations.AssignChecklistPayload{Transcript: maybe(r.world, d, 3, r.transcript), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) GenerateTranscriptDocument(ctx context.Context, input mutations.GenerateTranscriptDocumentInput) (*mutations.GenerateTranscriptDocumentPayload, error) {
	return one(r.world, ctx, "generateTranscriptDocument", []any{input}, func(d *rand.Rand) *mutations.GenerateTranscriptDocumentPayload {
		return &mutations.GenerateTranscriptDocumentPayload{Transcript: maybe(r.world, d, 3, r.transcript), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) CreateCustomer(ctx context.Context, input mutations.CreateCustomerInput) (*mutations.CreateCustomerPayload, error) {
	return one(r.world, ctx, "createCustomer", []any{input}, func(d *rand.Rand) *mutations.CreateCustomerPayload {
		return &mutations.CreateCustomerPayload{Customer: maybe(r.world, d, 3, r.customer), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) UpdateCustomer(ctx context.Context, input mutations.UpdateCustomerInput) (*mutations.UpdateCustomerPayload, error) {
	return one(r.world, ctx, "updateCustomer", []any{input}, func(d *rand.Rand) *mutations.UpdateCustomerPayload {
		return &mutations.UpdateCustomerPayload{Customer: maybe(r.world, d, 3, r.customer), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) DeleteCustomer(ctx context.Context, input mutations.DeleteCustomerInput) (*mutations.DeleteCustomerPayload, error) {
	return one(r.world, ctx, "deleteCustomer", []any{input}, func(d *rand.Rand) *mutations.DeleteCustomerPayload {
		return &mutations.DeleteCustomerPayload{DeletedCustomerID: maybe(r.world, d, 3, wordAt), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) CreateCustomerRelation(ctx context.Context, input mutations.CreateCustomerRelationInput) (*mutations.CreateCustomerRelationPayload, error) {
	return one(r.world, ctx, "createCustomerRelation", []any{input}, func(d *rand.Rand) *mutations.CreateCustomerRelationPayload {
		return &mutations.CreateCustomerRelationPayload{Relation: maybe(r.world, d, 3, r.relation), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) DeleteCustomerRelation(ctx context.Context, input mutations.DeleteCustomerRelationInput) (*mutations.DeleteCustomerRelationPayload, error) {
	return one(r.world, ctx, "deleteCustomerRelation", []any{input}, func(d *rand.Rand) *mutations.DeleteCustomerRelationPayload {
		return &mutations.DeleteCustomerRelationPayload{DeletedRelationID: maybe(r.world, d, 3, wordAt), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) CreateLabel(ctx context.Context, input mutations.CreateLabelInput) (*mutations.CreateLabelPayload, error) {
	return one(r.world, ctx, "createLabel", []any{input}, func(d *rand.Rand) *mutations.CreateLabelPayload {
		return &mutations.CreateLabelPayload{Label: maybe(r.world, d, 3, r.label), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) UpdateUser(ctx context.Context, input mutations.UpdateUserInput) (*mutations.UpdateUserPayload, error) {
	return one(r.world, ctx, "updateUser", []any{input}, func(d *rand.Rand) *mutations.UpdateUserPayload {
		return &mutations.UpdateUserPayload{User: maybe(r.world, d, 3, r.user), UserErrors: errorsOf(r.world, d)}
	})
}
func (r mutation) DeleteUser(ctx context.Context, input mutations.DeleteUserInput) (*mutations.DeleteUserPayload, error) {
	return one(r.world, ctx, "deleteUser", []any{input}, func(d *rand.Rand) *mutations.DeleteUserPayload {
		return &mutations.DeleteUserPayload{DeletedUserID: maybe(r.world, d, 3, wordAt), UserErrors: errorsOf(r.world, d)}
	})
}
