package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graph"
	"example.org/backoffice/graphql/inputs"
	"example.org/backoffice/privacy"
)

func (m mutation) CreateCustomers(ctx context.Context, sent []*inputs.CreateCustomerInput, mode backoffice.BatchMode,
	idempotencyKey *string, dryRun *bool) (*inputs.CustomersPayload, error) {
	outcome, err := m.service(dryRun).CreateCustomers(ctx, auth.From(ctx), inputs.NewCustomers(sent), mode,
		backoffice.ValueOf(idempotencyKey))
	return answer(ctx, err, inputs.CustomersWritten(outcome))
}

func (m mutation) UpdateCustomers(ctx context.Context, sent []*inputs.UpdateCustomerInput, mode backoffice.BatchMode,
	dryRun *bool) (*inputs.CustomersPayload, error) {
	outcome, err := m.service(dryRun).UpdateCustomers(ctx, auth.From(ctx), inputs.ChangedCustomers(sent), mode)
	return answer(ctx, err, inputs.CustomersWritten(outcome))
}

func (m mutation) DeleteCustomers(ctx context.Context, sent []*inputs.DeleteCustomerInput, mode backoffice.BatchMode,
	dryRun *bool) (*inputs.DeleteCustomersPayload, error) {
	outcome, gone, err := m.service(dryRun).DeleteCustomers(ctx, auth.From(ctx), inputs.CustomersToDelete(sent), mode)
	return answer(ctx, err, inputs.CustomersDeleted(outcome, gone))
}

func (m mutation) CreateCustomerRelations(ctx context.Context, sent []*inputs.CreateCustomerRelationInput,
	mode backoffice.BatchMode, idempotencyKey *string, dryRun *bool) (*inputs.CreateCustomerRelationsPayload, error) {
	outcome, err := m.service(dryRun).CreateRelations(ctx, auth.From(ctx), inputs.NewRelations(sent), mode,
		backoffice.ValueOf(idempotencyKey))
	return answer(ctx, err, inputs.RelationsCreated(outcome))
}

// AssignChecklists reports the customers that a filter by registration number finds to the register, as a search does.
func (m mutation) AssignChecklists(ctx context.Context, input inputs.AssignChecklistsInput,
	dryRun *bool) (*inputs.AssignChecklistsPayload, error) {
	search, draft := privacy.Search(ctx), input.Draft()
	draft.Index, draft.Found = search.Index, search.Found
	assigned, err := m.service(dryRun).AssignChecklists(ctx, auth.From(ctx), draft,
		backoffice.ValueOf(input.IdempotencyKey))
	return answer(ctx, err, inputs.ChecklistsAssigned(assigned))
}

// assignments resolves the payload of assignChecklists, whose whole list of transcripts is in memory.
type assignments struct{ *Root }

func (r *Root) AssignChecklistsPayload() graph.AssignChecklistsPayloadResolver { return assignments{r} }

func (r assignments) Transcripts(_ context.Context, payloads []*inputs.AssignChecklistsPayload, first *int,
	after *string) ([]*backoffice.TranscriptConnection, error) {
	connections := make([]*backoffice.TranscriptConnection, len(payloads))
	for i, payload := range payloads {
		if payload == nil {
			continue
		}
		var err error
		if connections[i], err = known[*backoffice.Transcript, backoffice.TranscriptCriteria](r.Root, payload.Made,
			backoffice.PageArgs{First: first, After: after}); err != nil {
			return nil, err
		}
	}
	return connections, nil
}
