package storetest

import (
	"context"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// A long transaction of the only writer renews the note of its program, which nobody can do beside it.
func testKeyUseOutlivesAWrite(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(t)
	user := backoffice.KeyUser{ID: "this", Name: "this program", Knows: []string{"1"}, Seals: "1"}
	if _, err := store.UseKeys(t.Context(), user, 1000); err != nil {
		t.Fatal(err)
	}
	only := false
	err := store.Write(t.Context(), func(context.Context, backoffice.Tx) error {
		only = !store.OnlyWriterSince().IsZero()
		time.Sleep(1100 * time.Millisecond)
		return nil
	})
	if err != nil || !store.OnlyWriterSince().IsZero() {
		t.Fatal(err, store.OnlyWriterSince())
	}
	users, err := store.KeyUsers(t.Context())
	if renewed := len(users) == 1 && users[0].Seals == "1"; err != nil || renewed != only {
		t.Errorf("the only writer: %v; noted behind its write: %+v %v", only, users, err)
	}
}

// A program that did not hear of it may still seal by a key that was closed. Its write is refused as one that may be
// done again.
func testClosedKeys(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(t)
	for _, key := range []backoffice.Key{
		{ID: "1", Fingerprint: "one", Prefix: []byte("one\x00\x00"), State: backoffice.KeyPrimary}, {ID: "2", Fingerprint: "two", Prefix: []byte("two\x00\x00"), State: backoffice.KeyNext},
	} {
		if err := store.AddKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if lacking, err := store.PromoteKey(t.Context(), "2"); err != nil || len(lacking) > 0 {
		t.Fatal(lacking, err)
	}
	if using, err := store.CloseKey(t.Context(), "1"); err != nil || len(using) > 0 {
		t.Fatal(using, err)
	}
	insert := func(id, prefix string) error {
		return store.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			return tx.Customers().Insert(ctx, &backoffice.Customer{
				ID: id, Type: backoffice.Company, DisplayName: id, Version: 1, Registration: backoffice.SealedOf([]byte(prefix+"\x00\x00 cipher"), []byte("index of "+id)),
			})
		})
	}
	if err := insert("by-new", "two"); err != nil {
		t.Errorf("by the new key: %v (%v)", err, errorCause(err))
	}
	if err := insert("by-closed", "one"); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Errorf("by a key that was closed: %v (%v)", err, errorCause(err))
	}
}
