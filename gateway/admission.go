package gateway

import (
	"context"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/answers"
	"example.org/backoffice/graphql/execute"
	"example.org/backoffice/graphql/graphqlhttp"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver/tracing"
	"example.org/backoffice/loaders"
	"example.org/backoffice/store/cache"
)

// Requests of both APIs share one admission, and report what they take through their budget.

// rowsOfAnswers is how many bytes of rows may be read per byte of an answer: a page reads one more.
const rowsOfAnswers = 2

// execution is an operation of GraphQL, from its admission until its answer was sent.
type execution struct {
	of      *server
	ctx     context.Context
	whole   *backoffice.StatementCount // the count of the request of which it is a part; nil when it is no part
	release func()
	charge  func(executed bool) // nil when nothing is charged
	grant   *limits.Grant       // nil when it was not admitted
	began   time.Time
	span    *tracing.Operation
	key     *answers.Key    // of an answer that is to be kept; nil otherwise
	trace   *cache.Trace    // of what it reads; nil when the answer is not to be kept
	kept    *answers.Answer // that was in memory
	valid   bool            // kept is the answer
}

// begin admits operations of GraphQL. Each has its own budget, loaders and buffer.
func (s server) begin(admission *limits.Admission) graphqlhttp.Begin {
	return func(ctx context.Context, e graphqlhttp.Entry) (_ context.Context, _ graphqlhttp.Run, err error) {
		o := &execution{of: &s, began: time.Now()}
		if e.Part {
			o.whole = backoffice.StatementCountOf(ctx)
			if ctx, err = s.part(ctx); err != nil {
				return ctx, nil, err
			}
		}
		o.span = s.tracer.Begin(ctx)
		ctx = backoffice.WithRequest(ctx, func(r *backoffice.Request) {
			r.Budget = backoffice.NewBudget(s.limits.Answer, rowsOfAnswers*s.limits.Answer)
			r.BoundRenderings(s.limits.Generated)
			if r.Timeline == nil && (s.slow > 0 || o.span != nil) {
				r.Timeline = &backoffice.Timeline{}
			}
		})
		o.ctx = ctx
		if err := o.spend(e); err != nil || o.recall(e.Key) {
			return ctx, o, err
		}
		visible := backoffice.StoreVisibleTo(auth.From(ctx), s.store)
		o.ctx, o.release = execute.WithBuffer(loaders.With(ctx, visible))
		if o.key != nil {
			o.trace = cache.Follow(o.ctx)
		}
		return o.ctx, o, o.enter(admission, e)
	}
}

// recall finds the answer in memory and charges it as if it were executed. Otherwise it notes whether to keep it.
func (o *execution) recall(key *answers.Key) bool {
	if key == nil || o.of.answers == nil {
		return false
	}
	key.Sealed = o.of.backend.Keys.Fingerprint()
	var wanted bool
	if o.kept, o.valid, wanted = o.of.answers.Get(o.ctx, key); wanted {
		o.key = key
	}
	if !o.valid {
		return false
	}
	_ = backoffice.BudgetOf(o.ctx).Read(o.kept.Objects, 0)
	if o.charge != nil {
		o.charge(true)
	}
	return true
}

func (o *execution) Kept() *answers.Answer {
	if !o.valid {
		return nil
	}
	return o.kept
}

func (o *execution) Keep(data []byte) {
	if o.trace != nil && o.trace.Close() {
		o.of.answers.Put(o.key, o.kept, data, backoffice.BudgetOf(o.ctx).Objects(), o.trace)
	}
}

// part begins one of several parts of a request, which share nothing. It authenticates and authorises the caller again.
func (s server) part(ctx context.Context) (context.Context, error) {
	principal := auth.From(ctx)
	if !s.byOperator {
		var err error
		if principal, err = s.authenticator.Revalidate(ctx, principal); err != nil {
			return ctx, err
		}
	}
	ctx, _ = backoffice.WithStatementCount(s.backend.Vault.WithNewLedger(auth.WithPrincipal(ctx, principal)))
	return ctx, nil
}

func (o *execution) spend(e graphqlhttp.Entry) (err error) {
	if o.of.budgets != nil && !e.Paid {
		o.charge, err = o.of.budgets.spend(o.ctx, e.Cost, e.Least)
	}
	return err
}

func (o *execution) enter(admission *limits.Admission, e graphqlhttp.Entry) (err error) {
	if o.grant, err = enter(o.ctx, admission, e.Cost); err != nil && o.charge != nil {
		o.charge(false)
	}
	return err
}

func (o *execution) Executed(bytes int, answered bool) {
	loaders.From(o.ctx).Close()
	o.grant.Executed(bytes)
	if o.charge != nil {
		o.charge(answered)
	}
}

func (o *execution) Sent() {
	if o.grant != nil {
		o.grant.Leave()
	}
}

func (o *execution) End(of graphqlhttp.Outcome) {
	o.Sent()
	if o.release != nil { // it was executed
		o.release()
	}
	if o.whole != nil {
		o.whole.Add(backoffice.StatementCountOf(o.ctx))
	}
	o.report(&of)
}

// written counts the bytes that the executor writes, and passes them on to a reader of the unfinished answer.
func written(ctx context.Context, answer []byte) error {
	r := backoffice.RequestOf(ctx)
	if r.Written != nil {
		r.Written(answer)
	}
	if r.Budget != nil {
		return r.Budget.Write(len(answer))
	}
	return nil
}

// admitREST admits REST requests. Their answers are made of one page, so they read hardly more than they show.
func (s server) admitREST(admission *limits.Admission) func(ctx context.Context, cost, least int) (
	context.Context, func(), error) {
	return func(ctx context.Context, cost, least int) (context.Context, func(), error) {
		ctx = backoffice.WithBudget(ctx, backoffice.NewBudget(s.limits.Answer, s.limits.Answer+2*backoffice.MaxJSON))
		charge, err := s.budgets.spend(ctx, cost, least)
		if err != nil {
			return nil, nil, err
		}
		grant, err := enter(ctx, admission, cost)
		if err != nil {
			charge(false)
			return nil, nil, err
		}
		onAnswer(ctx, func() { charge(true) })
		return ctx, func() { charge(true); grant.Leave() }, nil
	}
}

// enter admits a request of the context's credential, and bounds what it takes from then on.
func enter(ctx context.Context, admission *limits.Admission, cost int) (*limits.Grant, error) {
	grant, err := admission.Enter(ctx, clientOf(ctx), cost)
	if err != nil {
		return nil, err
	}
	if grant.Large() && admission.Crowded() {
		processNetwork().yield()
	}
	if budget := backoffice.BudgetOf(ctx); budget != nil {
		budget.OnGrowth(grant.Grow)
		budget.OnWait(grant.Wait)
	}
	return grant, nil
}
