package privacy

import (
	"fmt"

	"example.org/backoffice/backoffice"
)

const indexSize = 16 // bytes; two of 2^32 numbers share an index with a chance of 2^-65

// Seal encrypts a registration number (its 11 digits) for one field of one customer; moved to another field or customer it
// does not open. An empty number makes the zero Sealed. Every sealed number has the same length.
func (k *Keyset) Seal(customerID string, field backoffice.PrivacyField, number string) (backoffice.Sealed, error) {
	if number == "" {
		return backoffice.Sealed{}, nil
	}
	ciphertext, err := k.numbers.Encrypt([]byte(number), sealContext(customerID, field))
	if err != nil {
		return backoffice.Sealed{}, backoffice.Fault(err, "sealing a registration number")
	}
	index, err := k.Index(field, number)
	if err != nil {
		return backoffice.Sealed{}, err
	}
	return backoffice.SealedOf(ciphertext, index), nil
}

// Index is the keyed index under which the store finds a number (its 11 digits) in a field; the same number has another
// one in the other field. A search on behalf of a caller goes through Search, which enters it in the register.
func (k *Keyset) Index(field backoffice.PrivacyField, number string) ([]byte, error) {
	index, err := k.index.ComputePrimaryPRF(parts("index", string(field), number), indexSize)
	if err != nil {
		return nil, backoffice.Fault(err, "indexing a registration number")
	}
	return index, nil
}

// open is for Reveal alone.
func (k *Keyset) open(customerID string, field backoffice.PrivacyField, number backoffice.Sealed) (string, error) {
	plain, err := k.numbers.Decrypt(number.Ciphertext(), sealContext(customerID, field))
	if err != nil {
		return "", fmt.Errorf("a sealed number of customer %s does not open: another keyset, or changed: %w", customerID, err)
	}
	return string(plain), nil
}

func sealContext(customerID string, field backoffice.PrivacyField) []byte {
	return parts("registration number", string(field), customerID)
}
