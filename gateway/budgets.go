package gateway

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// costBudgets connects requests of both APIs to the credentials' budgets; nil without --limit-budget.
type costBudgets struct{ *limits.Budgets }

// charges is what a request of HTTP owes until its answer begins. Its header reports what is left.
type charges struct {
	of       *costBudgets
	clientID string

	mu      sync.Mutex
	pending []func()
	wait    time.Duration // of a refusal
}

func (c *charges) Remaining() any {
	left, _ := c.of.Of(c.clientID)
	return left
}

func (s *costBudgets) withCharges(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	of := &charges{of: s, clientID: clientOf(ctx)}
	return backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.CostBudget = of })
}

func chargesOf(ctx context.Context) *charges {
	charges, _ := backoffice.RequestOf(ctx).CostBudget.(*charges)
	return charges
}

func clientOf(ctx context.Context) string {
	if principal := auth.From(ctx); principal != nil {
		return principal.ClientID
	}
	return ""
}

// spend takes a cost from the budget of the context's credential. It charges the rows that were read for it, and least.
func (s *costBudgets) spend(ctx context.Context, cost, least int) (charge func(executed bool), err error) {
	if s == nil {
		return func(bool) {}, nil
	}
	chargeCost, wait, err := s.Reserve(clientOf(ctx), cost)
	if err != nil {
		if charges := chargesOf(ctx); charges != nil {
			charges.mu.Lock()
			charges.wait = max(charges.wait, wait)
			charges.mu.Unlock()
		}
		return nil, err
	}
	return func(executed bool) {
		came := 0
		if executed {
			came = max(1, least)
			if budget := backoffice.BudgetOf(ctx); budget != nil {
				came = max(came, least+budget.Objects())
			}
		}
		chargeCost(came)
	}, nil
}

// onAnswer charges when the answer begins, at the latest.
func onAnswer(ctx context.Context, charge func()) {
	if charges := chargesOf(ctx); charges != nil {
		charges.mu.Lock()
		charges.pending = append(charges.pending, charge)
		charges.mu.Unlock()
	}
}

// chargesOne charges 1 for an answer that is a stream or a file, which cannot be charged by rows.
func (s server) chargesOne() func(context.Context) error {
	if s.budgets == nil {
		return nil
	}
	return func(ctx context.Context) error {
		charge, err := s.budgets.spend(ctx, 1, 1)
		if err == nil {
			charge(true)
		}
		return err
	}
}

// middleware reports what a credential has left (draft-ietf-httpapi-ratelimit-headers), and in a refusal when to retry.
func (s *costBudgets) middleware(next http.Handler) http.Handler {
	if s == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := s.withCharges(r.Context())
		next.ServeHTTP(&budgetHeaders{ResponseWriter: w, charges: chargesOf(ctx)}, r.WithContext(ctx))
	})
}

// budgetHeaders adds the headers when the answer begins.
type budgetHeaders struct {
	http.ResponseWriter
	charges *charges
	written bool
}

func (t *budgetHeaders) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *budgetHeaders) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		t.write(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *budgetHeaders) Write(b []byte) (int, error) {
	t.write(http.StatusOK)
	return t.ResponseWriter.Write(b)
}

func (t *budgetHeaders) write(status int) {
	if t.written {
		return
	}
	t.written = true
	t.charges.mu.Lock()
	wait := t.charges.wait
	for _, charge := range t.charges.pending {
		charge()
	}
	t.charges.mu.Unlock()
	of := t.charges.of
	left, whole := of.Of(t.charges.clientID)
	header := t.Header()
	header.Set("RateLimit-Policy",
		`"cost";q=`+strconv.FormatInt(left.Maximum, 10)+`;w=`+backoffice.WholeSeconds(of.Window()))
	header.Set("RateLimit", `"cost";r=`+strconv.FormatInt(left.Available, 10)+`;t=`+backoffice.WholeSeconds(whole))
	if status == http.StatusTooManyRequests && wait > 0 {
		header.Set("Retry-After", backoffice.WholeSeconds(wait))
	}
}
