package limits

import (
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Budgets are what credential pairs may have done in this process: each has so much, which comes back evenly. What a
// request may cost is reserved before anything of it is done; what it came to is charged.
type Budgets struct {
	maximum, restore int64 // restore is a second
	now              func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	swept    time.Time
}

// account is one pair's, in billionths: as many come back in a nanosecond as the budget's units in a second.
type account struct {
	has      int64
	at       time.Time // when it had that
	reserved int       // requests that are not settled
}

const (
	billion    = int64(time.Second)
	mostBudget = 1_000_000_000
	sweepEvery = time.Minute
)

// Allowance is what a pair has left, as its clients are told.
type Allowance struct {
	Maximum     int64 `json:"maximum"`
	Available   int64 `json:"available"`
	RestoreRate int64 `json:"restoreRate"` // a second
}

// NewBudgets makes the budgets of the settings; nil, which has none, without --limit-budget.
func (s Settings) NewBudgets() *Budgets {
	if s.Budget <= 0 {
		return nil
	}
	return &Budgets{
		maximum: int64(s.Budget), restore: int64(max(s.BudgetRestore, 1)), now: time.Now,
		accounts: make(map[string]*account),
	}
}

// Reserve takes a cost from a pair's budget; settle says once what it came to, and gives the rest back. Errors:
// RateLimited, and wait is how long to wait; OverLimit for a cost that no wait makes affordable.
func (b *Budgets) Reserve(pair string, cost int) (settle func(came int), wait time.Duration, err error) {
	if int64(cost) > b.maximum {
		return nil, 0, backoffice.Errorf(backoffice.OverLimit,
			"the request costs more than %d, which is all of the pair's budget", b.maximum)
	}
	asked := int64(max(cost, 0)) * billion
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(pair)
	if missing := asked - a.has; missing > 0 {
		return nil, time.Duration((missing + b.restore - 1) / b.restore),
			backoffice.Errorf(backoffice.RateLimited, "the pair's budget of cost is spent; try again later")
	}
	a.has -= asked
	a.reserved++
	var once sync.Once
	return func(came int) {
		once.Do(func() { b.settle(pair, asked-min(max(int64(came), 0)*billion, asked)) })
	}, 0, nil
}

func (b *Budgets) settle(pair string, back int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(pair)
	a.reserved--
	a.has = min(a.has+back, b.maximum*billion)
}

// of, under mu, is a pair's account as it is now.
func (b *Budgets) of(pair string) *account {
	now := b.now()
	b.sweep(now)
	a := b.accounts[pair]
	if a == nil {
		a = &account{has: b.maximum * billion, at: now}
		b.accounts[pair] = a
	}
	a.refill(b, now)
	return a
}

// refill adds what has come back. A clock that goes backwards takes nothing.
func (a *account) refill(b *Budgets, now time.Time) {
	passed := now.Sub(a.at)
	if passed <= 0 {
		return
	}
	a.at = now
	if missing := b.maximum*billion - a.has; int64(passed) >= (missing+b.restore-1)/b.restore {
		a.has += missing
	} else {
		a.has += int64(passed) * b.restore
	}
}

func (b *Budgets) sweep(now time.Time) {
	if now.Sub(b.swept) < sweepEvery {
		return
	}
	b.swept = now
	for pair, a := range b.accounts {
		if a.refill(b, now); a.reserved == 0 && a.has == b.maximum*billion {
			delete(b.accounts, pair)
		}
	}
}

// Of is what a pair has left, and after how long it has all of it again.
func (b *Budgets) Of(pair string) (left Allowance, whole time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(pair)
	missing := b.maximum*billion - a.has
	return Allowance{Maximum: b.maximum, Available: a.has / billion, RestoreRate: b.restore},
		time.Duration((missing + b.restore - 1) / b.restore)
}

// Window is how long an empty budget takes until it is whole.
func (b *Budgets) Window() time.Duration {
	return time.Duration((b.maximum*billion + b.restore - 1) / b.restore)
}
