package auth

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestASecretIsShownOnceAndOnlyItsDigestIsStored(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	credential, secret, err := Issue(ctx, store, "  Tax robot ", []backoffice.Scope{backoffice.UsersWrite, backoffice.PrivacyRead, backoffice.UsersWrite}, 0)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := store.Credential(ctx, credential.ID)
	if err != nil {
		t.Fatal(err)
	}
	sum := digestOf(secret)
	if diff := cmp.Diff(credential, stored); diff != "" {
		t.Error(diff)
	}
	if len(secret) != 43 || len(stored.Secrets) != 1 || !bytes.Equal(stored.Secrets[0].Digest, sum[:]) {
		t.Errorf("stored %+v", stored.Secrets)
	}
	want := []backoffice.Scope{backoffice.PrivacyRead, backoffice.UsersWrite}
	if stored.Name != "Tax robot" || !cmp.Equal(stored.Scopes, want) {
		t.Errorf("%q %v", stored.Name, stored.Scopes)
	}
	if err := backoffice.CheckID(credential.ID); err != nil {
		t.Error(err)
	}
	if all, err := store.Credentials(ctx); err != nil || len(all) != 1 {
		t.Errorf("%d %v", len(all), err)
	}
}

func TestACredentialThatCannotBeIsRefusedWithEachFault(t *testing.T) {
	t.Parallel()
	past := backoffice.InstantOf(time.Now().Add(-time.Second))
	for name, c := range map[string]struct {
		name    string
		scopes  []backoffice.Scope
		expires backoffice.Instant
		codes   string
	}{
		"no name":              {" ", nil, 0, "REQUIRED"},
		"a long name":          {strings.Repeat("x", 201), nil, 0, "INVALID"},
		"a control character":  {"a\x1bb", nil, 0, "INVALID"},
		"unknown scope, ended": {"x", []backoffice.Scope{"privacy.write"}, past, "INVALID INVALID"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Issue(context.Background(), newMemoryStore(), c.name, c.scopes, c.expires)
			known, ok := err.(*backoffice.Error)
			if !ok || known.Kind != backoffice.Refused {
				t.Fatal(err)
			}
			var codes []string
			for _, u := range known.UserErrors {
				codes = append(codes, string(u.Code))
			}
			if got := strings.Join(codes, " "); got != c.codes {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestAtMostTwoSecretsAreEverLiveAndTheNewestAlwaysIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := backoffice.InstantAt(1_780_000_000_000)
		credential, err := backoffice.NewCredential("p", "P", nil, now, 0)
		if err != nil {
			t.Fatal(err)
		}
		var newest []byte
		for i := range rapid.IntRange(1, 8).Draw(t, "rotations") {
			now += backoffice.Instant(rapid.IntRange(-5000, 5000).Draw(t, "pause")) // machines' clocks differ
			before := newest
			newest = []byte{byte(i)}
			overlap := time.Duration(rapid.IntRange(0, 5000).Draw(t, "overlap")) * time.Millisecond
			if err := credential.Rotate(newest, now, overlap); err != nil {
				t.Fatal(err)
			}
			if len(credential.Secrets) > backoffice.MaxLiveSecrets || !bytes.Equal(credential.Secrets[0].Digest, newest) || !credential.Secrets[0].Live(now+1<<40) {
				t.Fatalf("%+v", credential.Secrets)
			}
			if kept := len(credential.Secrets) == 2; kept != (before != nil && overlap > 0) || kept && !bytes.Equal(credential.Secrets[1].Digest, before) {
				t.Fatalf("kept %+v", credential.Secrets)
			}
			if end := now + backoffice.Instant(overlap.Milliseconds()); len(credential.Secrets) == 2 && (credential.Secrets[1].Live(end) || !credential.Secrets[1].Live(end-1)) {
				t.Fatal("the overlap is not kept")
			}
		}
	})
}

func TestARevokedOrUnknownCredentialIsNotRotated(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), newMemoryStore()
	id, _ := issue(t, store)
	for range 2 {
		if err := Revoke(ctx, store, id); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := store.Credential(ctx, id)
	if before.RevokedAt.IsZero() || len(before.Secrets) != 0 {
		t.Errorf("%+v", before)
	}
	if secret, err := Rotate(ctx, store, id, time.Hour); secret != "" || backoffice.KindOf(err) != backoffice.Refused {
		t.Errorf("revoked: %v", err)
	}
	for _, err := range []error{Revoke(ctx, store, "x"), func() error { _, err := Rotate(ctx, store, "x", 0); return err }()} {
		if backoffice.KindOf(err) != backoffice.NotFound {
			t.Errorf("unknown: %v", err)
		}
	}
}

func TestAScopeIsAskedOfThePrincipal(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if From(ctx) != nil || From(ctx).Has(backoffice.PrivacyRead) || backoffice.KindOf(Require(ctx, backoffice.PrivacyRead)) != backoffice.Unauthenticated {
		t.Error("nobody has something")
	}
	ctx = WithPrincipal(ctx, &backoffice.Principal{ClientID: "p", Scopes: []backoffice.Scope{backoffice.PtiWrite}})
	if err := Require(ctx, backoffice.PtiWrite); err != nil || !From(ctx).Has(backoffice.PtiWrite) {
		t.Error(err)
	}
	err, ok := Require(ctx, backoffice.PrivacyRead).(*backoffice.Error)
	if !ok || err.Kind != backoffice.Forbidden || err.RequiredScope != backoffice.PrivacyRead {
		t.Error(err)
	}
}
