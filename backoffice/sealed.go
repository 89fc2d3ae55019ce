package backoffice

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
)

// PrivacyField names a field of a customer that holds a national registration number.
type PrivacyField string

const (
	RegistrationNumber       PrivacyField = "REGISTRATION_NUMBER"
	SpouseRegistrationNumber PrivacyField = "SPOUSE_REGISTRATION_NUMBER"
)

// AllPrivacyFields is in the order of the register of consultations.
var AllPrivacyFields = []PrivacyField{RegistrationNumber, SpouseRegistrationNumber}

// Sealed is a national registration number as it is stored: encrypted, with a keyed index to search by. It has no plain
// text, so any package may pass it on; package privacy seals and reveals. The zero value is no number. It prints as
// "[sealed]" even then, so that no log reveals whether a number is stored.
type Sealed struct {
	ciphertext string // strings make a Sealed immutable and comparable with ==
	index      string
	alias      string // its index by another key during a key rotation; not stored
}

// IndexSize is the bytes of a blind index. A search has one, or during a key rotation two, concatenated.
const IndexSize = 16

const sealedText = "[sealed]"

// SealedOf makes a Sealed of what a store has read; the zero value without a ciphertext.
func SealedOf(ciphertext, index []byte) Sealed {
	if len(ciphertext) == 0 {
		return Sealed{}
	}
	return Sealed{ciphertext: string(ciphertext), index: string(index)}
}

func (s Sealed) IsZero() bool { return s.ciphertext == "" }

// Ciphertext is what a store writes, nil without a number.
func (s Sealed) Ciphertext() []byte { return bytesOrNil(s.ciphertext) }

// Index is the keyed index of the number within its field, by which stores search; nil without a number.
func (s Sealed) Index() []byte { return bytesOrNil(s.index) }

// WithAlias adds the index of the number by another key, with which it may be stored elsewhere.
func (s Sealed) WithAlias(index []byte) Sealed {
	s.alias = string(index)
	return s
}

// Prefix identifies the key that sealed the number; "" without a number.
func (s Sealed) Prefix() string { return s.ciphertext[:min(len(s.ciphertext), PrefixSize)] }

// SameNumber reports whether both have the same number of the same field, or both none. Equality does not: a number
// that is sealed twice has two ciphertexts.
func (s Sealed) SameNumber(other Sealed) bool {
	if s.IsZero() || other.IsZero() {
		return s.IsZero() == other.IsZero()
	}
	return s.index == other.index || s.index != "" && s.index == other.alias || s.alias != "" && s.alias == other.index
}

// Equal compares what is stored, for go-cmp.
func (s Sealed) Equal(other Sealed) bool {
	return s.ciphertext == other.ciphertext && s.index == other.index
}

func (Sealed) String() string   { return sealedText }
func (Sealed) GoString() string { return sealedText }

// Format prints "[sealed]" for every verb and flag.
func (Sealed) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, sealedText) }
func (Sealed) LogValue() slog.Value           { return slog.StringValue(sealedText) }
func (Sealed) MarshalJSON() ([]byte, error)   { return []byte(strconv.Quote(sealedText)), nil }
func (Sealed) MarshalText() ([]byte, error)   { return []byte(sealedText), nil }

func bytesOrNil(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}
