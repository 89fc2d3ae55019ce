package privacy

import (
	"fmt"

	"example.org/backoffice/backoffice"
)

// Seal encrypts a registration number (its 11 digits) for one field of one customer; it opens for no other. An empty
// number makes the zero Sealed. Every sealed number has the same length.
func (k *Keyset) Seal(customerID string, field backoffice.PrivacyField, number string) (backoffice.Sealed, error) {
	if number == "" {
		return backoffice.Sealed{}, nil
	}
	in, err := k.fresh()
	if err != nil {
		return backoffice.Sealed{}, err
	}
	ciphertext, err := in.numbers.Encrypt([]byte(number), sealContext(customerID, field))
	if err != nil {
		return backoffice.Sealed{}, backoffice.Fault(err, "sealing a registration number")
	}
	indexes, err := in.indexes(field, number)
	if err != nil {
		return backoffice.Sealed{}, err
	}
	sealed := backoffice.SealedOf(ciphertext, []byte(indexes[:backoffice.IndexSize]))
	return sealed.WithAlias([]byte(indexes[backoffice.IndexSize:])), nil
}

// Indexes are the keyed indexes by which the store finds a number (its 11 digits) in a field: one or, during a key
// rotation, two, concatenated, the index of the sealing key first. They differ between the fields. A caller's search
// must use Search, which enters it in the register.
func (k *Keyset) Indexes(field backoffice.PrivacyField, number string) (string, error) {
	in, err := k.fresh()
	if err != nil {
		return "", err
	}
	return in.indexes(field, number)
}

func (in *keysInUse) indexes(field backoffice.PrivacyField, number string) (string, error) {
	content := parts("index", string(field), number)
	indexes, err := in.primary.indexOf(content)
	if err == nil && in.alias != nil {
		var alias []byte
		alias, err = in.alias.indexOf(content)
		indexes = append(indexes, alias...)
	}
	if err != nil {
		return "", backoffice.Fault(err, "indexing a registration number")
	}
	return string(indexes), nil
}

// Holds reports whether a sealed number of a field is this one (its 11 digits).
func (k *Keyset) Holds(number backoffice.Sealed, field backoffice.PrivacyField, digits string) (bool, error) {
	indexes, err := k.Indexes(field, digits)
	for ; err == nil && indexes != ""; indexes = indexes[backoffice.IndexSize:] {
		if string(number.Index()) == indexes[:backoffice.IndexSize] {
			return true, nil
		}
	}
	return false, err
}

// Move seals a customer's number for another one. It discloses nothing.
func (k *Keyset) Move(
	from, to string, field backoffice.PrivacyField, number backoffice.Sealed,
) (backoffice.Sealed, error) {
	if number.IsZero() {
		return number, nil
	}
	digits, err := k.open(from, field, number)
	if err != nil {
		return backoffice.Sealed{}, err
	}
	return k.Seal(to, field, digits)
}

// open is for Reveal, and for Reseal and Move, which disclose nothing.
func (k *Keyset) open(customerID string, field backoffice.PrivacyField, number backoffice.Sealed) (string, error) {
	plain, err := k.opens(func(p *primitives) ([]byte, error) {
		return p.numbers.Decrypt(number.Ciphertext(), sealContext(customerID, field))
	})
	if err != nil {
		return "", fmt.Errorf("cannot open a sealed number of customer %s: a different keyset, or tampered with: %w",
			customerID, err)
	}
	return string(plain), nil
}

func sealContext(customerID string, field backoffice.PrivacyField) []byte {
	return parts("registration number", string(field), customerID)
}
