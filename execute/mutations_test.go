package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/inputs"
)

func (r mutation) AssignChecklist(ctx context.Context, input inputs.AssignChecklistInput) (*inputs.AssignChecklistPayload, error) {
	return one(r.world, ctx, "assignChecklist", []any{input}, func(d *rand.Rand) *inputs.AssignChecklistPayload {
		return &inputs.AssignChecklistPayload{Transcript: maybe(r.world, d, 3, r.transcript), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) GenerateTranscriptDocument(ctx context.Context, input inputs.GenerateTranscriptDocumentInput) (*inputs.GenerateTranscriptDocumentPayload, error) {
	return one(r.world, ctx, "generateTranscriptDocument", []any{input}, func(d *rand.Rand) *inputs.GenerateTranscriptDocumentPayload {
		return &inputs.GenerateTranscriptDocumentPayload{Transcript: maybe(r.world, d, 3, r.transcript), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateCustomer(ctx context.Context, input inputs.CreateCustomerInput) (*inputs.CreateCustomerPayload, error) {
	return one(r.world, ctx, "createCustomer", []any{input}, func(d *rand.Rand) *inputs.CreateCustomerPayload {
		return &inputs.CreateCustomerPayload{Customer: maybe(r.world, d, 3, r.customer), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) UpdateCustomer(ctx context.Context, input inputs.UpdateCustomerInput) (*inputs.UpdateCustomerPayload, error) {
	return one(r.world, ctx, "updateCustomer", []any{input}, func(d *rand.Rand) *inputs.UpdateCustomerPayload {
		return &inputs.UpdateCustomerPayload{Customer: maybe(r.world, d, 3, r.customer), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteCustomer(ctx context.Context, input inputs.DeleteCustomerInput) (*inputs.DeleteCustomerPayload, error) {
	return one(r.world, ctx, "deleteCustomer", []any{input}, func(d *rand.Rand) *inputs.DeleteCustomerPayload {
		return &inputs.DeleteCustomerPayload{DeletedCustomerID: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateCustomerRelation(ctx context.Context, input inputs.CreateCustomerRelationInput) (*inputs.CreateCustomerRelationPayload, error) {
	return one(r.world, ctx, "createCustomerRelation", []any{input}, func(d *rand.Rand) *inputs.CreateCustomerRelationPayload {
		return &inputs.CreateCustomerRelationPayload{Relation: maybe(r.world, d, 3, r.relation), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteCustomerRelation(ctx context.Context, input inputs.DeleteCustomerRelationInput) (*inputs.DeleteCustomerRelationPayload, error) {
	return one(r.world, ctx, "deleteCustomerRelation", []any{input}, func(d *rand.Rand) *inputs.DeleteCustomerRelationPayload {
		return &inputs.DeleteCustomerRelationPayload{DeletedRelationID: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateLabel(ctx context.Context, input inputs.CreateLabelInput) (*inputs.CreateLabelPayload, error) {
	return one(r.world, ctx, "createLabel", []any{input}, func(d *rand.Rand) *inputs.CreateLabelPayload {
		return &inputs.CreateLabelPayload{Label: maybe(r.world, d, 3, r.label), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) UpdateUser(ctx context.Context, input inputs.UpdateUserInput) (*inputs.UpdateUserPayload, error) {
	return one(r.world, ctx, "updateUser", []any{input}, func(d *rand.Rand) *inputs.UpdateUserPayload {
		return &inputs.UpdateUserPayload{User: maybe(r.world, d, 3, r.user), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteUser(ctx context.Context, input inputs.DeleteUserInput) (*inputs.DeleteUserPayload, error) {
	return one(r.world, ctx, "deleteUser", []any{input}, func(d *rand.Rand) *inputs.DeleteUserPayload {
		return &inputs.DeleteUserPayload{DeletedUserID: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
