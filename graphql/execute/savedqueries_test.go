package execute_test

import (
	"context"
	"math/rand/v2"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/inputs"
)

func (w *world) savedQuery(d *rand.Rand) *backoffice.SavedQuery {
	cost := d.IntN(100)
	return &backoffice.SavedQuery{
		Name: word(d), Title: backoffice.Text(word(d)), Document: word(d), DocumentID: word(d), RequiredScopes: []backoffice.Scope{backoffice.PrivacyRead},
		Cost: maybe(w, d, 3, func(*rand.Rand) *int { return &cost }),
	}
}

func (r query) SavedQueries(ctx context.Context) ([]*backoffice.SavedQuery, error) {
	return single(r.world, ctx, "savedQueries", nil, func(d *rand.Rand) []*backoffice.SavedQuery { return some(r.world, d, r.savedQuery) })
}

func (r mutation) SaveQuery(ctx context.Context, input inputs.SaveQueryInput, dryRun *bool) (*inputs.SaveQueryPayload, error) {
	return one(r.world, ctx, "saveQuery", []any{input, dryRun}, func(d *rand.Rand) *inputs.SaveQueryPayload {
		return &inputs.SaveQueryPayload{SavedQuery: maybe(r.world, d, 3, r.savedQuery), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}

func (r mutation) RemoveSavedQuery(ctx context.Context, input inputs.RemoveSavedQueryInput, dryRun *bool) (*inputs.RemoveSavedQueryPayload, error) {
	return one(r.world, ctx, "removeSavedQuery", []any{input, dryRun}, func(d *rand.Rand) *inputs.RemoveSavedQueryPayload {
		return &inputs.RemoveSavedQueryPayload{RemovedName: maybe(r.world, d, 3, wordAt), Outcome: inputs.Outcome{UserErrors: errorsOf(r.world, d)}}
	})
}
