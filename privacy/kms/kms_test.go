package kms

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	vault "github.com/hashicorp/vault/api"
	"github.com/tink-crypto/tink-go/v2/core/registry"
	"github.com/tink-crypto/tink-go/v2/testing/fakekms"
	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/privacy/kms/kmstest"
)

// openOf opens a key of an engine as Open does, but for what the environment says.
func openOf(t *testing.T, engine *kmstest.Transit, name, token string) tink.AEAD {
	t.Helper()
	config := vault.DefaultConfig()
	config.HttpClient, config.MaxRetries = engine.Client(), 0
	config.HttpClient.Transport = withToken{token, config.HttpClient.Transport}
	key, err := openVault(engine.URI(name), config)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestAKeyOfTheTransitEngineEncryptsAndDecrypts(t *testing.T) {
	t.Parallel()
	engine := kmstest.New(t)
	key := openOf(t, engine, "office", engine.Token)
	if engine.Asked.Load() != 0 {
		t.Error("it was asked before the key was used")
	}
	sealed, err := key.Encrypt([]byte("what is wrapped"), []byte("for this"))
	if err != nil || !strings.HasPrefix(string(sealed), "vault:v1:") {
		t.Fatalf("%s %v", sealed, err)
	}
	if opened, err := key.Decrypt(sealed, []byte("for this")); err != nil || string(opened) != "what is wrapped" {
		t.Errorf("%s %v", opened, err)
	}
	if _, err := key.Decrypt(sealed, []byte("for that")); err == nil {
		t.Error("what was encrypted for one thing was decrypted for another")
	}
	if _, err := openOf(t, engine, "other", engine.Token).Decrypt(sealed, []byte("for this")); err == nil {
		t.Error("another key decrypts it")
	}
}

func TestAnEngineThatRefusesIsAnErrorThatHoldsNoToken(t *testing.T) {
	t.Parallel()
	engine := kmstest.New(t)
	const wrong = "hvs.wrong"
	if _, err := openOf(t, engine, "office", wrong).Encrypt([]byte("x"), nil); err == nil || strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("another token: %v", err)
	}
	engine.Sealed.Store(true)
	if _, err := openOf(t, engine, "office", engine.Token).Encrypt([]byte("x"), nil); err == nil || !strings.Contains(err.Error(), "sealed") {
		t.Errorf("sealed: %v", err)
	}
	engine.Close()
	if _, err := openOf(t, engine, "office", engine.Token).Encrypt([]byte("x"), nil); err == nil || strings.Contains(err.Error(), engine.Token) {
		t.Errorf("away: %v", err)
	}
}

func TestAURIThatNamesNoKeyIsRefused(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"", "hcvault://", "hcvault:///transit/keys/office", "hcvault://vault.example", "hcvault://vault.example/transit/office", "hcvault://vault.example/transit/keys/office?x=1",
		"hcvault://me:secret@vault.example/transit/keys/office", "hcvault://vault.example:port/transit/keys/office", "https://vault.example/transit/keys/office", "nobody-kms://key",
	} {
		if _, err := Open(uri); err == nil {
			t.Errorf("%q was taken", uri)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

func TestAKeyOfAClientThatTinkKnowsIsOpened(t *testing.T) {
	t.Parallel()
	uri, err := fakekms.NewKeyURI()
	if err != nil {
		t.Fatal(err)
	}
	client, err := fakekms.NewClient(uri)
	if err != nil {
		t.Fatal(err)
	}
	registry.RegisterKMSClient(client)
	key, err := Open(uri)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := key.Encrypt([]byte("x"), nil)
	if opened, failed := key.Decrypt(sealed, nil); err != nil || failed != nil || !bytes.Equal(opened, []byte("x")) {
		t.Errorf("%s %v %v", opened, err, failed)
	}
}

// withToken sends a token, as VAULT_TOKEN would have every request of the process do.
type withToken struct {
	token string
	next  http.RoundTripper
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Vault-Token", w.token)
	return w.next.RoundTrip(r)
}
