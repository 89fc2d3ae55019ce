package limits

import (
	"sync"
	"time"

	"example.org/backoffice/backoffice"
)

// Budgets are the cost budgets of credentials in this process. They are restored evenly. A request reserves what it may
// cost before it runs, and is charged what it did cost.
type Budgets struct {
	maximum, restore int64 // restore is per second
	now              func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	swept    time.Time
}

// account is a credential's budget in billionths: as many are restored per nanosecond as whole units per second.
type account struct {
	has      int64
	at       time.Time // of has
	reserved int       // requests that are not charged
}

const (
	billion    = int64(time.Second)
	mostBudget = 1_000_000_000
	sweepEvery = time.Minute
)

// Allowance is what a credential has left, as clients see it.
type Allowance struct {
	Maximum     int64 `json:"maximum"`
	Available   int64 `json:"available"`
	RestoreRate int64 `json:"restoreRate"` // per second
}

// NewBudgets returns the budgets of the settings; nil without --limit-budget.
func (s Settings) NewBudgets() *Budgets {
	if s.Budget <= 0 {
		return nil
	}
	return &Budgets{
		maximum: int64(s.Budget), restore: int64(max(s.BudgetRestore, 1)), now: time.Now,
		accounts: make(map[string]*account),
	}
}

// Reserve takes a cost from a credential's budget. charge, once, charges the actual cost and returns the rest. Errors:
// RateLimited, and wait is how long to wait; OverLimit for more than the whole budget.
func (b *Budgets) Reserve(clientID string, cost int) (charge func(came int), wait time.Duration, err error) {
	if int64(cost) > b.maximum {
		return nil, 0, backoffice.Errorf(backoffice.OverLimit,
			"the request costs more than %d, the credential's whole budget", b.maximum)
	}
	asked := int64(max(cost, 0)) * billion
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(clientID)
	if missing := asked - a.has; missing > 0 {
		wait = time.Duration((missing + b.restore - 1) / b.restore)
		return nil, wait, backoffice.Errorf(backoffice.RateLimited, // agents see no header
			"the credential's cost budget is exhausted; try again in %s s", backoffice.WholeSeconds(wait))
	}
	a.has -= asked
	a.reserved++
	var once sync.Once
	return func(came int) {
		once.Do(func() { b.refund(clientID, asked-min(max(int64(came), 0)*billion, asked)) })
	}, 0, nil
}

func (b *Budgets) refund(clientID string, back int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(clientID)
	a.reserved--
	a.has = min(a.has+back, b.maximum*billion)
}

// of returns a credential's account as of now. The caller holds mu.
func (b *Budgets) of(clientID string) *account {
	now := b.now()
	b.sweep(now)
	a := b.accounts[clientID]
	if a == nil {
		a = &account{has: b.maximum * billion, at: now}
		b.accounts[clientID] = a
	}
	a.refill(b, now)
	return a
}

// refill adds what has been restored. A clock that goes backwards takes nothing away.
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
	for clientID, a := range b.accounts {
		if a.refill(b, now); a.reserved == 0 && a.has == b.maximum*billion {
			delete(b.accounts, clientID)
		}
	}
}

// Of returns what a credential has left, and after how long its budget is full.
func (b *Budgets) Of(clientID string) (left Allowance, whole time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(clientID)
	missing := b.maximum*billion - a.has
	return Allowance{Maximum: b.maximum, Available: a.has / billion, RestoreRate: b.restore},
		time.Duration((missing + b.restore - 1) / b.restore)
}

// Window is how long it takes to restore an empty budget.
func (b *Budgets) Window() time.Duration {
	return time.Duration((b.maximum*billion + b.restore - 1) / b.restore)
}
