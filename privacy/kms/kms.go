// Package kms opens keys of key management services by Tink's URIs. Such a key wraps the keyset file: the file alone is
// then of no use to a thief.
//
// It keeps nothing, and must not see a key of the keyset: it encrypts a key that Tink makes for that.
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

// vaultScheme is for the transit engine of Vault and OpenBao.
const vaultScheme = "hcvault://"

// timeout is per request; a failed one is retried twice.
const timeout = 10 * time.Second

// Open returns the key that a URI names: hcvault://HOST:PORT/MOUNT/keys/NAME, or one of a client registered with Tink.
// It asks the service nothing until the key is used. Vault's settings are its own: VAULT_TOKEN, VAULT_CACERT,
// VAULT_NAMESPACE, … It fails for an invalid URI and for wrong settings.
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
		return nil, errors.New(
			"unknown key management service; use hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	return client.GetAEAD(uri)
}

func openVault(uri string, config *vault.Config) (tink.AEAD, error) {
	at, err := url.Parse(uri)
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return nil, errors.New("the URI of a Vault key must look like hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	config.Address, config.AgentAddress, config.Timeout = "https://"+at.Host, "", timeout
	client, err := vault.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("the settings of Vault are wrong: %w", err)
	}
	key, err := hcvault.NewAEAD(at.EscapedPath(), client.Logical())
	if err != nil {
		return nil, errors.New("the URI of a Vault key must look like hcvault://HOST:PORT/MOUNT/keys/NAME")
	}
	return key, nil
}
