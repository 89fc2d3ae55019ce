// Package peopletest is an OpenID provider for tests, which signs whatever it is told to, good or not. It must not be
// in the program.
package peopletest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is what the tokens are for.
const Audience = "backoffice"

// Issuer publishes keys, and signs by them.
type Issuer struct {
	URL string

	mu    sync.Mutex
	keys  []jose.JSONWebKey // private; the last one signs
	away  bool
	asked int
}

// New starts an issuer with a key of an algorithm: ES256 or RS256.
func New(t testing.TB, algorithm jose.SignatureAlgorithm) *Issuer {
	t.Helper()
	i := &Issuer{}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.URL = server.URL
	i.Turn(t, algorithm)
	return i
}

// ServeHTTP implements http.Handler: discovery, and keys.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var answer any
	switch {
	case i.away:
		http.Error(w, "away", http.StatusBadGateway)
		return
	case r.URL.Path == "/.well-known/openid-configuration":
		answer = map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token"}
	case r.URL.Path == "/keys":
		i.asked++
		set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: []byte("a secret that nobody publishes, but for this one"), KeyID: "secret", Algorithm: "HS256"}}}
		for _, key := range i.keys {
			set.Keys = append(set.Keys, key.Public())
		}
		answer = set
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// Away makes the issuer unreachable, and back.
func (i *Issuer) Away(away bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.away = away
}

// Asked is how often its keys were read.
func (i *Issuer) Asked() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// Turn makes a new key, which signs from now on; the ones before are not published any more.
func (i *Issuer) Turn(t testing.TB, algorithm jose.SignatureAlgorithm) {
	t.Helper()
	var private crypto.Signer
	var err error
	if private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); algorithm == jose.RS256 {
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	i.Publish(jose.JSONWebKey{Key: private, KeyID: fmt.Sprint("key-", time.Now().UnixNano()), Algorithm: string(algorithm), Use: "sig"})
}

// Publish makes a key the only one.
func (i *Issuer) Publish(key jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = []jose.JSONWebKey{key}
}

// Key is the key that signs, with its private part.
func (i *Issuer) Key() jose.JSONWebKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[len(i.keys)-1]
}

// Claims are those of a good token for a subject at a moment, with others, which count where they have the same name;
// nil takes one away.
func (i *Issuer) Claims(subject string, now time.Time, others map[string]any) map[string]any {
	claims := map[string]any{"iss": i.URL, "aud": []string{Audience, "another"}, "sub": subject, "iat": now.Unix(), "exp": now.Add(10 * time.Minute).Unix(), "name": "Name of " + subject}
	maps.Copy(claims, others)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	return claims
}

// Token is a good token for a subject, with other claims.
func (i *Issuer) Token(t testing.TB, subject string, others map[string]any) string {
	t.Helper()
	return i.Sign(t, "at+jwt", i.Claims(subject, time.Now(), others))
}

// Sign signs claims as they are.
func (i *Issuer) Sign(t testing.TB, typ string, claims map[string]any) string {
	t.Helper()
	return Sign(t, jose.SignatureAlgorithm(i.Key().Algorithm), i.Key(), typ, claims)
}

// Sign signs claims by any key.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, typ string, claims map[string]any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if typ != "" {
		options = options.WithType(jose.ContentType(typ))
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Map writes a map into a file of its own.
func Map(t testing.TB, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "people.json")
	Write(t, path, text)
	return path
}

// Write puts another text into a file, as an editor does: with a new one in its place.
func Write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}
