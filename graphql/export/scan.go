package export

import (
	"bytes"
	"encoding/json"
)

// These functions scan an answer's JSON without decoding it: values stay where they are. The executor wrote the answer,
// so it is well-formed and, except inside free-form values, without white space.

// skip returns the end of the value at an offset.
func skip(b []byte, at int) int {
	switch b[at] {
	case '"':
		return skipText(b, at)
	case '{', '[':
		depth := 0
		for {
			switch b[at] {
			case '"':
				at = skipText(b, at)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(b) && b[at] != ',' && b[at] != '}' && b[at] != ']' {
		at++
	}
	return at
}

func skipText(b []byte, at int) int {
	for from := at + 1; ; {
		end := from + bytes.IndexByte(b[from:], '"')
		escapes := 0
		for end-1-escapes > at && b[end-1-escapes] == '\\' {
			escapes++
		}
		if end++; escapes%2 == 0 {
			return end
		}
		from = end
	}
}

func appendText(to, quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return append(to, inner...)
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // always well-formed
	return append(to, text...)
}

func isNull(b []byte, at int) bool { return b[at] == 'n' }

// eachElement calls do with the offset of each element of a list, which may be null; do returns the element's end.
func eachElement(b []byte, at int, do func(at int) (end int, err error)) error {
	if isNull(b, at) {
		return nil
	}
	for at++; b[at] != ']'; {
		end, err := do(at)
		if err != nil {
			return err
		}
		if at = end; b[at] == ',' {
			at++
		}
	}
	return nil
}
