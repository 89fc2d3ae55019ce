package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/inputs"
)

func (r mutation) AssignChecklist(ctx context.Context, input inputs.AssignChecklistInput, dryRun *bool) (*inputs.TranscriptPayload, error) {
	return one(r.world, ctx, "assignChecklist", []any{input, dryRun}, func(d *rand.Rand) *inputs.TranscriptPayload {
		return &inputs.TranscriptPayload{Transcript: maybe(r.world, d, 3, r.transcript), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) GenerateTranscriptDocument(ctx context.Context, input inputs.GenerateTranscriptDocumentInput, dryRun *bool) (*inputs.TranscriptPayload, error) {
	return one(r.world, ctx, "generateTranscriptDocument", []any{input, dryRun}, func(d *rand.Rand) *inputs.TranscriptPayload {
		return &inputs.TranscriptPayload{Transcript: maybe(r.world, d, 3, r.transcript), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateCustomer(ctx context.Context, input inputs.CreateCustomerInput, dryRun *bool) (*inputs.CustomerPayload, error) {
	return one(r.world, ctx, "createCustomer", []any{input, dryRun}, func(d *rand.Rand) *inputs.CustomerPayload {
		return &inputs.CustomerPayload{Customer: maybe(r.world, d, 3, r.customer), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) UpdateCustomer(ctx context.Context, input inputs.UpdateCustomerInput, dryRun *bool) (*inputs.CustomerPayload, error) {
	return one(r.world, ctx, "updateCustomer", []any{input, dryRun}, func(d *rand.Rand) *inputs.CustomerPayload {
		return &inputs.CustomerPayload{Customer: maybe(r.world, d, 3, r.customer), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteCustomer(ctx context.Context, input inputs.DeleteCustomerInput, dryRun *bool) (*inputs.DeleteCustomerPayload, error) {
	return one(r.world, ctx, "deleteCustomer", []any{input, dryRun}, func(d *rand.Rand) *inputs.DeleteCustomerPayload {
		return &inputs.DeleteCustomerPayload{DeletedCustomerID: maybe(r.world, d, 3, wordAt), WouldDelete: maybe(r.world, d, 3, deletion), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) MergeCustomers(ctx context.Context, input inputs.MergeCustomersInput, dryRun *bool) (*inputs.MergeCustomersPayload, error) {
	return one(r.world, ctx, "mergeCustomers", []any{input, dryRun}, func(d *rand.Rand) *inputs.MergeCustomersPayload {
		return &inputs.MergeCustomersPayload{Customer: maybe(r.world, d, 3, r.customer), Merged: maybe(r.world, d, 3, merge), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}

func merge(d *rand.Rand) *backoffice.CustomerMerge {
	return &backoffice.CustomerMerge{
		Relations: d.IntN(9), DeletedRelations: d.IntN(9), Transcripts: d.IntN(9), Calculations: d.IntN(9), Documents: d.IntN(9), MinfinDocuments: d.IntN(9),
		FilledFields: []string{word(d)},
	}
}

func (r mutation) CreateCustomerRelation(ctx context.Context, input inputs.CreateCustomerRelationInput, dryRun *bool) (*inputs.RelationPayload, error) {
	return one(r.world, ctx, "createCustomerRelation", []any{input, dryRun}, func(d *rand.Rand) *inputs.RelationPayload {
		return &inputs.RelationPayload{Relation: maybe(r.world, d, 3, r.relation), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteCustomerRelation(ctx context.Context, input inputs.DeleteCustomerRelationInput, dryRun *bool) (*inputs.DeleteCustomerRelationPayload, error) {
	return one(r.world, ctx, "deleteCustomerRelation", []any{input, dryRun}, func(d *rand.Rand) *inputs.DeleteCustomerRelationPayload {
		return &inputs.DeleteCustomerRelationPayload{DeletedRelationID: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateLabel(ctx context.Context, input inputs.CreateLabelInput, dryRun *bool) (*inputs.CreateLabelPayload, error) {
	return one(r.world, ctx, "createLabel", []any{input, dryRun}, func(d *rand.Rand) *inputs.CreateLabelPayload {
		return &inputs.CreateLabelPayload{Label: maybe(r.world, d, 3, r.label), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) CreateDocumentUpload(ctx context.Context, input inputs.CreateDocumentUploadInput, dryRun *bool) (*inputs.CreateDocumentUploadPayload, error) {
	return one(r.world, ctx, "createDocumentUpload", []any{input, dryRun}, func(d *rand.Rand) *inputs.CreateDocumentUploadPayload {
		return &inputs.CreateDocumentUploadPayload{
			UploadPath: maybe(r.world, d, 3, wordAt), ExpiresAt: maybe(r.world, d, 3, func(d *rand.Rand) *backoffice.Instant { at := instant(d); return &at }),
			Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)},
		}
	})
}
func (r mutation) UpdateUser(ctx context.Context, input inputs.UpdateUserInput, dryRun *bool) (*inputs.UpdateUserPayload, error) {
	return one(r.world, ctx, "updateUser", []any{input, dryRun}, func(d *rand.Rand) *inputs.UpdateUserPayload {
		return &inputs.UpdateUserPayload{User: maybe(r.world, d, 3, r.user), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
func (r mutation) DeleteUser(ctx context.Context, input inputs.DeleteUserInput, dryRun *bool) (*inputs.DeleteUserPayload, error) {
	return one(r.world, ctx, "deleteUser", []any{input, dryRun}, func(d *rand.Rand) *inputs.DeleteUserPayload {
		return &inputs.DeleteUserPayload{DeletedUserID: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}

func (r mutation) UpdateCustomerRelation(ctx context.Context, input inputs.UpdateCustomerRelationInput, dryRun *bool) (*inputs.RelationPayload, error) {
	return one(r.world, ctx, "updateCustomerRelation", []any{input, dryRun}, func(d *rand.Rand) *inputs.RelationPayload {
		return &inputs.RelationPayload{Relation: maybe(r.world, d, 3, r.relation), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}

func (r mutation) CreateCustomers(ctx context.Context, inputs []*inputs.CreateCustomerInput, mode backoffice.BatchMode, idempotencyKey *string, dryRun *bool) (*inputs.CustomersPayload, error) {
	return one(r.world, ctx, "createCustomers", []any{inputs, mode, idempotencyKey, dryRun}, r.written)
}

func (w *world) written(d *rand.Rand) *inputs.CustomersPayload {
	p := &inputs.CustomersPayload{Results: []*inputs.CustomersResult{}, BatchOutcome: batchOf(w, d)}
	for range d.IntN(3) {
		p.Results = append(p.Results, &inputs.CustomersResult{Customer: maybe(w, d, 3, w.customer), UserErrors: errorsOf(w, d)})
	}
	return p
}

func (r mutation) UpdateCustomers(ctx context.Context, inputs []*inputs.UpdateCustomerInput, mode backoffice.BatchMode, dryRun *bool) (*inputs.CustomersPayload, error) {
	return one(r.world, ctx, "updateCustomers", []any{inputs, mode, dryRun}, r.written)
}

func (r mutation) DeleteCustomers(ctx context.Context, inputs []*inputs.DeleteCustomerInput, mode backoffice.BatchMode, dryRun *bool) (*inputs.DeleteCustomersPayload, error) {
	return one(r.world, ctx, "deleteCustomers", []any{inputs, mode, dryRun}, r.deleted)
}

func (w *world) deleted(d *rand.Rand) *inputs.DeleteCustomersPayload {
	p := &inputs.DeleteCustomersPayload{Results: []*inputs.DeleteCustomersResult{}, WouldDelete: maybe(w, d, 3, deletion), BatchOutcome: batchOf(w, d)}
	for range d.IntN(3) {
		p.Results = append(p.Results, &inputs.DeleteCustomersResult{DeletedCustomerID: maybe(w, d, 3, wordAt), UserErrors: errorsOf(w, d)})
	}
	return p
}

func deletion(d *rand.Rand) *backoffice.CustomerDeletion {
	return &backoffice.CustomerDeletion{Relations: d.IntN(9), Transcripts: d.IntN(9), Calculations: d.IntN(9), Documents: d.IntN(9), MinfinDocuments: d.IntN(9), Files: d.IntN(9)}
}

func batchOf(w *world, d *rand.Rand) inputs.BatchOutcome {
	return inputs.BatchOutcome{Written: d.IntN(9), Outcome: inputs.Outcome{UserErrors: errorsOf(w, d)}}
}

func (r mutation) CreateCustomerRelations(ctx context.Context, inputs []*inputs.CreateCustomerRelationInput, mode backoffice.BatchMode, idempotencyKey *string, dryRun *bool) (*inputs.CreateCustomerRelationsPayload, error) {
	return one(r.world, ctx, "createCustomerRelations", []any{inputs, mode, idempotencyKey, dryRun}, r.related)
}

func (w *world) related(d *rand.Rand) *inputs.CreateCustomerRelationsPayload {
	p := &inputs.CreateCustomerRelationsPayload{Results: []*inputs.CreateCustomerRelationsResult{}, BatchOutcome: batchOf(w, d)}
	for range d.IntN(3) {
		p.Results = append(p.Results, &inputs.CreateCustomerRelationsResult{Relation: maybe(w, d, 3, w.relation), UserErrors: errorsOf(w, d)})
	}
	return p
}

func (r mutation) AssignChecklists(ctx context.Context, input inputs.AssignChecklistsInput, dryRun *bool) (*inputs.AssignChecklistsPayload, error) {
	return one(r.world, ctx, "assignChecklists", []any{input, dryRun}, func(d *rand.Rand) *inputs.AssignChecklistsPayload {
		return &inputs.AssignChecklistsPayload{Assigned: d.IntN(9), AlreadyAssigned: d.IntN(9), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
