// Package kmstest is a transit engine as in Vault and OpenBao, for tests: keys that encrypt and cannot be exported,
// over TLS, for clients with its token. It has no policies and no versions of keys.
package kmstest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Transit is an engine at /transit with the keys "office" and "other".
type Transit struct {
	*httptest.Server
	Token  string
	Sealed atomic.Bool  // it only answers that it is sealed
	Asked  atomic.Int64 // how often it has encrypted or decrypted
	keys   map[string]tink.AEAD
}

// New starts an engine, until the test ends.
func New(t testing.TB) *Transit {
	t.Helper()
	engine := &Transit{Token: "hvs.of-the-tests", keys: map[string]tink.AEAD{}}
	for _, name := range []string{"office", "other"} {
		handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
		if err != nil {
			t.Fatal(err)
		}
		if engine.keys[name], err = aead.New(handle); err != nil {
			t.Fatal(err)
		}
	}
	engine.Server = httptest.NewTLSServer(http.HandlerFunc(engine.serve))
	t.Cleanup(engine.Close)
	return engine
}

func (e *Transit) URI(name string) string {
	return "hcvault://" + strings.TrimPrefix(e.URL, "https://") + "/transit/keys/" + name
}

func (e *Transit) serve(w http.ResponseWriter, r *http.Request) {
	operation, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/transit/"), "/")
	key := e.keys[name]
	var ask struct {
		Plaintext      []byte `json:"plaintext"`
		Ciphertext     string `json:"ciphertext"`
		AssociatedData []byte `json:"associated_data"`
	}
	switch {
	case e.Sealed.Load():
		refuse(w, http.StatusServiceUnavailable, "Vault is sealed")
		return
	case r.Header.Get("X-Vault-Token") != e.Token, key == nil:
		refuse(w, http.StatusForbidden, "permission denied")
		return
	case r.Method != http.MethodPut && r.Method != http.MethodPost, json.NewDecoder(r.Body).Decode(&ask) != nil:
		refuse(w, http.StatusBadRequest, "bad request")
		return
	}
	e.Asked.Add(1)
	if operation == "encrypt" {
		sealed, err := key.Encrypt(ask.Plaintext, ask.AssociatedData)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "internal error")
			return
		}
		answer(w, "ciphertext", "vault:v1:"+base64.StdEncoding.EncodeToString(sealed))
		return
	}
	sealed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(ask.Ciphertext, "vault:v1:"))
	if err == nil {
		sealed, err = key.Decrypt(sealed, ask.AssociatedData)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "cipher: message authentication failed")
		return
	}
	answer(w, "plaintext", base64.StdEncoding.EncodeToString(sealed))
}

func answer(w http.ResponseWriter, name, value string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]string{name: value}})
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []string{why}})
}
