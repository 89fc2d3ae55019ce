package backoffice

import (
	"encoding/json"
	"io"

	"unicode/utf8"
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
	const hexDigits = "0123456789ABCDEF"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, text[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			b = append(b, text[start:i]...)
			b = append(b, "\uFFFD"...)
			i++
			start = i
			continue
		}
		i += size
	}
	b = append(b, text[start:]...)
	return append(b, '"')
}
