package privacy

import (
	"fmt"

	"example.org/backoffice/backoffice"
)

// Seal encrypts a registration number (its 11 digits) for one field of one customer; moved to another field or
// customer it does not open. An empty number makes the zero Sealed. Every sealed number has the same length.
func (k *Keyset) Seal(customerID string, field backoffice.PrivacyField, number string) (backoffice.Sealed, error) {
	if number == "" {
		return backoffice.Sealed{}, nil
	}
	in, err := k.fresh()
	if err != nil {
		return backoffice.Sealed{}, err
	}
	return in.seal(customerID, field, number)
}

func (in *keysInUse) seal(customerID string, field backoffice.PrivacyField, number string) (backoffice.Sealed, error) {
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

// Indexes are the keyed indexes under which the store finds a number (its 11 digits) in a field: one, or while keys
// turn two, one behind the other, the first of which is that of what is sealed now. The same number has others in the
// other field. A search on behalf of a caller goes through Search, which enters it in the register.
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

// open is for Reveal, and for Reseal, which lets nothing out.
func (k *Keyset) open(customerID string, field backoffice.PrivacyField, number backoffice.Sealed) (string, error) {
	var plain []byte
	err := k.opens(func(p *primitives) (err error) {
		plain, err = p.numbers.Decrypt(number.Ciphertext(), sealContext(customerID, field))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("a sealed number of customer %s does not open: another keyset, or changed: %w", customerID, err)
	}
	return string(plain), nil
}

func sealContext(customerID string, field backoffice.PrivacyField) []byte {
	return parts("registration number", string(field), customerID)
}
