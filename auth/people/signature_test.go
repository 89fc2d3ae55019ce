package people_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
)

func TestKeysOfEveryKindSignByTheirOwnAlgorithmsAlone(t *testing.T) {
	t.Parallel()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve := func(c elliptic.Curve) any {
		k, err := ecdsa.GenerateKey(c, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	d := newDesk(t, jose.ES256, usual)
	for name, of := range map[string]struct {
		key        any
		algorithms []jose.SignatureAlgorithm
	}{
		"RSA":       {rsaKey, []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512}},
		"P-256":     {curve(elliptic.P256()), []jose.SignatureAlgorithm{jose.ES256}},
		"P-384":     {curve(elliptic.P384()), []jose.SignatureAlgorithm{jose.ES384}},
		"P-521":     {curve(elliptic.P521()), []jose.SignatureAlgorithm{jose.ES512}},
		"Ed25519":   {edwards, []jose.SignatureAlgorithm{jose.EdDSA}},
		"short RSA": {weak, nil},
	} {
		d.Publish(jose.JSONWebKey{Key: of.key, KeyID: name, Use: "sig"})
		d.move(11 * time.Second)
		for _, algorithm := range of.algorithms {
			token := peopletest.Sign(t, algorithm, jose.JSONWebKey{Key: of.key, KeyID: name}, "at+jwt", d.Claims(string(algorithm), d.now(), groups("managers")))
			for range 2 { // the second one under a header that is known
				if principal, err := d.Authenticate(t.Context(), token); err != nil || principal.Person.Subject != string(algorithm) {
					t.Errorf("%s, %s: %+v, %v", name, algorithm, principal, err)
				}
				d.Forget()
			}
		}
		if of.algorithms == nil {
			token := peopletest.Sign(t, jose.RS256, jose.JSONWebKey{Key: of.key, KeyID: name}, "at+jwt", d.Claims("an", d.now(), groups("managers")))
			if _, err := d.Authenticate(t.Context(), token); err == nil {
				t.Errorf("%s is taken", name)
			}
		}
	}
}

func TestATokenThatAsksForAnExtensionIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, jose.ES256, usual)
	for name, options := range map[string]*jose.SignerOptions{
		"one that is not known":   (&jose.SignerOptions{}).WithHeader("crit", []string{"exp"}).WithHeader("exp", 7),
		"a payload that is plain": (&jose.SignerOptions{}).WithBase64(false),
	} {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: d.Key()}, options.WithType("at+jwt"))
		if err != nil {
			t.Fatal(err)
		}
		signed, err := signer.Sign([]byte(`{"iss":"plain"}`))
		if err != nil {
			t.Fatal(err)
		}
		token, err := signed.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Authenticate(t.Context(), token); backoffice.KindOf(err) != backoffice.Unauthenticated || !strings.Contains(err.Error(), "RFC 9068") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzAuthenticate holds that nothing is a token but what the issuer has signed, letter for letter, and that it
// matters to nobody whether its header is known.
func FuzzAuthenticate(f *testing.F) {
	known, strange := newDesk(f, jose.ES256, usual), newDesk(f, jose.ES256, usual)
	good := known.Token(f, "an", groups("managers"))
	if _, err := known.Authenticate(f.Context(), good); err != nil {
		f.Fatal(err)
	}
	parts := strings.Split(good, ".")
	f.Add(parts[0], parts[1], parts[2])
	f.Add(parts[0], parts[1], "")
	f.Add(parts[0], "bnVsbA", parts[2])
	f.Add("eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0", parts[1], "")
	f.Add("eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9", parts[1], parts[2])
	f.Add(parts[0]+"=", parts[1]+"\n", "."+parts[2])
	f.Fuzz(func(t *testing.T, header, payload, signature string) {
		token := header + "." + payload + "." + signature
		principal, err := known.Authenticate(t.Context(), token)
		if err == nil && (header != parts[0] || payload != parts[1] || principal.Person.Subject != "an") {
			t.Fatalf("somebody is let in by %q", token)
		}
		if _, other := strange.Authenticate(t.Context(), token); err != nil && other != nil && backoffice.KindOf(err) != backoffice.KindOf(other) {
			t.Errorf("%v where the header is known, %v where it is not", err, other)
		}
	})
}
