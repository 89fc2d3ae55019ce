package gateway

import (
	"context"
	"slices"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/forecast"
	"example.org/backoffice/limits"
	"example.org/backoffice/loaders"
)

// imaginedReader reads what is imagined, all of it.
var imaginedReader = &backoffice.Principal{ClientID: "imagined", Name: "imagined", Scopes: backoffice.AllScopes}

// statements foretells how many statements a query takes. Its resolvers run as for any request, over an imagined store and with a
// ledger that is thrown away, so that nothing is read and the register of consultations has no entry of it.
func (s server) statements(schema *execute.Executor, admission *limits.Admission) func(context.Context, int) (int, bool, error) {
	return func(ctx context.Context, cost int) (most int, known bool, err error) {
		share, err := enter(ctx, admission, min(cost, forecast.MostRows))
		if err != nil {
			return 0, false, err
		}
		defer share.Leave()
		defer share.Executed(0)
		return forecast.Statements(ctx, s.store, func(ctx context.Context, imagined backoffice.Store) error {
			ctx = s.backend.Vault.WithLedger(auth.WithPrincipal(ctx, imaginedReader), imaginedReader, new("to foretell"))
			ctx = loaders.With(ctx, imagined, loaders.Gated)
			defer loaders.From(ctx).Close()
			return schema.Resolve(ctx)
		})
	}
}

// missingScopes are the scopes that the context's pair does not have.
func missingScopes(ctx context.Context, of []string) []string {
	principal := auth.From(ctx)
	return slices.DeleteFunc(slices.Clone(of), func(name string) bool { return principal.Has(backoffice.Scope(name)) })
}
