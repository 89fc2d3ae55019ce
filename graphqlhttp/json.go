package graphqlhttp

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// Why a text is not the JSON we accept. encoding/json would take duplicate keys (the last wins, which another reader
// may see otherwise), invalid UTF-8 and half surrogate pairs, and echoes parts of the text in its errors.
var (
	errSyntax    = errors.New("it is not valid JSON")
	errDuplicate = errors.New("a key occurs twice in an object")
	errNesting   = errors.New("it is nested too deeply")
	errEncoding  = errors.New("it is not valid UTF-8")
)

// object is a JSON object, with its text for whom the order of its members is of concern.
type object struct {
	members map[string]any
	text    string
}

// parseJSON reads one JSON value and nothing after it: objects as *object, arrays as []any, numbers as
// json.Number. Strings share the memory of text.
func parseJSON(text string, nesting int) (any, error) {
	if !utf8.ValidString(text) {
		return nil, errEncoding
	}
	p := jsonParser{text: text, nesting: nesting}
	value, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, errSyntax
	}
	return value, nil
}

type jsonParser struct {
	text    string
	at      int
	nesting int // levels left
}

func (p *jsonParser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next skips white space and gives the byte after it, 0 at the end.
func (p *jsonParser) next() byte {
	if p.space(); p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonParser) value() (any, error) {
	switch c := p.next(); c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.string()
	case 't':
		return true, p.word("true")
	case 'f':
		return false, p.word("false")
	case 'n':
		return nil, p.word("null")
	default:
		return p.number()
	}
}

func (p *jsonParser) word(word string) error {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return errSyntax
	}
	p.at += len(word)
	return nil
}

func (p *jsonParser) enter() error {
	p.at++
	if p.nesting--; p.nesting < 0 {
		return errNesting
	}
	return nil
}

func (p *jsonParser) leave() {
	p.at++
	p.nesting++
}

func (p *jsonParser) object() (any, error) {
	start := p.at
	if err := p.enter(); err != nil {
		return nil, err
	}
	members := make(map[string]any)
	if p.next() == '}' {
		p.leave()
		return &object{members, p.text[start:p.at]}, nil
	}
	for {
		if p.next() != '"' {
			return nil, errSyntax
		}
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if p.next() != ':' {
			return nil, errSyntax
		}
		p.at++
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		before := len(members)
		if members[key] = value; len(members) == before {
			return nil, errDuplicate
		}
		switch p.next() {
		case ',':
			p.at++
		case '}':
			p.leave()
			return &object{members, p.text[start:p.at]}, nil
		default:
			return nil, errSyntax
		}
	}
}

func (p *jsonParser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	array := []any{}
	if p.next() == ']' {
		p.leave()
		return array, nil
	}
	for {
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		array = append(array, value)
		switch p.next() {
		case ',':
			p.at++
		case ']':
			p.leave()
			return array, nil
		default:
			return nil, errSyntax
		}
	}
}

// number takes the characters that a number may have, and then holds them against the grammar.
func (p *jsonParser) number() (any, error) {
	text := p.text[p.at:]
	if end := strings.IndexFunc(text, func(c rune) bool { return !strings.ContainsRune("+-.0123456789Ee", c) }); end >= 0 {
		text = text[:end]
	}
	if !json.Valid([]byte(text)) {
		return nil, errSyntax
	}
	p.at += len(text)
	return json.Number(text), nil
}

// string reads a string; only one with escapes is copied.
func (p *jsonParser) string() (string, error) {
	start, escaped := p.at, false
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"' && !escaped:
			p.at++
			return p.text[start+1 : p.at-1], nil
		case c == '"':
			p.at++
			return unescape(p.text[start:p.at])
		case c == '\\':
			p.at++ // what is escaped
			escaped = true
		case c < ' ':
			return "", errSyntax
		}
	}
	return "", errSyntax
}

// unescape is strict where encoding/json quietly puts U+FFFD.
func unescape(quoted string) (text string, err error) {
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return "", errSyntax
	}
	if backoffice.HasLoneSurrogate([]byte(quoted)) {
		return "", errEncoding
	}
	return text, nil
}
