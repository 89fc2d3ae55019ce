package backoffice

import (
	"encoding/json"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is a text, or null for "": no field of a record can be an empty text. So a missing one needs no pointer.
type Text string

func (t Text) MarshalGQL(w io.Writer) { _, _ = w.Write(t.AppendJSON(nil)) }

func (t *Text) UnmarshalGQL(v any) error {
	switch v := v.(type) {
	case nil:
		*t = ""
	case string:
		*t = Text(v)
	default:
		return Errorf(BadInput, "a text must be a string")
	}
	return nil
}

func (t Text) AppendJSON(b []byte) []byte {
	if t == "" {
		return append(b, "null"...)
	}
	return AppendJSONString(b, string(t))
}

func (t Text) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

func (t *Text) UnmarshalJSON(data []byte) error {
	var s *string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if *t = ""; s != nil {
		*t = Text(*s)
	}
	return nil
}

// AppendJSONString escapes only what JSON requires. Bytes that are not UTF-8 become U+FFFD.
func AppendJSONString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // it reports these bytes, and replaces them
	return b
}
