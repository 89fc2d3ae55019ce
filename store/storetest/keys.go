package storetest

import (
	"context"
	"testing"

	"example.org/backoffice/backoffice"
)

// A program that did not hear of it may still seal by a key that was closed. Its write is refused as one that may be done again.
func testClosedKeys(t *testing.T, newStore func(t testing.TB) backoffice.Store) {
	store := newStore(t)
	for _, key := range []backoffice.Key{
		{ID: "1", Fingerprint: "one", Prefix: []byte("one\x00\x00"), State: backoffice.KeyPrimary}, {ID: "2", Fingerprint: "two", Prefix: []byte("two\x00\x00"), State: backoffice.KeyNext},
	} {
		if err := store.AddKey(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if lacking, err := store.TurnKey(t.Context(), "2"); err != nil || len(lacking) > 0 {
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
