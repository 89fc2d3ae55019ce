package resolvers

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/inputs"
	"example.org/backoffice/loaders"
)

// SavedQueries reads them with a statement of its own, outside the request's snapshot; texts only when selected.
func (query) SavedQueries(ctx context.Context) ([]*backoffice.SavedQuery, error) {
	ask := backoffice.TrustedQuery{Saved: true, Texts: loaders.Selects(ctx, "document")}
	documents, err := loaders.From(ctx).Trusted(ctx, ask)
	if err != nil {
		return nil, err
	}
	mine := backoffice.SavedQueries(auth.From(ctx), documents)
	return backoffice.Map(mine, (*backoffice.TrustedDocument).Saved), nil
}

func (m mutation) SaveQuery(ctx context.Context, input inputs.SaveQueryInput,
	dryRun *bool) (*inputs.SaveQueryPayload, error) {
	saved, err := m.service(dryRun).SaveQuery(ctx, auth.From(ctx), input.SavedQueryDraft)
	return answer(ctx, err, &inputs.SaveQueryPayload{SavedQuery: saved})
}

func (m mutation) RemoveSavedQuery(ctx context.Context, input inputs.RemoveSavedQueryInput,
	dryRun *bool) (*inputs.RemoveSavedQueryPayload, error) {
	err := m.service(dryRun).RemoveSavedQuery(ctx, auth.From(ctx), input.Name)
	return answer(ctx, err, &inputs.RemoveSavedQueryPayload{RemovedName: deleted(input.Name, err)})
}
