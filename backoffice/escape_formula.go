package backoffice

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeFormula returns a text of a CSV file with an apostrophe before it if a spreadsheet may take it for a formula,
// by its first visible character, in any width: names and purposes come from callers.
func EscapeFormula[T string | []byte](text T) T {
	if len(text) == 0 {
		return text
	}
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Z) }
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(string(text), isBlank))
	if text[0] == '\t' || text[0] == '\r' || strings.ContainsRune("=+-@＝＋－＠﹢﹣﹦﹫−", first) {
		return T(append([]byte{'\''}, text...))
	}
	return text
}
