package backoffice

import "unicode/utf8"

const shownLength = 64 // characters of a name in a message

// ShownName prepares a name from a request for a message: it masks digits and cuts to 64 characters.
func ShownName(name string) string {
	if name = MaskDigits(name); utf8.RuneCountInString(name) <= shownLength {
		return name
	}
	end := 0
	for range shownLength {
		_, size := utf8.DecodeRuneInString(name[end:])
		end += size
	}
	return name[:end] + "…"
}
