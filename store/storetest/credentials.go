package storetest

import (
	"errors"
	"net/netip"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/backoffice/backoffice"
)

func fullCredential(id string) *backoffice.Credential {
	restriction, _ := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: []string{"u2", "u1", "u2"}, Years: []string{"2025"}})
	networks, _ := backoffice.NewNetworks([]string{"2001:db8::/32", "192.0.2.7", "10.0.0.0/8"})
	return &backoffice.Credential{
		ID: id, Name: "Portal", Scopes: []backoffice.Scope{backoffice.PrivacyRead, backoffice.UsersWrite}, CreatedAt: 1, ExpiresAt: 2, RevokedAt: 3, TrustedOnly: true, NoDeletes: true, Restriction: restriction, Networks: networks,
		Secrets: []backoffice.CredentialSecret{{Digest: []byte("digest\x00one"), CreatedAt: 4, ExpiresAt: 5}, {Digest: []byte("digest two"), CreatedAt: 6}},
	}
}

var networksAlike = cmpopts.EquateComparable(netip.Prefix{})

func testCredentials(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	t.Run("credentials are read as they were written, ordered by client id", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if none, err := store.Credentials(t.Context()); err != nil || len(none) != 0 {
			t.Errorf("a new store has credentials: %v (%v)", none, err)
		}
		b, a, c := fullCredential("b"), fullCredential("a"), &backoffice.Credential{ID: "C", Name: "bare", CreatedAt: 1}
		for _, credential := range []*backoffice.Credential{b, a, c} {
			if err := store.CreateCredential(t.Context(), credential); err != nil {
				t.Fatalf("%v (%v)", err, errorCause(err))
			}
		}
		ctx, calls := backoffice.WithStatementCount(t.Context())
		got, err := store.Credentials(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*backoffice.Credential{c, a, b}, got, networksAlike); diff != "" {
			t.Error(diff)
		}
		if calls.Count() != 1 {
			t.Errorf("it took %d statements", calls.Count())
		}
		one, err := store.Credential(t.Context(), "a")
		if diff := cmp.Diff(a, one, networksAlike); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})

	t.Run("an unknown client id is not found, and one that exists is taken", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, id := range []string{"unknown", "", "bad\x00id\xff"} {
			if _, err := store.Credential(t.Context(), id); backoffice.KindOf(err) != backoffice.NotFound {
				t.Errorf("%q: %v", id, err)
			}
		}
		if err := store.UpdateCredential(t.Context(), "unknown", func(*backoffice.Credential) error { return nil }); backoffice.KindOf(err) != backoffice.NotFound {
			t.Error(err)
		}
		if err := store.CreateCredential(t.Context(), fullCredential("a")); err != nil {
			t.Fatal(err)
		}
		refused(t, store.CreateCredential(t.Context(), fullCredential("a")), backoffice.CodeTaken)
	})

	t.Run("an update stores all but client id and creation, and nothing when it fails", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if err := store.CreateCredential(t.Context(), fullCredential("a")); err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		err := store.UpdateCredential(t.Context(), "a", func(c *backoffice.Credential) error { c.Name = "o"; return stop })
		if !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
		err = store.UpdateCredential(t.Context(), "a", func(credential *backoffice.Credential) error {
			if credential.Name != "Portal" {
				t.Error("a failed change was stored")
			}
			*credential = backoffice.Credential{ID: "b", Name: "new", CreatedAt: 99, Secrets: []backoffice.CredentialSecret{{Digest: []byte("third"), CreatedAt: 7}}}
			return nil
		})
		if err != nil {
			t.Fatalf("%v (%v)", err, errorCause(err))
		}
		want := &backoffice.Credential{ID: "a", Name: "new", CreatedAt: 1, Secrets: []backoffice.CredentialSecret{{Digest: []byte("third"), CreatedAt: 7}}}
		got, err := store.Credential(t.Context(), "a")
		if diff := cmp.Diff(want, got, networksAlike); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})

	t.Run("updates of one credential at the same time do not lose each other's changes", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		if err := store.CreateCredential(t.Context(), &backoffice.Credential{ID: "a", Name: "x", CreatedAt: 1}); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				err := store.UpdateCredential(t.Context(), "a", func(c *backoffice.Credential) error { c.Name += "x"; return nil })
				if err != nil {
					t.Errorf("%v (%v)", err, errorCause(err))
				}
			})
		}
		all.Wait()
		if got, err := store.Credential(t.Context(), "a"); err != nil || len(got.Name) != 21 {
			t.Errorf("%v %v", got, err)
		}
	})

	t.Run("the last day of use is kept in one statement, a later one stays, and an update leaves it alone", func(t *testing.T) {
		t.Parallel()
		store := newStore(t)
		for _, id := range []string{"a", "b", "c"} {
			if err := store.CreateCredential(t.Context(), &backoffice.Credential{ID: id, Name: "x", CreatedAt: 1}); err != nil {
				t.Fatal(err)
			}
		}
		used := func(day backoffice.Instant, ids ...string) {
			t.Helper()
			ctx, calls := backoffice.WithStatementCount(t.Context())
			if err := store.CredentialsUsed(ctx, ids, day); err != nil {
				t.Fatalf("%v (%v)", err, errorCause(err))
			}
			if calls.Count() != 1 {
				t.Errorf("it took %d statements", calls.Count())
			}
		}
		used(2*day, "a", "b", "unknown", "bad\x00id\xff")
		used(day, "a", "c")
		used(3*day, "b")
		if err := store.UpdateCredential(t.Context(), "a", func(c *backoffice.Credential) error { c.LastUsedAt = 99; return nil }); err != nil {
			t.Fatal(err)
		}
		all, err := store.Credentials(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []backoffice.Instant{2 * day, 3 * day, day} {
			if all[i].LastUsedAt != want {
				t.Errorf("%s was used last at %d, not %d", all[i].ID, all[i].LastUsedAt, want)
			}
		}
	})
}

const day backoffice.Instant = 24 * 60 * 60 * 1000
