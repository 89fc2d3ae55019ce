package execute

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
)

// Generated code calls these methods. They append scalars byte for byte as gqlgen marshals them.

// Null appends null, and returns false.
func (w *Writer) Null() bool {
	w.bytes = append(w.bytes, "null"...)
	return false
}

// String appends a JSON string. Bytes that are not UTF-8 stay as they are.
func (w *Writer) String(text string) bool {
	w.bytes = append(w.bytes, '"')
	start := 0
	for i := plain(text); i < len(text); i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			w.bytes = append(w.bytes, text[start:i]...)
			w.escape(c)
			start = i + 1
		}
	}
	w.bytes = append(w.bytes, text[start:]...)
	w.bytes = append(w.bytes, '"')
	return true
}

// plain counts the leading bytes of a text that need no escape, eight at a time. Most texts are plain.
func plain(text string) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; n+8 <= len(text); n += 8 {
		word := uint64(text[n]) | uint64(text[n+1])<<8 | uint64(text[n+2])<<16 | uint64(text[n+3])<<24 |
			uint64(text[n+4])<<32 | uint64(text[n+5])<<40 | uint64(text[n+6])<<48 | uint64(text[n+7])<<56
		quote, backslash := word^'"'*ones, word^'\\'*ones // a byte is 0 where the character is
		if ((word-' '*ones)&^word|(quote-ones)&^quote|(backslash-ones)&^backslash)&highs != 0 {
			break
		}
	}
	return n
}

func (w *Writer) escape(c byte) {
	const hex = "0123456789ABCDEF"
	switch c {
	case '\t':
		w.bytes = append(w.bytes, '\\', 't')
	case '\r':
		w.bytes = append(w.bytes, '\\', 'r')
	case '\n':
		w.bytes = append(w.bytes, '\\', 'n')
	case '\\', '"':
		w.bytes = append(w.bytes, '\\', c)
	default:
		w.bytes = append(w.bytes, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
	}
}

func (w *Writer) Int(i int) bool {
	w.bytes = strconv.AppendInt(w.bytes, int64(i), 10)
	return true
}

func (w *Writer) Boolean(b bool) bool {
	w.bytes = strconv.AppendBool(w.bytes, b)
	return true
}

// Float appends a number. One that JSON cannot represent is null with an error, even where null is not allowed.
func (w *Writer) Float(f float64) bool {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		w.refuse(errors.New("cannot marshal infinite no NaN float values"))
		return true
	}
	w.bytes = strconv.AppendFloat(w.bytes, f, 'g', -1, 64)
	return true
}

// refuse writes null for a leaf that cannot be written. It notes at most as many as errors are kept.
func (w *Writer) refuse(err error) {
	if len(w.unwritable) < w.run.executor.options.MaxErrors {
		leaf := &w.group.selection.fields[w.leaf]
		w.unwritable = append(w.unwritable, unwritable{len(w.bytes), w.Context(), leaf, err})
	}
	w.Null()
}

func Append[T interface{ AppendJSON([]byte) []byte }](w *Writer, scalar T) bool {
	w.bytes = scalar.AppendJSON(w.bytes)
	return true
}

func (w *Writer) Marshal(scalar graphql.Marshaler) bool {
	scalar.MarshalGQL(w)
	return scalar != graphql.Null
}

// Context is the context of the leaf that is being written.
func (w *Writer) Context() context.Context {
	return w.contextOf(w.group, &w.group.selection.fields[w.leaf])
}

// AppendList appends a list of scalars or enums; nullable: a nil list is null, nullables: its elements may be.
func AppendList[E any](w *Writer, list []E, nullable, nullables bool, put func(*Writer, E) bool) bool {
	if list == nil && nullable {
		return w.Null()
	}
	start := len(w.bytes)
	w.bytes = append(w.bytes, '[')
	for i, element := range list {
		if i > 0 {
			w.bytes = append(w.bytes, ',')
		}
		if !put(w, element) && !nullables {
			w.missing = true
		}
	}
	if w.missing {
		return w.cut(start)
	}
	w.bytes = append(w.bytes, ']')
	return true
}
