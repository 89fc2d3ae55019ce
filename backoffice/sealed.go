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

// AllPrivacyFields lists the guarded fields, in the order in which the register of consultations names them.
var AllPrivacyFields = []PrivacyField{RegistrationNumber, SpouseRegistrationNumber}

// Sealed is a national registration number as the store keeps it: encrypted, with a keyed index by which the same
// number is found again. There is no plain text in it, so it can travel through every room; package privacy seals and
// reveals. The zero value means that there is no number. Whatever prints it prints "[sealed]", for no number as well,
// so that no log tells whether a number is stored.
type Sealed struct {
	ciphertext string // strings, so that a Sealed cannot be changed and compares with ==
	index      string
	alias      string // its index by another key, while keys turn; not stored
}

// IndexSize is how many bytes a blind index has. What is searched for is one, or while keys turn two, one behind the
// other.
const IndexSize = 16

const sealedText = "[sealed]"

// SealedOf puts together what a store has read. No ciphertext makes the zero value.
func SealedOf(ciphertext, index []byte) Sealed {
	if len(ciphertext) == 0 {
		return Sealed{}
	}
	return Sealed{ciphertext: string(ciphertext), index: string(index)}
}

func (s Sealed) IsZero() bool { return s.ciphertext == "" }

// Ciphertext is what a store writes; nil when there is no number.
func (s Sealed) Ciphertext() []byte { return bytesOrNil(s.ciphertext) }

// Index is the keyed index of the number within its field, which a store writes beside the ciphertext and searches by;
// nil when there is no number.
func (s Sealed) Index() []byte { return bytesOrNil(s.index) }

// WithAlias is the same number with its index by another key as well, by which it may be stored elsewhere.
func (s Sealed) WithAlias(index []byte) Sealed {
	s.alias = string(index)
	return s
}

// Prefix is what tells by which key the number was sealed, "" when there is no number.
func (s Sealed) Prefix() string { return s.ciphertext[:min(len(s.ciphertext), PrefixSize)] }

// SameNumber reports whether both hold the same number of the same field, or both none. Sealing a number twice gives
// two ciphertexts, so this, not equality, tells whether a write changes anything.
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
