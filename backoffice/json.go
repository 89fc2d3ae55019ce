package backoffice

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxJSON is the most bytes of a free-form object without blanks.
	MaxJSON = 64 << 10
	// maxJSONDepth is how deep objects and arrays may be nested, the outermost counted.
	maxJSONDepth = 32
)

// JSON is a free-form JSON object: no blanks, members in the order in which they were given (objects of older versions
// have them in bytewise order of their keys), numbers as they were written. It is the same text on every engine. The
// zero value is the empty object: JSON is not a slice, whose zero value GraphQL would take for null. It comes from
// ParseJSON or JSONOf, or from a store that was given such a value.
type JSON string

// ParseJSON reads an object of at most 64 KiB without blanks and at most 32 levels. Any other value, a key that
// occurs twice in an object, or what is not JSON is BadInput.
func ParseJSON(data []byte) (JSON, error) {
	compact, err := readObject(data, maxJSONDepth)
	if err != nil {
		return "", err
	}
	if len(compact) > MaxJSON {
		return "", Errorf(BadInput, "a JSON object has at most %d bytes", MaxJSON)
	}
	return JSON(compact), nil
}

// Canonical is the object with the keys of every object in the order of RFC 8785. The members of a JSON object have no
// defined order, so a caller or an import that sends them in another order sends the same object.
func (j JSON) Canonical() string {
	canonical, err := readObject([]byte(j.String()), maxJSONDepth, jsontext.ReorderRawObjects(true))
	if err != nil { // it was stored before these rules
		return j.String()
	}
	return string(canonical)
}

// SameMembers reports whether two objects have equal members, in any order.
func (j JSON) SameMembers(other JSON) bool {
	return j == other || len(j.String()) == len(other.String()) && j.Canonical() == other.Canonical()
}

// CheckJSONObject checks the body of a request against the rules of ParseJSON without the size. It allows four more
// levels than free-form objects, which are inside it. Errors: BadInput.
func CheckJSONObject(data []byte) error { return checkObject(data, maxJSONDepth+4) }

// readObject returns the object without blanks, its numbers as they were written.
func readObject(data []byte, levels int, how ...jsontext.Options) ([]byte, error) {
	if err := checkObject(data, levels); err != nil {
		return nil, err
	}
	compact, err := jsontext.AppendFormat(make([]byte, 0, min(len(data), MaxJSON)), data, how...)
	if err != nil {
		return nil, Errorf(BadInput, "malformed JSON")
	}
	return compact, nil
}

func checkObject(data []byte, levels int) error {
	if !utf8.Valid(data) || HasLoneSurrogate(data) {
		return Errorf(BadInput, "a JSON object must be valid UTF-8")
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data))
	if kind := decoder.PeekKind(); kind != '{' && kind != 0 {
		return Errorf(BadInput, "the value must be a JSON object")
	}
	for {
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return Errorf(BadInput, "a JSON object cannot have duplicate keys")
		case err != nil:
			return Errorf(BadInput, "malformed JSON")
		case decoder.StackDepth() > levels:
			return Errorf(BadInput, "a JSON object has at most %d levels", levels)
		case token.Kind() == '0':
			// Others read it as one, and PostgreSQL refuses one that is too small, too.
			digits, _, _ := strings.Cut(strings.ToLower(token.String()), "e")
			n, err := strconv.ParseFloat(token.String(), 64)
			if err != nil || n == 0 && strings.Trim(digits, "-0.") != "" {
				return Errorf(BadInput, "a number in a JSON object must be within the range of a double")
			}
		case decoder.StackDepth() == 0:
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return Errorf(BadInput, "malformed JSON: unexpected data after the object")
			}
			return nil
		}
	}
}

// JSONOf turns a Go value that encodes to an object into one, with the rules of ParseJSON.
func JSONOf(v any) (JSON, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", Errorf(BadInput, "the value must be a JSON object")
	}
	return ParseJSON(data)
}

// HasLoneSurrogate reports whether a text of JSON or a GraphQL string has an escape of half a character, which decoders
// would silently replace.
func HasLoneSurrogate(data []byte) bool {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++ // what is escaped
		if data[i] != 'u' {
			continue
		}
		switch unit := hexUnit(data[i+1:]); {
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return true
		case unit >= 0xD800 && unit <= 0xDBFF:
			rest := data[min(i+5, len(data)):]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
				return true
			}
			if low := hexUnit(rest[2:]); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 10
		}
	}
	return false
}

// hexUnit parses the four hexadecimal digits of an escape; 0 when they are missing, which the decoder refuses.
func hexUnit(data []byte) uint64 {
	if len(data) < 4 {
		return 0
	}
	unit, _ := strconv.ParseUint(string(data[:4]), 16, 16)
	return unit
}

func (j JSON) AppendJSON(b []byte) []byte {
	if len(j) == 0 {
		return append(b, "{}"...)
	}
	return append(b, j...)
}

func (j JSON) String() string               { return string(j.AppendJSON(nil)) }
func (j JSON) MarshalJSON() ([]byte, error) { return j.AppendJSON(nil), nil }

// UnmarshalJSON parses an object with the rules of ParseJSON; null is the empty object.
func (j *JSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*j = ""
		return nil
	}
	parsed, err := ParseJSON(data)
	if err != nil {
		return err
	}
	*j = parsed
	return nil
}

func (j JSON) MarshalGQL(w io.Writer) { _, _ = w.Write(j.AppendJSON(nil)) }

// UnmarshalGQL takes the text of a literal or variable, or a map, which has no order.
func (j *JSON) UnmarshalGQL(v any) error {
	switch v.(type) {
	case json.RawMessage, map[string]any:
	default:
		return Errorf(BadInput, "the value must be a JSON object")
	}
	parsed, err := JSONOf(v)
	if err != nil {
		return err
	}
	*j = parsed
	return nil
}
