// Package kms opens keys of key management services by the URIs that Tink has for them. Such a key wraps the keyset
// file, so that who has the file alone has nothing.
//
// It keeps nothing, and it must not see a key of the keyset: what it encrypts is one that Tink makes for that.
package kms

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	vault "github.com/hashicorp/vault/api"
	"github.com/tink-crypto/tink-go-hcvault/v2/integration/hcvault"
	"github.com/tink-crypto/tink-go/v2/core/registry"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// vaultScheme is that of the transit engine of Vault and OpenBao.
const vaultScheme = "hcvault://"

// timeout is for one question, of which a failed one is asked twice more.
const timeout = 10 * time.Second

// Open gives the key that a URI names: hcvault://HOST:PORT/MOUNT/keys/NAME, or one of a client that is registered with
// Tink. Nothing is asked of the service until the key is used. Vault's settings are its own: VAULT_TOKEN,
// VAULT_CACERT, VAULT_NAMESPACE, … It fails when the URI is none, and when these settings are wrong.
func Open(uri string) (tink.AEAD, error) {
	if strings.HasPrefix(uri, vaultScheme) {
		config := vault.DefaultConfig() // reads the environment
		if config.Error != nil {
			return nil, fmt.Errorf("the settings of Vault are wrong: %w", config.Error)
		}
		return openVault(uri, config)
	}
	client, err := registry.GetKMSClient(uri)
	if err != nil {
		return nil, errors.New("no key management service is known by this URI; there is hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	return client.GetAEAD(uri)
}

func openVault(uri string, config *vault.Config) (tink.AEAD, error) {
	at, err := url.Parse(uri)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New("the URI of a key of Vault is hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	config.Address, config.AgentAddress, config.Timeout = "https://"+at.Host, "", timeout
	client, err := vault.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("the settings of Vault are wrong: %w", err)
	}
	key, err := hcvault.NewAEAD(at.EscapedPath(), client.Logical())
	if err != nil {
		return nil, errors.New("the URI of a key of Vault is hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	return key, nil
}
