package limits

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// purse is what Budgets do, and what its broken copies do wrongly.
type purse interface {
	Reserve(credential string, cost int) (charge func(came int), wait time.Duration, err error)
	Of(credential string) (Allowance, time.Duration)
}

// moved are budgets over a clock that the test moves.
func moved(maximum, restore int) (b *Budgets, clock *time.Time) {
	clock = new(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b = Settings{Budget: maximum, BudgetRestore: restore}.NewBudgets()
	b.now = func() time.Time { return *clock }
	return b, clock
}

// broken says what is wrong with a purse in a random history of several credentials, by a model of its own in whole
// nanoseconds; "" when nothing is.
func broken(p purse, clock *time.Time, maximum, restore int, seed uint64) string {
	const unit = int64(time.Second)
	random := rand.New(rand.NewPCG(seed, 7))
	type open struct {
		credential string
		cost       int
		charge     func(int)
	}
	has, at := map[string]int64{}, map[string]time.Time{}
	left := func(credential string) int64 {
		if _, known := has[credential]; !known {
			has[credential], at[credential] = int64(maximum)*unit, *clock
		}
		has[credential] = min(int64(maximum)*unit, has[credential]+int64(clock.Sub(at[credential]))*int64(restore))
		at[credential] = *clock
		return has[credential]
	}
	var opened []open
	for step := range 400 {
		credential := fmt.Sprint("credential ", random.IntN(3))
		switch random.IntN(4) {
		case 0:
			*clock = clock.Add(time.Duration(random.Int64N(int64(2 * time.Second))))
		case 1:
			if len(opened) == 0 {
				continue
			}
			i := random.IntN(len(opened))
			o := opened[i]
			opened = append(opened[:i], opened[i+1:]...)
			came := random.IntN(o.cost + 5)
			left(o.credential)
			o.charge(came)
			o.charge(0) // again it does nothing
			has[o.credential] = min(int64(maximum)*unit, has[o.credential]+int64(o.cost-min(came, o.cost))*unit)
		default:
			cost := 1 + random.IntN(maximum+maximum/10)
			charge, wait, err := p.Reserve(credential, cost)
			missing := int64(cost)*unit - left(credential)
			switch {
			case cost > maximum:
				if backoffice.KindOf(err) != backoffice.OverLimit {
					return fmt.Sprintf("step %d: %d of at most %d: %v", step, cost, maximum, err)
				}
			case missing > 0:
				exact := time.Duration((missing + int64(restore) - 1) / int64(restore))
				if backoffice.KindOf(err) != backoffice.RateLimited || wait != exact {
					return fmt.Sprintf("step %d: %d more than there is: %v, to wait %v in place of %v", step, missing, err, wait, exact)
				}
				now := *clock
				*clock = now.Add(wait - 1)
				if _, _, err := p.Reserve(credential, cost); err == nil {
					return fmt.Sprintf("step %d: a nanosecond before the time that was said there is enough", step)
				}
				*clock = now.Add(wait)
				if charge, _, err = p.Reserve(credential, cost); err != nil {
					return fmt.Sprintf("step %d: at the time that was said there is not enough", step)
				}
				left(credential)
				has[credential] -= int64(cost) * unit
				opened = append(opened, open{credential, cost, charge})
			case err != nil:
				return fmt.Sprintf("step %d: there is enough: %v", step, err)
			default:
				has[credential] -= int64(cost) * unit
				opened = append(opened, open{credential, cost, charge})
			}
		}
		told, whole := p.Of(credential)
		want := left(credential)
		until := time.Duration((int64(maximum)*unit - want + int64(restore) - 1) / int64(restore))
		if told.Available != want/unit || told.Maximum != int64(maximum) || told.RestoreRate != int64(restore) || whole != until {
			return fmt.Sprintf("step %d: %+v, whole in %v; the model has %d, whole in %v", step, told, whole, want/unit, until)
		}
	}
	return ""
}

func TestBudgetsAreExactUnderAnyHistory(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(200) {
		maximum, restore := 1+random.IntN(50_000), 1+random.IntN(3_000)
		b, clock := moved(maximum, restore)
		if wrong := broken(b, clock, maximum, restore, seed); wrong != "" {
			t.Fatalf("seed %d, %d and %d a second: %s", seed, maximum, restore, wrong)
		}
	}
}

// Copies that do it wrongly.
type (
	keepsAll   struct{ *Budgets } // gives nothing back
	givesMore  struct{ *Budgets } // charges one less than came
	hurried    struct{ *Budgets } // says a wait that is too short
	forgetful  struct{ *Budgets } // charges, and charges again
	oneForAll  struct{ *Budgets } // has one budget for all credentials
	unreserved struct{ *Budgets } // charges what came, without a reservation before
)

func (k keepsAll) Reserve(credential string, cost int) (func(int), time.Duration, error) {
	charge, wait, err := k.Budgets.Reserve(credential, cost)
	return func(int) { charge(cost) }, wait, err
}

func (g givesMore) Reserve(credential string, cost int) (func(int), time.Duration, error) {
	charge, wait, err := g.Budgets.Reserve(credential, cost)
	return func(came int) { charge(came - 1) }, wait, err
}

func (h hurried) Reserve(credential string, cost int) (func(int), time.Duration, error) {
	charge, wait, err := h.Budgets.Reserve(credential, cost)
	return charge, wait.Truncate(time.Second), err
}

func (f forgetful) Reserve(credential string, cost int) (func(int), time.Duration, error) {
	_, wait, err := f.Budgets.Reserve(credential, cost)
	return func(came int) { f.refund(credential, int64(max(0, cost-came))*billion) }, wait, err
}

func (o oneForAll) Reserve(_ string, cost int) (func(int), time.Duration, error) {
	return o.Budgets.Reserve("all", cost)
}

func (u unreserved) Reserve(credential string, cost int) (func(int), time.Duration, error) {
	charge, wait, err := u.Budgets.Reserve(credential, cost)
	if err == nil {
		charge(0)
	}
	return func(came int) { _, _, _ = u.Budgets.Reserve(credential, min(came, cost)) }, wait, err
}

func TestWrongBudgetsAreFound(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*Budgets) purse{
		"gives nothing back":      func(b *Budgets) purse { return keepsAll{b} },
		"charges less than came":  func(b *Budgets) purse { return givesMore{b} },
		"says too short a wait":   func(b *Budgets) purse { return hurried{b} },
		"gives back twice":        func(b *Budgets) purse { return forgetful{b} },
		"one budget for all":      func(b *Budgets) purse { return oneForAll{b} },
		"reserves nothing before": func(b *Budgets) purse { return unreserved{b} },
	} {
		found := 0
		for seed := range uint64(20) {
			b, clock := moved(1_000, 37)
			if broken(of(b), clock, 1_000, 37, seed) != "" {
				found++
			}
		}
		if found < 20 {
			t.Errorf("a budget that is wrong (%s) passed %d of 20 histories", name, 20-found)
		}
	}
}

func TestCredentialsThatHaveAllOfTheirBudgetAreForgotten(t *testing.T) {
	t.Parallel()
	b, clock := moved(100, 1)
	charge, _, _ := b.Reserve("busy", 100)
	for i := range 50 {
		if _, _, err := b.Reserve(fmt.Sprint(i), 10); err != nil {
			t.Fatal(err)
		}
	}
	before := len(b.accounts)
	*clock = clock.Add(time.Hour)
	b.Of("another")
	if before != 51 || len(b.accounts) != 52 { // none of them is charged
		t.Errorf("%d, then %d accounts", before, len(b.accounts))
	}
	charge(100)
	*clock = clock.Add(time.Hour)
	b.Of("another")
	if _, known := b.accounts["busy"]; known || len(b.accounts) != 51 {
		t.Errorf("%d accounts; the one that is whole again is among them: %v", len(b.accounts), known)
	}
}
