package privacy

import "example.org/backoffice/backoffice"

// SealSecret encrypts a secret that the program needs again in clear, such as a webhook's. It opens only under the same
// name. Older keysets have no key for it alone, so the name's purpose separates it from registration numbers.
func (k *Keyset) SealSecret(name string, secret []byte) ([]byte, error) {
	if _, err := k.fresh(); err != nil {
		return nil, err
	}
	return k.SealBriefly(name, secret)
}

// SealBriefly is SealSecret for what lives minutes. It waits for no store: an older key opens for that long.
func (k *Keyset) SealBriefly(name string, secret []byte) ([]byte, error) {
	sealed, err := k.use().numbers.Encrypt(secret, parts("secret", name))
	if err != nil {
		return nil, backoffice.Fault(err, "sealing a secret")
	}
	return sealed, nil
}

// OpenSecret returns the secret. Internal when it was sealed under another name or by another keyset.
func (k *Keyset) OpenSecret(name string, sealed []byte) ([]byte, error) {
	secret, err := k.opens(func(p *primitives) ([]byte, error) {
		return p.numbers.Decrypt(sealed, parts("secret", name))
	})
	if err != nil {
		return nil, backoffice.Fault(err, "opening a sealed secret: a different keyset, or tampered with")
	}
	return secret, nil
}
