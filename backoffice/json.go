package backoffice

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxJSON is the most bytes of a free-form object without blanks.
	MaxJSON = 64 << 10
	// maxJSONDepth is how deep objects and arrays may lie in each other, the outermost counted.
	maxJSONDepth = 32
)

// JSON is a free-form JSON object: no blanks, members in the order in which they were given (what was stored before
// that order was kept has them in the order of their keys' bytes), numbers as they were written. It is the same text
// on every engine. The zero value is the empty object: it is no slice, whose zero value GraphQL would take for null.
// It comes from ParseJSON or JSONOf, or from a store that was given such a value.
type JSON string

// ParseJSON reads an object of at most 64 KiB without blanks and at most 32 levels. Any other value, a key that
// occurs twice in an object, or what is not JSON is BadInput.
func ParseJSON(data []byte) (JSON, error) {
	compact, err := readObject(data, jsonParser{depth: maxJSONDepth})
	if err != nil {
		return "", err
	}
	if len(compact) > MaxJSON {
		return "", Errorf(BadInput, "a JSON object has at most %d bytes", MaxJSON)
	}
	return JSON(compact), nil
}

// Canonical is the object with the keys of every object in the order of their bytes. Objects that have equal members in
// whatever order have the same: members of a JSON object have no order that two parties could be held to, so a caller
// or an import that sends them in another one sends the same object.
func (j JSON) Canonical() string {
	canonical, err := readObject([]byte(j.String()), jsonParser{depth: maxJSONDepth, sorted: true})
	if err != nil { // it is in a store of before these rules
		return j.String()
	}
	return string(canonical)
}

// SameMembers says whether two objects have equal members, in whatever order.
func (j JSON) SameMembers(other JSON) bool {
	return j == other || len(j.String()) == len(other.String()) && j.Canonical() == other.Canonical()
}

// CheckJSONObject holds the body of a request to the rules of ParseJSON, but for the size, with room in it for
// free-form objects of full depth. Errors: BadInput.
func CheckJSONObject(data []byte) error {
	_, err := readObject(data, jsonParser{depth: maxJSONDepth + 4})
	return err
}

func readObject(data []byte, parser jsonParser) ([]byte, error) {
	if !utf8.Valid(data) || HasLoneSurrogate(data) {
		return nil, Errorf(BadInput, "a JSON object is valid UTF-8")
	}
	parser.decoder = json.NewDecoder(bytes.NewReader(data))
	parser.decoder.UseNumber()
	token, err := parser.decoder.Token()
	if err != nil {
		return nil, Errorf(BadInput, "malformed JSON")
	}
	if token != json.Delim('{') {
		return nil, Errorf(BadInput, "the value is a JSON object")
	}
	compact, err := parser.appendValue(make([]byte, 0, min(len(data), MaxJSON)), token, 1)
	if err != nil {
		var known *Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, Errorf(BadInput, "malformed JSON")
	}
	if _, err := parser.decoder.Token(); err != io.EOF {
		return nil, Errorf(BadInput, "malformed JSON: something follows the object")
	}
	return compact, nil
}

// JSONOf turns a Go value that encodes to an object into one, with the rules of ParseJSON.
func JSONOf(v any) (JSON, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", Errorf(BadInput, "the value is a JSON object")
	}
	return ParseJSON(data)
}

// jsonParser writes what it reads without blanks.
type jsonParser struct {
	decoder *json.Decoder
	depth   int  // how many levels there may be
	sorted  bool // whether it puts keys in the order of their bytes
}

func (p *jsonParser) appendValue(b []byte, token json.Token, depth int) ([]byte, error) {
	switch value := token.(type) {
	case json.Delim:
		if depth > p.depth {
			return nil, Errorf(BadInput, "a JSON object has at most %d levels", p.depth)
		}
		if value == '{' {
			return p.appendObject(b, depth)
		}
		return p.appendArray(b, depth)
	case string:
		return appendJSONString(b, value), nil
	case json.Number:
		if number, err := value.Float64(); err != nil || math.IsInf(number, 0) {
			return nil, Errorf(BadInput, "a number in a JSON object is within the range of a double") // others read it as one
		}
		return append(b, value...), nil
	case bool:
		return strconv.AppendBool(b, value), nil
	default:
		return append(b, "null"...), nil
	}
}

func (p *jsonParser) appendArray(b []byte, depth int) ([]byte, error) {
	b = append(b, '[')
	for first := true; ; first = false {
		token, err := p.decoder.Token()
		if err != nil {
			return nil, err
		}
		if token == json.Delim(']') {
			return append(b, ']'), nil
		}
		if !first {
			b = append(b, ',')
		}
		if b, err = p.appendValue(b, token, depth+1); err != nil {
			return nil, err
		}
	}
}

// appendObject writes the members as they come behind b, and remembers where each lies, to find keys that occur twice
// and to put them in order at the end where that is wanted.
func (p *jsonParser) appendObject(b []byte, depth int) ([]byte, error) {
	type member struct {
		key         string
		start, stop int
	}
	var members []member
	sorted, start := true, len(b)+1
	b = append(b, '{')
	for {
		token, err := p.decoder.Token()
		if err != nil {
			return nil, err
		}
		if token == json.Delim('}') {
			break
		}
		if len(members) > 0 {
			b = append(b, ',')
		}
		one := member{key: token.(string), start: len(b)} // the decoder has refused any other key
		b = append(appendJSONString(b, one.key), ':')
		if token, err = p.decoder.Token(); err != nil {
			return nil, err
		}
		if b, err = p.appendValue(b, token, depth+1); err != nil {
			return nil, err
		}
		one.stop = len(b)
		sorted = sorted && (len(members) == 0 || members[len(members)-1].key < one.key)
		members = append(members, one)
	}
	if sorted {
		return append(b, '}'), nil
	}
	slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.key, y.key) })
	for i, one := range members[1:] {
		if members[i].key == one.key {
			return nil, Errorf(BadInput, "a key occurs once in a JSON object")
		}
	}
	if !p.sorted {
		return append(b, '}'), nil
	}
	unsorted := slices.Clone(b[start:])
	b = b[:start]
	for i, one := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, unsorted[one.start-start:one.stop-start]...)
	}
	return append(b, '}'), nil
}

// appendJSONString escapes what RFC 8259 wants escaped and nothing else, so that what is written is never longer
// than what it was read from. What was stored so has small hexadecimal digits.
func appendJSONString(b []byte, text string) []byte {
	return appendEscaped(b, text, "0123456789abcdef")
}

// HasLoneSurrogate finds, in the text of JSON or of a GraphQL string, an escape that is half a character; decoders
// would quietly replace it.
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

// hexUnit reads the four hexadecimal digits of an escape; 0 when they are not there, which the decoder refuses.
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

// String is the object's text.
func (j JSON) String() string               { return string(j.AppendJSON(nil)) }
func (j JSON) MarshalJSON() ([]byte, error) { return j.AppendJSON(nil), nil }

// UnmarshalJSON reads an object with the rules of ParseJSON; null is the empty object.
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

// UnmarshalGQL reads the text of a literal or variable, or a map, which has no order.
func (j *JSON) UnmarshalGQL(v any) error {
	switch v.(type) {
	case json.RawMessage, map[string]any:
	default:
		return Errorf(BadInput, "the value is a JSON object")
	}
	parsed, err := JSONOf(v)
	if err != nil {
		return err
	}
	*j = parsed
	return nil
}
