package backoffice

import (
	"cmp"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"time"
)

// Instant is a time in UTC, to the millisecond. The zero value means no time: it is before every other and is written
// as null. 1970 is a time like any other.
type Instant int64

// noMoment is the zero value in milliseconds since 1970: the last millisecond before year 1.
const noMoment = -62_135_596_800_001

// strictly rejects what time.Parse accepts: 1:00:00, 00:00:00,5 and +24:00.
var strictly = regexp.MustCompile(`T\d\d:[\d:.]*(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

const (
	instantLayout = "2006-01-02T15:04:05.000Z"
	MonthLayout   = "2006-01"
)

// InstantOf truncates a time to milliseconds.
func InstantOf(t time.Time) Instant { return InstantAt(t.UnixMilli()) }

// InstantAt is the instant so many milliseconds after 1970, which is how every engine stores and orders it.
func InstantAt(milliseconds int64) Instant { return Instant(milliseconds - noMoment) }

// Milliseconds are those since 1970.
func (i Instant) Milliseconds() int64 { return int64(i) + noMoment }

// ParseInstant parses strict RFC 3339, also with t and z, and truncates it to milliseconds. Errors: BadInput.
func ParseInstant(text string) (Instant, error) {
	text = strings.ToUpper(text)
	t, err := time.Parse(time.RFC3339Nano, text)
	if t = t.UTC(); err != nil || !strictly.MatchString(text) || t.Year() < 1 || t.Year() > 9999 {
		return 0, Errorf(BadInput, "an instant must look like 2026-06-01T09:30:00.000Z")
	}
	return InstantOf(t), nil
}

func (i Instant) Time() time.Time { return time.UnixMilli(i.Milliseconds()).UTC() }
func (i Instant) IsZero() bool    { return i == 0 }
func (i Instant) String() string  { return i.Time().Format(instantLayout) }

// AppendJSON appends the quoted instant, or null for the zero value.
func (i Instant) AppendJSON(b []byte) []byte {
	if i == 0 {
		return append(b, "null"...)
	}
	// Go's library writes RFC 3339 to the second, of all layouts, without reading the layout: a third of the time.
	b = i.Time().AppendFormat(append(b, '"'), time.RFC3339)
	milliseconds := ((i.Milliseconds() % 1000) + 1000) % 1000
	return append(b[:len(b)-len("Z")], '.',
		byte('0'+milliseconds/100), byte('0'+milliseconds/10%10), byte('0'+milliseconds%10), 'Z', '"')
}

func (i Instant) MarshalJSON() ([]byte, error) { return i.AppendJSON(nil), nil }

func (i *Instant) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); v != nil || err != nil {
		return cmp.Or(err, i.UnmarshalGQL(v))
	}
	*i = 0
	return nil
}

func (i Instant) MarshalGQL(w io.Writer) { _, _ = w.Write(i.AppendJSON(nil)) }

// UnmarshalGQL reads the DateTime scalar from a text, or from an Instant.
func (i *Instant) UnmarshalGQL(v any) (err error) {
	switch v := v.(type) {
	case Instant:
		*i = v
	case string:
		*i, err = ParseInstant(v)
	default:
		err = Errorf(BadInput, "a DateTime must be a string")
	}
	return err
}
