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

// spending connects requests of both APIs to the credentials' budgets; nil without --limit-budget.
type spending struct{ *limits.Budgets }

// bill is what a request of HTTP owes until its answer begins. Its header reports what is left.
type bill struct {
	of       *spending
	clientID string

	mu      sync.Mutex
	charges []func()
	wait    time.Duration // of a refusal
}

func (b *bill) Remaining() any {
	left, _ := b.of.Of(b.clientID)
	return left
}

func (s *spending) withBill(ctx context.Context) context.Context {
	if s == nil {
		return ctx
	}
	owed := &bill{of: s, clientID: clientOf(ctx)}
	return backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.CostBudget = owed })
}

func billOf(ctx context.Context) *bill {
	owed, _ := backoffice.RequestOf(ctx).CostBudget.(*bill)
	return owed
}

func clientOf(ctx context.Context) string {
	if principal := auth.From(ctx); principal != nil {
		return principal.ClientID
	}
	return ""
}

// spend takes a cost from the budget of the context's credential. It charges the rows that were read for it, and least.
func (s *spending) spend(ctx context.Context, cost, least int) (charge func(executed bool), err error) {
	if s == nil {
		return func(bool) {}, nil
	}
	chargeCost, wait, err := s.Reserve(clientOf(ctx), cost)
	if err != nil {
		if owed := billOf(ctx); owed != nil {
			owed.mu.Lock()
			owed.wait = max(owed.wait, wait)
			owed.mu.Unlock()
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
	if owed := billOf(ctx); owed != nil {
		owed.mu.Lock()
		owed.charges = append(owed.charges, charge)
		owed.mu.Unlock()
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
func (s *spending) middleware(next http.Handler) http.Handler {
	if s == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := s.withBill(r.Context())
		next.ServeHTTP(&telling{ResponseWriter: w, owed: billOf(ctx)}, r.WithContext(ctx))
	})
}

// telling adds the headers when the answer begins.
type telling struct {
	http.ResponseWriter
	owed *bill
	told bool
}

func (t *telling) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *telling) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		t.tell(status)
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *telling) Write(b []byte) (int, error) {
	t.tell(http.StatusOK)
	return t.ResponseWriter.Write(b)
}

func (t *telling) tell(status int) {
	if t.told {
		return
	}
	t.told = true
	t.owed.mu.Lock()
	wait := t.owed.wait
	for _, charge := range t.owed.charges {
		charge()
	}
	t.owed.mu.Unlock()
	of := t.owed.of
	left, whole := of.Of(t.owed.clientID)
	header := t.Header()
	header.Set("RateLimit-Policy",
		`"cost";q=`+strconv.FormatInt(left.Maximum, 10)+`;w=`+backoffice.WholeSeconds(of.Window()))
	header.Set("RateLimit", `"cost";r=`+strconv.FormatInt(left.Available, 10)+`;t=`+backoffice.WholeSeconds(whole))
	if status == http.StatusTooManyRequests && wait > 0 {
		header.Set("Retry-After", backoffice.WholeSeconds(wait))
	}
}
