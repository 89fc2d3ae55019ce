package backoffice

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxText is the most characters of a short text, such as a name or a code.
const MaxText = 200

// CheckText returns BadInput for invalid UTF-8, blank texts, control characters, line breaks, and over max characters.
func CheckText(text string, max int) error {
	if !utf8.ValidString(text) {
		return Errorf(BadInput, "a text must be valid UTF-8")
	}
	if len(text) > max && utf8.RuneCountInString(text) > max {
		return Errorf(BadInput, "a text has at most %d characters", max)
	}
	blank := true
	for _, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return Errorf(BadInput, "a text cannot have control characters or line breaks")
		}
		blank = blank && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
	}
	if blank {
		return Errorf(BadInput, "a text must have a character that is not a space")
	}
	return nil
}

// Fold returns the form of a text for searches and orders. It ignores case and accents; letters that look like one with
// an accent (ø) become the plain letter. Folding twice changes nothing.
func Fold(text string) string {
	ascii, upper := true, false
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			ascii = false
			break
		}
		upper = upper || c >= 'A' && c <= 'Z'
	}
	switch {
	case !ascii:
		return foldUnicode(text)
	case upper:
		return strings.ToLower(text)
	}
	return text
}

// foldUnicode decomposes again at the end: a folded letter can decompose where its capital did not.
func foldUnicode(text string) string {
	withoutMarks := func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r < utf8.RuneSelf:
			return r
		case unicode.Is(unicode.Mn, r):
			return -1
		}
		return foldCase(r)
	}
	text = strings.Map(withoutMarks, norm.NFKD.String(strings.ToValidUTF8(text, "\ufffd")))
	return strings.Map(withoutMarks, norm.NFKD.String(lookalikes.Replace(text)))
}

// foldCase goes through the capital, which letters with two small forms share (σ and ς). The case folding of x/text
// swaps the cases of Cherokee instead of folding them.
func foldCase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// lookalikes are folded letters that Unicode does not decompose, although readers take them for others.
var lookalikes = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "þ", "th", "ł", "l", "ħ", "h", "ı", "i",
	"ŧ", "t", "ŋ", "n", "ĸ", "k", "ƶ", "z", "ɨ", "i", "ʉ", "u", "ƀ", "b",
	"’", "'", "‘", "'", "ʼ", "'",
)

var supportScopePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ParseSupportScope parses words of a-z and 0-9 joined by dashes, at most 64 characters in all. Otherwise BadInput.
func ParseSupportScope(text string) (string, error) {
	if len(text) > 64 || !supportScopePattern.MatchString(text) {
		return "", Errorf(BadInput, "a support scope has at most 64 characters: words of a-z and 0-9, joined by dashes")
	}
	return text, nil
}

var colorPattern = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// ParseColor parses a colour written #rrggbb and returns it in lower case. Otherwise BadInput.
func ParseColor(text string) (string, error) {
	if !colorPattern.MatchString(text) {
		return "", Errorf(BadInput, "a colour must look like #1e90ff")
	}
	return strings.ToLower(text), nil
}

// Plural is a number with its noun: 1 entry, 2 entries.
func Plural[N int | int64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}
