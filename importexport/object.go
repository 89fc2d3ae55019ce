package importexport

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// raw is the JSON text of one value, known to be well-formed.
type raw []byte

// checkObject returns why a line is not one JSON object, "" when it is.
func checkObject(line []byte) (why string) {
	switch {
	case !utf8.Valid(line):
		return "the line is not valid UTF-8"
	case !json.Valid(line):
		return "the line is not one JSON object: malformed, or cut off"
	case bytes.TrimLeft(line, " \t\r")[0] != '{':
		return "the line is JSON, but not an object"
	}
	return ""
}

// eachMember calls visit for the members of an object, or for the elements of an array, which have no key, in order. It
// stops at the first error of visit. The text must be well-formed.
func eachMember(text raw, visit func(key, value raw) error) error {
	at := skipBlanks(text, 0)
	isObject := text[at] == '{'
	for at++; ; {
		at = skipBlanks(text, at)
		switch text[at] {
		case '}', ']':
			return nil
		case ',':
			at = skipBlanks(text, at+1)
		}
		var key raw
		if isObject {
			end := endOfString(text, at)
			key = text[at:end]
			at = skipBlanks(text, skipBlanks(text, end)+1) // over the colon
		}
		end := endOfValue(text, at)
		if err := visit(key, text[at:end]); err != nil {
			return err
		}
		at = end
	}
}

func skipBlanks(text raw, at int) int {
	for text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n' {
		at++
	}
	return at
}

func endOfString(text raw, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

func endOfValue(text raw, at int) int {
	switch text[at] {
	case '"':
		return endOfString(text, at)
	case '{', '[':
		for depth := 0; ; at++ {
			switch text[at] {
			case '"':
				at = endOfString(text, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	for at < len(text) {
		switch text[at] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return at
		}
		at++
	}
	return at
}

func (r raw) isNull() bool { return r[0] == 'n' }

// text reads a string. BadInput for another value, and for a lone surrogate.
func (r raw) text() (string, error) {
	if r[0] != '"' {
		return "", backoffice.Errorf(backoffice.BadInput, "the value must be a string")
	}
	if inner := r[1 : len(r)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	if backoffice.HasLoneSurrogate(r) { // encoding/json would silently put U+FFFD
		return "", backoffice.Errorf(backoffice.BadInput, "a text must be valid UTF-8")
	}
	var text string
	err := json.Unmarshal(r, &text)
	return text, err
}

func (r raw) boolean() (bool, error) {
	switch r[0] {
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return false, backoffice.Errorf(backoffice.BadInput, "the value must be true or false")
}

func (r raw) number() (float64, error) {
	if r[0] != '-' && (r[0] < '0' || r[0] > '9') {
		return 0, backoffice.Errorf(backoffice.BadInput, "the value must be a number")
	}
	number, err := strconv.ParseFloat(string(r), 64)
	if err != nil {
		return 0, backoffice.Errorf(backoffice.BadInput, "the number is too large")
	}
	return number + 0, nil // turns -0 into 0
}
