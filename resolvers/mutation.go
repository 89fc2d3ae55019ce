package resolvers

import (
	"context"
	"errors"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/inputs"
	"example.org/backoffice/loaders"
)

// mutation holds the writes: each is authorised by the schema's @hasScope and again by the domain, done by the domain, and
// answered by its payload.
type mutation struct{ *Root }

// Mutation gives gqlgen the resolvers of the mutations.
func (r *Root) Mutation() graph.MutationResolver { return mutation{r} }

// answer sorts what came of a write: what the caller can fix goes into the payload, all else into the response's errors.
// After a write that was done, what the request has read before is forgotten, so that the payload's selection sees it.
func answer[P any](ctx context.Context, err error, payload func(userErrors []*backoffice.UserError) *P) (*P, error) {
	if err == nil {
		loaders.From(ctx).Forget()
		return payload([]*backoffice.UserError{}), nil
	}
	var known *backoffice.Error
	if errors.As(err, &known) && known.Kind == backoffice.Refused {
		return payload(known.UserErrors), nil
	}
	return nil, err
}

// deleted is the identifier in the payload of a deletion: null when it was refused.
func deleted(id string, userErrors []*backoffice.UserError) *string {
	if len(userErrors) > 0 {
		return nil
	}
	return &id
}

func (m mutation) CreateCustomer(ctx context.Context, input inputs.CreateCustomerInput) (*inputs.CreateCustomerPayload, error) {
	customer, err := m.Service.CreateCustomer(ctx, auth.From(ctx), input.Fields(), backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.CreateCustomerPayload {
		return &inputs.CreateCustomerPayload{Customer: customer, UserErrors: userErrors}
	})
}

func (m mutation) UpdateCustomer(ctx context.Context, input inputs.UpdateCustomerInput) (*inputs.UpdateCustomerPayload, error) {
	customer, err := m.Service.UpdateCustomer(ctx, auth.From(ctx), input.ID, input.Fields(), backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.UpdateCustomerPayload {
		return &inputs.UpdateCustomerPayload{Customer: customer, UserErrors: userErrors}
	})
}

func (m mutation) DeleteCustomer(ctx context.Context, input inputs.DeleteCustomerInput) (*inputs.DeleteCustomerPayload, error) {
	return answer(ctx, m.Service.DeleteCustomer(ctx, auth.From(ctx), input.ID, backoffice.OnlyVersion(input.ExpectedVersion)), func(userErrors []*backoffice.UserError) *inputs.DeleteCustomerPayload {
		return &inputs.DeleteCustomerPayload{DeletedCustomerID: deleted(input.ID, userErrors), UserErrors: userErrors}
	})
}

func (m mutation) CreateCustomerRelation(ctx context.Context, input inputs.CreateCustomerRelationInput) (*inputs.CreateCustomerRelationPayload, error) {
	relation, err := m.Service.CreateRelation(ctx, auth.From(ctx), input.Draft(), backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.CreateCustomerRelationPayload {
		return &inputs.CreateCustomerRelationPayload{Relation: relation, UserErrors: userErrors}
	})
}

func (m mutation) DeleteCustomerRelation(ctx context.Context, input inputs.DeleteCustomerRelationInput) (*inputs.DeleteCustomerRelationPayload, error) {
	return answer(ctx, m.Service.DeleteRelation(ctx, auth.From(ctx), input.ID), func(userErrors []*backoffice.UserError) *inputs.DeleteCustomerRelationPayload {
		return &inputs.DeleteCustomerRelationPayload{DeletedRelationID: deleted(input.ID, userErrors), UserErrors: userErrors}
	})
}

func (m mutation) AssignChecklist(ctx context.Context, input inputs.AssignChecklistInput) (*inputs.AssignChecklistPayload, error) {
	transcript, err := m.Service.AssignChecklist(ctx, auth.From(ctx), input.Draft(), backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.AssignChecklistPayload {
		return &inputs.AssignChecklistPayload{Transcript: transcript, UserErrors: userErrors}
	})
}

func (m mutation) GenerateTranscriptDocument(ctx context.Context, input inputs.GenerateTranscriptDocumentInput) (*inputs.GenerateTranscriptDocumentPayload, error) {
	transcript, err := m.Service.GenerateTranscriptDocument(ctx, auth.From(ctx), input.TranscriptID)
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.GenerateTranscriptDocumentPayload {
		return &inputs.GenerateTranscriptDocumentPayload{Transcript: transcript, UserErrors: userErrors}
	})
}

func (m mutation) CreateLabel(ctx context.Context, input inputs.CreateLabelInput) (*inputs.CreateLabelPayload, error) {
	label, err := m.Service.CreateLabel(ctx, auth.From(ctx), input.Draft(), backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.CreateLabelPayload {
		return &inputs.CreateLabelPayload{Label: label, UserErrors: userErrors}
	})
}

func (m mutation) UpdateUser(ctx context.Context, input inputs.UpdateUserInput) (*inputs.UpdateUserPayload, error) {
	user, err := m.Service.UpdateUser(ctx, auth.From(ctx), input.ID, input.Fields(), backoffice.OnlyVersion(input.ExpectedVersion))
	return answer(ctx, err, func(userErrors []*backoffice.UserError) *inputs.UpdateUserPayload {
		return &inputs.UpdateUserPayload{User: user, UserErrors: userErrors}
	})
}

func (m mutation) DeleteUser(ctx context.Context, input inputs.DeleteUserInput) (*inputs.DeleteUserPayload, error) {
	return answer(ctx, m.Service.DeleteUser(ctx, auth.From(ctx), input.ID, backoffice.OnlyVersion(input.ExpectedVersion)), func(userErrors []*backoffice.UserError) *inputs.DeleteUserPayload {
		return &inputs.DeleteUserPayload{DeletedUserID: deleted(input.ID, userErrors), UserErrors: userErrors}
	})
}
