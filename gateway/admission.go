package gateway

import (
	"context"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/execute"
	"example.org/backoffice/graphqlhttp"
	"example.org/backoffice/limits"
	"example.org/backoffice/loaders"
)

// Requests of both APIs enter one admission, and tell it through their budget what they take.

// rowsOfAnswers is how many bytes of rows may be read for each byte of an answer: a page reads one more.
const rowsOfAnswers = 2

// begin gives a GraphQL operation budget, loaders and a buffer; one of several in a request what is its own, too.
func (s server) begin(ctx context.Context, part bool) (_ context.Context, end func()) {
	principal, counted := auth.From(ctx), func() {}
	if part {
		all := backoffice.StatementCountOf(ctx)
		var own *backoffice.StatementCount
		ctx, own = backoffice.WithStatementCount(s.backend.Vault.WithNewLedger(auth.WithPrincipal(ctx, principal)))
		counted = func() { all.Add(own) }
	}
	ctx, report := s.watch(ctx)
	ctx = backoffice.WithBudget(ctx, backoffice.NewBudget(s.limits.Answer, rowsOfAnswers*s.limits.Answer))
	ctx = backoffice.WithRenderings(ctx, s.limits.Generated)
	ctx, giveBack := execute.Lend(loaders.With(ctx, backoffice.StoreVisibleTo(principal, s.store), loaders.Gated))
	return ctx, func() {
		giveBack()
		counted()
		if report != nil {
			report()
		}
	}
}

// written counts the answer that the executor writes, and shows it to whoever reads on.
func written(ctx context.Context, answer []byte) error {
	graphqlhttp.Written(ctx, answer)
	if budget := backoffice.BudgetOf(ctx); budget != nil {
		return budget.Write(len(answer))
	}
	return nil
}

// readAgain reports whether a query has to be executed again, on what is read anew.
func readAgain(ctx context.Context) bool { return loaders.From(ctx).ReadAgain() }

// admit lets operations enter, and ends an operation's reading when it was executed.
func admit(admission *limits.Admission) func(context.Context, int) (graphqlhttp.Admitted, error) {
	return func(ctx context.Context, cost int) (graphqlhttp.Admitted, error) {
		share, err := enter(ctx, admission, cost)
		if err != nil {
			return graphqlhttp.Admitted{}, err
		}
		return graphqlhttp.Admitted{
			Executed: func(bytes int) {
				loaders.From(ctx).Close()
				share.Executed(bytes)
			},
			Sent: share.Leave,
		}, nil
	}
}

// admitREST lets REST requests enter. Their answers are made of one page, so hardly more is read than is shown.
func (s server) admitREST(admission *limits.Admission) func(ctx context.Context, cost, least int) (context.Context, func(), error) {
	return func(ctx context.Context, cost, least int) (context.Context, func(), error) {
		ctx = backoffice.WithBudget(ctx, backoffice.NewBudget(s.limits.Answer, s.limits.Answer+2*backoffice.MaxJSON))
		settle := func(bool) {}
		if s.budgets != nil {
			var err error
			if settle, err = s.budgets.spend(ctx, cost, least); err != nil {
				return nil, nil, err
			}
		}
		share, err := enter(ctx, admission, cost)
		if err != nil {
			settle(false)
			return nil, nil, err
		}
		onAnswer(ctx, func() { settle(true) })
		return ctx, func() { settle(true); share.Leave() }, nil
	}
}

// enter lets a request of the context's pair enter, and bounds what it takes from then on.
func enter(ctx context.Context, admission *limits.Admission, cost int) (*limits.Share, error) {
	pair := ""
	if principal := auth.From(ctx); principal != nil {
		pair = principal.ClientID
	}
	share, err := admission.Enter(ctx, pair, cost)
	if err != nil {
		return nil, err
	}
	if share.Large() && admission.Crowded() {
		processNetwork().yield()
	}
	if budget := backoffice.BudgetOf(ctx); budget != nil {
		budget.OnGrowth(share.Grow)
		budget.OnWait(share.Wait)
	}
	return share, nil
}
