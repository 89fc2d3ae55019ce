package privacy

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"os"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAnOfficeKeepsItsSigningKeyThroughEveryRotation(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), newKeysetFile(t)
	g := turnedFrom(t, turnEngines["SQLite"](t), path)
	server, err := KeysetFile{Path: path}.Load() // which runs meanwhile
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Signer(); !errors.Is(err, ErrNoSigningKey) {
		t.Fatalf("without a key: %v", err)
	}
	if memory, err := NewKeyset(); err != nil {
		t.Fatal(err)
	} else if _, err := memory.Signer(); !errors.Is(err, ErrNoSigningKey) {
		t.Errorf("a keyset in memory: %v", err)
	}
	first, made, err := g.rotator().CreateSigner(ctx, false)
	if err != nil || !made {
		t.Fatal(made, err)
	}
	holds := func(what string, keys *Keyset) {
		t.Helper()
		signer, err := keys.Signer()
		if err != nil {
			t.Fatal(what, err)
		}
		content := []byte("a manifest")
		signature, err := signer.Sign(content)
		if err != nil || !signer.Public.Equal(first.Public) || !ed25519.Verify(first.Public, content, signature) {
			t.Errorf("%s: %v", what, err)
		}
	}
	holds("a running server", server)
	if again, made, err := g.rotator().CreateSigner(ctx, false); err != nil || made || !again.Public.Equal(first.Public) {
		t.Errorf("made twice: %v, %v", made, err)
	}
	fresh, _, err := g.rotator().Rotate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.keys.rewrite(func(h handles) error { return h.remove(g.keys.use().all[0], g.keys.use().primary) }); err != nil {
		t.Fatal(err)
	}
	reloaded, err := KeysetFile{Path: path}.Load()
	if err != nil || reloaded.use().primary.id != fresh {
		t.Fatal(err)
	}
	holds("after a rotation", reloaded)
	kek := newKEK(t)
	if err := (KeysetFile{Path: path}).rewrap(kek); err != nil {
		t.Fatal(err)
	}
	wrapped, err := KeysetFile{path, kek}.Load()
	if err != nil {
		t.Fatal(err)
	}
	holds("wrapped", wrapped)
	other := &KeyRotator{Keys: wrapped, Store: g.store}
	if second, made, err := other.CreateSigner(ctx, true); err != nil || !made || second.Public.Equal(first.Public) {
		t.Errorf("replaced: %v, %v", made, err)
	}
}

func TestADamagedSigningKeyIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	path := newKeysetFile(t)
	g := turnedFrom(t, turnEngines["SQLite"](t), path)
	if _, _, err := g.rotator().CreateSigner(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(text, []byte("google.crypto.tink.Ed25519PrivateKey"), []byte("google.crypto.tink.Ed25519PublicKey_"))
	if bytes.Equal(changed, text) || os.WriteFile(path, changed, 0o600) != nil {
		t.Fatal("the file is as it was")
	}
	if _, err := (KeysetFile{Path: path}).Load(); err == nil {
		t.Error("a damaged key is loaded")
	}
}

func TestAReceiptUntilAnInstantNeverChanges(t *testing.T) {
	t.Parallel()
	g := turnedFrom(t, turnEngines["SQLite"](t), newKeysetFile(t))
	consult(t, NewVault(g.keys, g.store), 2)
	until := clockOf(t, g)
	first, err := g.keys.ReceiptUntil(t.Context(), g.store, until)
	if err != nil || first.Problems > 0 || first.Entries != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	for until == clockOf(t, g) { // the next entry is later
	}
	consult(t, NewVault(g.keys, g.store), 1)
	again, err := g.keys.ReceiptUntil(t.Context(), g.store, until)
	if err != nil || again.Receipt != first.Receipt || again.Entries != 3 {
		t.Errorf("%+v, not %+v: %v", again, first, err)
	}
	if _, err := g.keys.Verify(t.Context(), g.store, first.Receipt, func(p Problem) { t.Error(p) }); err != nil {
		t.Error(err)
	}
}

func clockOf(t *testing.T, g *turned) backoffice.Instant {
	t.Helper()
	at, err := g.store.Clock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return at
}
