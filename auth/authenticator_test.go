package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestEveryCredentialThatDoesNotWorkGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, secret := issue(t, store)
	otherID, otherSecret := issue(t, store)
	revokedID, revokedSecret := issue(t, store)
	if err := Revoke(ctx, store, revokedID); err != nil {
		t.Fatal(err)
	}
	expiring, expiringSecret, err := Issue(ctx, store, "Expiring", nil, backoffice.InstantOf(time.Now().Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	rotatedID, oldSecret := issue(t, store)
	if _, err := Rotate(ctx, store, rotatedID, 0); err != nil {
		t.Fatal(err)
	}
	a, clock := testAuthenticator(t, store)
	if _, err := a.Authenticate(ctx, somewhere, expiring.ID, expiringSecret); err != nil {
		t.Errorf("before its expiry: %v", err)
	}
	clock.pass(2 * time.Hour)
	for _, good := range [][2]string{{id, secret}, {otherID, otherSecret}} {
		if p, err := a.Authenticate(ctx, somewhere, good[0], good[1]); err != nil || p.ClientID != good[0] {
			t.Errorf("a good credential: %v", err)
		}
	}
	for name, credential := range map[string][2]string{
		"missing": {"", ""}, "no secret": {id, ""}, "no id": {"", secret}, "unknown": {"x", secret},
		"wrong": {id, secret[1:]}, "another credential's": {id, otherSecret}, "expired": {expiring.ID, expiringSecret},
		"revoked": {revokedID, revokedSecret}, "rotated away": {rotatedID, oldSecret}, "longer": {id, secret + "A"},
	} {
		p, err := a.Authenticate(ctx, somewhere, credential[0], credential[1])
		if p != nil || !errors.Is(err, errUnauthenticated) {
			t.Errorf("%s: %v %v", name, p, err)
		}
	}
}

func TestARequestCostsNoStoreCallWhileTheSnapshotIsYoung(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, secret := issue(t, store, backoffice.PrivacyRead)
	a, clock := testAuthenticator(t, store)
	for range 1000 {
		p, err := a.Authenticate(ctx, somewhere, id, secret)
		if err != nil || !p.Has(backoffice.PrivacyRead) || p.Has(backoffice.UsersWrite) || p.Name != "Pair" {
			t.Fatal(err)
		}
		if _, err := a.Revalidate(ctx, p); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Authenticate(ctx, somewhere, id, "wrong"); err == nil {
			t.Fatal("let in")
		}
		clock.pass(retryAfter / 2000)
	}
	if reads := store.reads.Load(); reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

func TestARevocationHoldsWithin5Seconds(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, secret := issue(t, store)
	a, clock := testAuthenticator(t, store)
	began, err := a.Authenticate(ctx, somewhere, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := Revoke(ctx, store, id); err != nil {
		t.Fatal(err)
	}
	clock.pass(staleAfter)
	if _, err := a.Authenticate(ctx, somewhere, id, secret); backoffice.KindOf(err) != backoffice.Unauthenticated {
		t.Errorf("a revoked credential: %v", err)
	}
	for what, ends := range map[string]error{"what it began": second(a.Revalidate(ctx, began)), "its links": second(a.Linked(ctx, somewhere, began.Link()))} {
		if backoffice.KindOf(ends) != backoffice.Unauthenticated {
			t.Errorf("%s: %v", what, ends)
		}
	}
	if store.reads.Load() != 2 {
		t.Errorf("%d reads", store.reads.Load())
	}
}

func TestANewCredentialAndANewSecretAreKnownAtTheNextFailure(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	first, old := issue(t, store)
	a, clock := testAuthenticator(t, store)
	if _, err := a.Authenticate(ctx, somewhere, first, old); err != nil {
		t.Fatal(err)
	}
	second, secret := issue(t, store)
	rotated, err := Rotate(ctx, store, first, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	clock.pass(retryAfter)
	for _, good := range [][2]string{{second, secret}, {first, rotated}, {first, old}} {
		if _, err := a.Authenticate(ctx, somewhere, good[0], good[1]); err != nil {
			t.Error(err)
		}
	}
	clock.pass(time.Hour)
	if _, err := a.Authenticate(ctx, somewhere, first, old); err == nil {
		t.Error("the old secret outlives its overlap")
	}
}

func TestWithTheStoreAwayCredentialsWorkForAWhileAndAreThenUnavailable(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, secret := issue(t, store)
	a, clock := testAuthenticator(t, store)
	if _, err := a.Authenticate(ctx, somewhere, id, secret); err != nil {
		t.Fatal(err)
	}
	away := errors.New("connection refused")
	store.block = func(context.Context) error { return away }
	clock.pass(staleAfter - time.Millisecond)
	if _, err := a.Authenticate(ctx, somewhere, id, secret); err != nil {
		t.Errorf("within the limit: %v", err)
	}
	clock.pass(time.Second)
	for range 5 {
		if _, err := a.Authenticate(ctx, somewhere, id, secret); backoffice.KindOf(err) != backoffice.Unavailable || !errors.Is(err, away) {
			t.Errorf("past it: %v", err)
		}
	}
	if reads := store.reads.Load(); reads > 4 {
		t.Errorf("%d reads of a store that is away", reads)
	}
	store.block = func(context.Context) error { panic("driver") }
	clock.pass(time.Second)
	if _, err := a.Authenticate(ctx, somewhere, id, secret); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("a panic: %v", err)
	}
	store.block = nil
	clock.pass(time.Second)
	if _, err := a.Authenticate(ctx, somewhere, id, secret); err != nil {
		t.Errorf("after its return: %v", err)
	}
}

func TestARequestThatEndsDoesNotWaitForTheStore(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	store.block = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	a, _ := testAuthenticator(t, store)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := a.Authenticate(ctx, somewhere, "x", "y"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Error(err)
	}
	a.Close() // ends the read under way; goleak tells if not
	if _, err := a.Authenticate(context.Background(), somewhere, "x", "y"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("closed: %v", err)
	}
}

func TestManyRequestsShareOneRead(t *testing.T) {
	t.Parallel()
	store := newMemoryStore()
	id, secret := issue(t, store)
	a, clock := testAuthenticator(t, store)
	for round := range 10 {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := a.Authenticate(context.Background(), somewhere, id, secret); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if reads := store.reads.Load(); reads != int64(round+1) {
			t.Fatalf("round %d: %d reads", round, reads)
		}
		clock.pass(staleAfter)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	for _, credentials := range []int{1, 1000} {
		store := newMemoryStore()
		var id, secret string
		for range credentials {
			id, secret = issue(b, store)
		}
		a, _ := testAuthenticator(b, store)
		for name, s := range map[string]string{"right": secret, "wrong": "x"} {
			b.Run(fmt.Sprintf("credentials=%d/%s", credentials, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = a.Authenticate(context.Background(), somewhere, id, s)
				}
			})
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestWhatWasBegunEndsWithItsSecretAndWithAChangeOfRights(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		change func(ctx context.Context, store backoffice.CredentialStore, id string) error
		want   error
		linked bool // a signed path goes on, with the rights as they are now
	}{
		"nothing": {func(context.Context, backoffice.CredentialStore, string) error { return nil }, nil, true},
		"a rotation that keeps the secret": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return second(Rotate(ctx, store, id, time.Hour))
		}, nil, true},
		"a rotation that ends the secret": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return second(Rotate(ctx, store, id, 0))
		}, errEnded, false},
		"a scope that is taken": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return Change(ctx, store, id, func(of *backoffice.Credential, now backoffice.Instant) error {
				return of.ChangeScopes(nil, []backoffice.Scope{backoffice.PrivacyRead}, now)
			})
		}, ErrRightsChanged, true},
		"a scope that is given": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return Change(ctx, store, id, func(of *backoffice.Credential, now backoffice.Instant) error {
				return of.ChangeScopes([]backoffice.Scope{backoffice.UsersWrite}, nil, now)
			})
		}, ErrRightsChanged, true},
		"networks that it is not in": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return Change(ctx, store, id, func(of *backoffice.Credential, now backoffice.Instant) error {
				return of.ChangeNetworks(backoffice.Networks{netip.MustParsePrefix("203.0.113.0/24")}, nil, now)
			})
		}, errElsewhere, false},
		"a first network that it is in": {func(ctx context.Context, store backoffice.CredentialStore, id string) error {
			return Change(ctx, store, id, func(of *backoffice.Credential, now backoffice.Instant) error {
				return of.ChangeNetworks(backoffice.Networks{netip.MustParsePrefix("192.0.2.0/24")}, nil, now)
			})
		}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), newMemoryStore()
			id, secret := issue(t, store, backoffice.PrivacyRead)
			a, clock := testAuthenticator(t, store)
			began, err := a.Authenticate(ctx, somewhere, id, secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := is.change(ctx, store, id); err != nil {
				t.Fatal(err)
			}
			clock.pass(staleAfter)
			if _, err := a.Revalidate(ctx, began); !errors.Is(err, is.want) {
				t.Errorf("it goes on: %v", err)
			}
			if now, err := a.Linked(ctx, somewhere, began.Link()); (err == nil) != is.linked || errors.Is(is.want, ErrRightsChanged) && now.SameRights(began) {
				t.Errorf("its signed path: %+v %v", now, err)
			}
		})
	}
}

func TestWhatACredentialOpenedFromOneOfItsNetworksGoesOnUntilThatIsTaken(t *testing.T) {
	t.Parallel()
	ctx, store := t.Context(), newMemoryStore()
	id, secret := issue(t, store, backoffice.PrivacyRead)
	here, there := backoffice.Networks{netip.PrefixFrom(somewhere, somewhere.BitLen())}, backoffice.Networks{netip.MustParsePrefix("203.0.113.0/24")}
	change := func(add, remove backoffice.Networks) {
		t.Helper()
		err := Change(ctx, store, id, func(of *backoffice.Credential, now backoffice.Instant) error {
			return of.ChangeNetworks(add, remove, now)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(here, nil)
	a, clock := testAuthenticator(t, store)
	began, err := a.Authenticate(ctx, somewhere, id, secret)
	if err != nil {
		t.Fatal(err)
	}
	change(there, nil)
	for range 3 {
		clock.pass(staleAfter)
		if began, err = a.Revalidate(ctx, began); err != nil {
			t.Fatal(err)
		}
	}
	change(nil, here)
	clock.pass(staleAfter)
	if _, err := a.Revalidate(ctx, began); !errors.Is(err, errElsewhere) {
		t.Errorf("it goes on: %v", err)
	}
}
