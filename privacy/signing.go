package privacy

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/signature"
	ed25519key "github.com/tink-crypto/tink-go/v2/signature/ed25519"

	"example.org/backoffice/backoffice"
)

// signing is the key by which an office signs what it hands out. It is not a part of a generation: rotations leave it,
// so that others can rely on one public key for years.
const signing = "signing"

// ErrNoSigningKey reports that a keyset has no key to sign by.
var ErrNoSigningKey = errors.New("this installation has no signing key: run backoffice keys signing")

// Signer signs by the office's key (Ed25519, RFC 8032).
type Signer struct {
	Public ed25519.PublicKey
	sign   func([]byte) ([]byte, error)
}

// Sign returns a signature of 64 bytes.
func (s *Signer) Sign(content []byte) ([]byte, error) { return s.sign(content) }

// Signer returns the signer of the keyset. It reads the file again if that had no key when it was loaded: a running
// server needs no restart. ErrNoSigningKey when it still has none.
func (k *Keyset) Signer() (*Signer, error) {
	if signer := k.signer.Load(); signer != nil || k.file.Path == "" {
		return orNoSigner(signer)
	}
	h, err := k.file.read()
	if err != nil {
		return nil, err
	}
	signer, err := signerOf(h[signing])
	if err != nil {
		return nil, err
	}
	k.signer.Store(signer)
	return orNoSigner(signer)
}

func orNoSigner(signer *Signer) (*Signer, error) {
	if signer == nil {
		return nil, ErrNoSigningKey
	}
	return signer, nil
}

// signerOf returns nil for no key.
func signerOf(handle *keyset.Handle) (*Signer, error) {
	if handle == nil {
		return nil, nil
	}
	damaged := fmt.Errorf("its key %q is damaged", signing)
	entry, err := handle.Primary()
	if err != nil {
		return nil, damaged
	}
	private, ok := entry.Key().(*ed25519key.PrivateKey)
	if !ok {
		return nil, damaged
	}
	public, err := private.PublicKey()
	if err != nil {
		return nil, damaged
	}
	by, err := signature.NewSigner(handle)
	if err != nil {
		return nil, damaged
	}
	return &Signer{Public: public.(*ed25519key.PublicKey).KeyBytes(), sign: by.Sign}, nil
}

// CreateSigner adds a signing key to the keyset file unless it has one, or in place of it, and reports whether it did.
// Servers that have used the old one sign by it until they restart.
func (t *KeyRotator) CreateSigner(ctx context.Context, replace bool) (signer *Signer, made bool, err error) {
	err = t.alone(ctx, func(func() error) error {
		if !replace {
			if signer, err = t.Keys.Signer(); !errors.Is(err, ErrNoSigningKey) {
				return err
			}
		}
		fresh, err := keyset.NewHandle(signature.ED25519KeyWithoutPrefixTemplate())
		if err != nil {
			return fmt.Errorf("creating the key %q: %w", signing, err)
		}
		if signer, err = signerOf(fresh); err != nil {
			return err
		}
		if err := t.Keys.rewrite(func(h handles) error { h[signing] = fresh; return nil }); err != nil {
			return err
		}
		t.Keys.signer.Store(signer)
		made = true
		return nil
	})
	return signer, made, err
}

// ReceiptUntil verifies the whole register like Verify, and returns the receipt of all entries up to an instant, which
// is at least a minute ago.
func (k *Keyset) ReceiptUntil(ctx context.Context, store backoffice.ConsultationStore, until backoffice.Instant) (
	Verified, error) {
	return k.verify(ctx, store, nil, gather(until), func(Problem) {})
}
