package graphqlhttp

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// number takes the characters that a number may have and then holds them against the grammar.
func (p *jsonParser) number() (any, error) {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	switch c := p.peek(); {
	case c == '0':
		p.at++
	case '1' <= c && c <= '9':
		p.digits()
	default:
		return nil, errSyntax
	}
	if p.peek() == '.' {
		if p.at++; !p.digits() {
			return nil, errSyntax
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return nil, errSyntax
		}
	}
	return json.Number(p.text[start:p.at]), nil
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonParser) digits() bool {
	start := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}

// string reads a string; only one with escapes is copied.
func (p *jsonParser) string() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", errSyntax
		}
		p.at++
	}
	return "", errSyntax
}

func (p *jsonParser) escaped(start int) (string, error) {
	end := strings.IndexByte(p.text[p.at:], '"') // a first guess of the length
	out := make([]byte, 0, p.at-start+max(end, 0)+16)
	for kept := start; p.at < len(p.text); {
		switch c := p.text[p.at]; {
		case c == '"':
			out = append(out, p.text[kept:p.at]...)
			p.at++
			return string(out), nil
		case c < ' ':
			return "", errSyntax
		case c != '\\':
			p.at++
			continue
		}
		out = append(out, p.text[kept:p.at]...)
		p.at++
		c := p.peek()
		p.at++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, err := p.unicode()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", errSyntax
		}
		kept = p.at
	}
	return "", errSyntax
}

// unicode reads what follows \u: four digits, and a second escape when they are half of a surrogate pair.
func (p *jsonParser) unicode() (rune, error) {
	first, err := p.hex()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	if !strings.HasPrefix(p.text[p.at:], `\u`) {
		return 0, errEncoding
	}
	p.at += 2
	second, err := p.hex()
	if err != nil {
		return 0, err
	}
	if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
		return r, nil
	}
	return 0, errEncoding
}

func (p *jsonParser) hex() (rune, error) {
	if len(p.text)-p.at < 4 {
		return 0, errSyntax
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, errSyntax
	}
	p.at += 4
	return rune(n), nil
}
