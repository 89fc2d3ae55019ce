package resolvers

import (
	"context"
	"errors"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/inputs"
	"example.org/backoffice/loaders"
)

// mutation holds the writes. Each is authorised by the schema's @hasScope and again by the domain, which runs it.
type mutation struct{ *Root }

func (r *Root) Mutation() graph.MutationResolver { return mutation{r} }

// service runs writes, or finds out what they would do.
func (m mutation) service(dryRun *bool) *backoffice.Service {
	if dryRun != nil && *dryRun {
		return m.Service.DryRun()
	}
	return m.Service
}

// answer puts what the caller can fix into the payload, and any other error into the response's errors. After a write
// it forgets what the request has read, so that the payload's selection sees the write.
func answer[P interface{ Tell([]*backoffice.UserError) }](ctx context.Context, err error, payload P) (P, error) {
	var none P
	var known *backoffice.Error
	switch {
	case err == nil:
		loaders.From(ctx).Forget()
		payload.Tell([]*backoffice.UserError{})
	case errors.As(err, &known) && known.Kind == backoffice.Refused:
		payload.Tell(known.UserErrors)
	default:
		return none, err
	}
	return payload, nil
}

// deleted is the identifier in the payload of a deletion: null when it was rejected.
func deleted(id string, err error) *string {
	if err != nil {
		return nil
	}
	return &id
}

func (m mutation) CreateCustomer(ctx context.Context, input inputs.CreateCustomerInput,
	dryRun *bool) (*inputs.CustomerPayload, error) {
	customer, err := m.service(dryRun).CreateCustomer(ctx, auth.From(ctx), input.Fields(),
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, &inputs.CustomerPayload{Customer: customer})
}

func (m mutation) UpdateCustomer(ctx context.Context, input inputs.UpdateCustomerInput,
	dryRun *bool) (*inputs.CustomerPayload, error) {
	customer, err := m.service(dryRun).UpdateCustomer(ctx, auth.From(ctx), input.ID, input.Fields(),
		backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.CustomerPayload{Customer: customer})
}

func (m mutation) DeleteCustomer(ctx context.Context, input inputs.DeleteCustomerInput,
	dryRun *bool) (*inputs.DeleteCustomerPayload, error) {
	gone, err := m.service(dryRun).DeleteCustomer(ctx, auth.From(ctx), input.ID,
		backoffice.OnlyVersion(input.ExpectedVersion))
	payload := &inputs.DeleteCustomerPayload{DeletedCustomerID: deleted(input.ID, err)}
	if err == nil {
		payload.WouldDelete = &gone
	}
	return answer(ctx, err, payload)
}

func (m mutation) MergeCustomers(ctx context.Context, input inputs.MergeCustomersInput,
	dryRun *bool) (*inputs.MergeCustomersPayload, error) {
	customer, merged, err := m.service(dryRun).MergeCustomers(ctx, auth.From(ctx), input.KeepID, input.DropID,
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, &inputs.MergeCustomersPayload{Customer: customer, Merged: merged})
}

func (m mutation) CreateCustomerRelation(ctx context.Context, input inputs.CreateCustomerRelationInput,
	dryRun *bool) (*inputs.RelationPayload, error) {
	relation, err := m.service(dryRun).CreateRelation(ctx, auth.From(ctx), input.Draft(),
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, &inputs.RelationPayload{Relation: relation})
}

func (m mutation) UpdateCustomerRelation(ctx context.Context, input inputs.UpdateCustomerRelationInput,
	dryRun *bool) (*inputs.RelationPayload, error) {
	relation, err := m.service(dryRun).UpdateRelation(ctx, auth.From(ctx), input.ID, input.Fields(),
		backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.RelationPayload{Relation: relation})
}

func (m mutation) NoteDiscrepancy(ctx context.Context, input inputs.NoteDiscrepancyInput,
	dryRun *bool) (*inputs.NoteDiscrepancyPayload, error) {
	discrepancy, err := m.service(dryRun).NoteDiscrepancy(ctx, auth.From(ctx), input.ID, input.Fields(),
		backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.NoteDiscrepancyPayload{Discrepancy: discrepancy})
}

func (m mutation) DeleteCustomerRelation(ctx context.Context, input inputs.DeleteCustomerRelationInput,
	dryRun *bool) (*inputs.DeleteCustomerRelationPayload, error) {
	err := m.service(dryRun).DeleteRelation(ctx, auth.From(ctx), input.ID,
		backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.DeleteCustomerRelationPayload{DeletedRelationID: deleted(input.ID, err)})
}

func (m mutation) AssignChecklist(ctx context.Context, input inputs.AssignChecklistInput,
	dryRun *bool) (*inputs.TranscriptPayload, error) {
	transcript, err := m.service(dryRun).AssignChecklist(ctx, auth.From(ctx), input.Draft(),
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, &inputs.TranscriptPayload{Transcript: transcript})
}

func (m mutation) GenerateTranscriptDocument(ctx context.Context, input inputs.GenerateTranscriptDocumentInput,
	dryRun *bool) (*inputs.TranscriptPayload, error) {
	transcript, err := m.service(dryRun).GenerateTranscriptDocument(ctx, auth.From(ctx), input.TranscriptID)
	return answer(ctx, err, &inputs.TranscriptPayload{Transcript: transcript})
}

func (m mutation) CreateLabel(ctx context.Context, input inputs.CreateLabelInput,
	dryRun *bool) (*inputs.CreateLabelPayload, error) {
	label, err := m.service(dryRun).CreateLabel(ctx, auth.From(ctx), input.LabelDraft,
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, &inputs.CreateLabelPayload{Label: label})
}

func (m mutation) UpdateUser(ctx context.Context, input inputs.UpdateUserInput,
	dryRun *bool) (*inputs.UpdateUserPayload, error) {
	user, err := m.service(dryRun).UpdateUser(ctx, auth.From(ctx), input.ID, input.Fields(),
		backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.UpdateUserPayload{User: user})
}

func (m mutation) DeleteUser(ctx context.Context, input inputs.DeleteUserInput,
	dryRun *bool) (*inputs.DeleteUserPayload, error) {
	err := m.service(dryRun).DeleteUser(ctx, auth.From(ctx), input.ID, backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, &inputs.DeleteUserPayload{DeletedUserID: deleted(input.ID, err)})
}
