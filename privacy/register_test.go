package privacy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// consult reveals one number in each of n requests.
func consult(t testing.TB, vault *Vault, n int) {
	t.Helper()
	for i := range n {
		if err := consultOnce(t, vault, fmt.Sprint("customer-", i)); err != nil {
			t.Fatal(err)
		}
	}
}

func consultOnce(t testing.TB, vault *Vault, customer string) error {
	t.Helper()
	ctx := vault.WithLedger(context.Background(), reader, nil)
	if _, err := Reveal(ctx, []SealedNumber{sealed(t, vault.keys, customer, backoffice.RegistrationNumber)}); err != nil {
		t.Fatal(err)
	}
	return backoffice.CommitLedger(ctx)
}

func TestRequestsThatComeWhileAWriteIsUnderWayShareTheNext(t *testing.T) {
	t.Parallel()
	const requests = 50
	keys, store := testKeys(t), newMemoryStore()
	vault := NewVault(keys, store)
	first, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	store.fail = func(call string) error {
		if call == "append" {
			once.Do(func() { close(first); <-held })
		}
		return nil
	}
	var all sync.WaitGroup
	enter := func(i int) {
		all.Go(func() {
			if err := consultOnce(t, vault, fmt.Sprint("customer-", i)); err != nil {
				t.Error(err)
			}
		})
	}
	enter(0)
	<-first
	for i := 1; i < requests; i++ {
		enter(i)
	}
	for waiting := 0; waiting < requests-1; time.Sleep(time.Millisecond) {
		vault.register.mu.Lock()
		waiting = len(vault.register.waiting)
		vault.register.mu.Unlock()
	}
	close(held)
	all.Wait()
	if store.appends != 2 || store.opens != 1 || len(store.entries) != requests {
		t.Errorf("%d appends, %d chains, %d entries", store.appends, store.opens, len(store.entries))
	}
	if problems, _ := verify(t, keys, store); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestAfterAFailedWriteNothingIsDisclosedAndANewChainIsBegun(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	vault := NewVault(keys, store)
	consult(t, vault, 2)

	store.fail = func(call string) error { return errors.New(call + " is away") }
	if err := consultOnce(t, vault, "x"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("append away: %v", err)
	}
	if err := consultOnce(t, vault, "x"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("open away: %v", err)
	}
	store.fail = func(string) error { panic("driver") }
	if err := consultOnce(t, vault, "x"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("panic: %v", err)
	}
	store.fail = nil
	consult(t, vault, 1)
	store.lost = true // it was written, but we are told that it was not
	if err := consultOnce(t, vault, "lost"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("ambiguous: %v", err)
	}
	consult(t, vault, 1)
	if store.heads[0].Count != 3 || len(store.entries) != 5 {
		t.Errorf("%d chains, %d entries", store.heads[0].Count, len(store.entries))
	}
	if problems, _ := verify(t, keys, store); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestARequestThatEndsWhileItWaitsIsUnavailableAndTakesItsEntriesBack(t *testing.T) {
	t.Parallel()
	keys, store := testKeys(t), newMemoryStore()
	vault := NewVault(keys, store)
	first, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	store.fail = func(call string) error {
		if call == "append" {
			once.Do(func() { close(first); <-held })
		}
		return nil
	}
	done := make(chan error)
	go func() { done <- consultOnce(t, vault, "slow") }()
	<-first
	ctx, cancel := context.WithCancel(context.Background())
	ledger := vault.WithLedger(ctx, reader, nil)
	if _, err := Reveal(ledger, []SealedNumber{sealed(t, keys, "gone", backoffice.RegistrationNumber)}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := backoffice.CommitLedger(ledger); backoffice.KindOf(err) != backoffice.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(held)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(store.entries) != 1 {
		t.Errorf("%d entries", len(store.entries))
	}
}

func TestProcessesWriteSideBySideEachItsOwnChain(t *testing.T) {
	t.Parallel()
	const processes, requests = 4, 25
	keys, store := testKeys(t), newMemoryStore()
	var all sync.WaitGroup
	for range processes {
		vault := NewVault(keys, store)
		for i := range requests {
			all.Go(func() {
				if err := consultOnce(t, vault, fmt.Sprint("customer-", i)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	var problems []Problem
	all.Go(func() { // while they write
		for range 20 {
			found, _ := verify(t, keys, store)
			problems = append(problems, found...)
		}
	})
	all.Wait()
	found, seen := verify(t, keys, store)
	if problems = append(problems, found...); len(problems) > 0 {
		t.Error(problems)
	}
	if seen.Chains != processes || seen.Entries != processes*requests {
		t.Errorf("%+v", seen)
	}
}
