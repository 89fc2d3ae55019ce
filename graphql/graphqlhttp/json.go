package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"example.org/backoffice/backoffice"
)

// The reasons that a text is not JSON as we accept it. Decoders' own errors repeat parts of the text.
var (
	errSyntax    = errors.New("it is not valid JSON")
	errDuplicate = errors.New("an object has a duplicate key")
	errNesting   = errors.New("it is nested too deeply")
	errEncoding  = errors.New("it is not valid UTF-8")
)

// object is a JSON object, with its text for readers that need the order of its members.
type object struct {
	members map[string]any
	text    string
}

// parseJSON reads one JSON value and nothing after it: objects as *object, arrays as []any, numbers as json.Number.
func parseJSON(text string, nesting int) (any, error) {
	if !utf8.ValidString(text) {
		return nil, errEncoding
	}
	p := jsonParser{jsontext.NewDecoder(bytes.NewBufferString(text)), text, nesting}
	value, err := p.value()
	if err == nil {
		if _, err = p.ReadToken(); errors.Is(err, io.EOF) {
			return value, nil
		}
	}
	switch {
	case errors.Is(err, errNesting):
		return nil, errNesting
	case errors.Is(err, jsontext.ErrDuplicateName):
		return nil, errDuplicate
	case backoffice.HasLoneSurrogate([]byte(text)):
		return nil, errEncoding
	}
	return nil, errSyntax
}

type jsonParser struct {
	*jsontext.Decoder
	text    string
	nesting int
}

func (p *jsonParser) value() (any, error) {
	switch p.PeekKind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return p.string()
	}
	value, err := p.ReadValue()
	switch value.Kind() {
	case '0':
		return json.Number(value), err
	case 'n':
		return nil, err
	}
	return value.Kind() == 't', err
}

// string reads a string; only one with escapes is copied.
func (p *jsonParser) string() (string, error) {
	quoted, err := p.ReadValue()
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		end := p.InputOffset() - 1
		return p.text[end-int64(len(quoted))+2 : end], nil
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	return string(text), err
}

func (p *jsonParser) enter() error {
	if _, err := p.ReadToken(); err != nil {
		return err
	}
	if p.StackDepth() > p.nesting {
		return errNesting
	}
	return nil
}

func (p *jsonParser) object() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	start, members := p.InputOffset()-1, make(map[string]any)
	for p.PeekKind() != '}' {
		key, err := p.string()
		if err != nil {
			return nil, err
		}
		if members[key], err = p.value(); err != nil {
			return nil, err
		}
	}
	_, err := p.ReadToken()
	return &object{members, p.text[start:p.InputOffset()]}, err
}

func (p *jsonParser) array() (any, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	array := []any{}
	for p.PeekKind() != ']' {
		item, err := p.value()
		if err != nil {
			return nil, err
		}
		array = append(array, item)
	}
	_, err := p.ReadToken()
	return array, err
}
