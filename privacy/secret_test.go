package privacy

import (
	"bytes"
	"context"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestASealedSecretOpensUnderItsOwnNameOnly(t *testing.T) {
	t.Parallel()
	keys, others := testKeys(t), testKeys(t)
	sealed, err := keys.SealSecret("webhook a", []byte("a secret that signs"))
	if err != nil || bytes.Contains(sealed, []byte("signs")) {
		t.Fatalf("%q %v", sealed, err)
	}
	if got, err := keys.OpenSecret("webhook a", sealed); err != nil || string(got) != "a secret that signs" {
		t.Errorf("%q %v", got, err)
	}
	if got, err := keys.OpenSecret("webhook b", sealed); backoffice.KindOf(err) != backoffice.Internal || got != nil {
		t.Errorf("under another name: %q %v", got, err)
	}
	if _, err := others.OpenSecret("webhook a", sealed); err == nil {
		t.Error("another keyset opens it")
	}
	number, err := keys.Seal("webhook a", backoffice.RegistrationNumber, "85073003328")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.OpenSecret("webhook a", number.Ciphertext()); err == nil {
		t.Error("a registration number opens as a secret")
	}
}

// Another program may write for minutes, an import for one, and keep this one from noting which keys it has.
func TestASecretIsSealedBrieflyWhileAnotherProgramKeepsTheStoreLocked(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := engine(t)
			g := turnedFrom(t, open, newKeysetFile(t))
			err := open().Write(t.Context(), func(context.Context, backoffice.Tx) error {
				g.keys.lapse()
				began := time.Now()
				sealed, err := g.keys.SealBriefly("person", []byte("an"))
				if took := time.Since(began); err != nil || took > time.Second {
					t.Errorf("sealing took %s: %v", took, err)
				}
				if got, err := g.keys.OpenSecret("person", sealed); err != nil || string(got) != "an" {
					t.Errorf("%q %v", got, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
