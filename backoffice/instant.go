package backoffice

import (
	"io"
	"time"
)

// Instant is a moment in UTC, kept as milliseconds since 1970 so that every engine stores and orders it alike.
// The zero value is no moment and is written as null.
type Instant int64

const instantLayout = "2006-01-02T15:04:05.000Z"

// InstantOf cuts a time to the milliseconds that are stored.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// ParseInstant reads RFC 3339; anything finer than milliseconds is cut off.
func ParseInstant(text string) (Instant, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > 9999 {
		return 0, Errorf(BadInput, "an instant is written as in 2026-06-01T09:30:00.000Z")
	}
	return InstantOf(t), nil
}

// Time returns the instant as a time in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// IsZero says whether there is no moment.
func (i Instant) IsZero() bool { return i == 0 }

// String writes RFC 3339 with milliseconds in UTC.
func (i Instant) String() string { return i.Time().Format(instantLayout) }

// AppendJSON appends the quoted instant, or null for the zero value.
func (i Instant) AppendJSON(b []byte) []byte {
	if i == 0 {
		return append(b, "null"...)
	}
	// Go's library writes RFC 3339 to the second, of all layouts, without reading the layout: a third of the time.
	b = i.Time().AppendFormat(append(b, '"'), time.RFC3339)
	milliseconds := ((int64(i) % 1000) + 1000) % 1000
	return append(b[:len(b)-len("Z")], '.', byte('0'+milliseconds/100), byte('0'+milliseconds/10%10), byte('0'+milliseconds%10), 'Z', '"')
}

// MarshalJSON writes the quoted instant, or null for the zero value.
func (i Instant) MarshalJSON() ([]byte, error) { return i.AppendJSON(nil), nil }

// UnmarshalJSON reads a quoted instant or null.
func (i *Instant) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*i = 0
		return nil
	}
	if len(data) < 2 || data[0] != '"' || data[len(data)-1] != '"' {
		return Errorf(BadInput, "an instant is a string")
	}
	parsed, err := ParseInstant(string(data[1 : len(data)-1]))
	if err != nil {
		return err
	}
	*i = parsed
	return nil
}

// MarshalGQL writes the DateTime scalar.
func (i Instant) MarshalGQL(w io.Writer) { _, _ = w.Write(i.AppendJSON(nil)) }

// UnmarshalGQL reads the DateTime scalar from a text, or from an Instant.
func (i *Instant) UnmarshalGQL(v any) error {
	if decoded, ok := v.(Instant); ok {
		*i = decoded
		return nil
	}
	text, ok := v.(string)
	if !ok {
		return Errorf(BadInput, "a DateTime is a string")
	}
	parsed, err := ParseInstant(text)
	if err != nil {
		return err
	}
	*i = parsed
	return nil
}
