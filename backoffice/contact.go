package backoffice

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/unicode/norm"
)

const (
	maxEmail = 254 // RFC 5321, 4.5.3.1.3
	maxPhone = 40
)

// ParseEmail checks an e-mail address without a display name, of at most 254 characters, whose domain is a name with
// a dot. It keeps the case; FoldEmail compares. Anything else is BadInput.
func ParseEmail(text string) (string, error) {
	refused := Errorf(BadInput,
		"an e-mail address must look like name@example.be, with at most %d characters", maxEmail)
	if len(text) > 4*maxEmail || !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxEmail {
		return "", refused
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return "", refused
	}
	// net/mail also reads names, comments and quotes; an address that it returns unchanged has none of these.
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || address.Name != "" {
		return "", refused
	}
	at := strings.LastIndexByte(text, '@')
	if at > 64 || !isDomain(text[at+1:]) {
		return "", refused
	}
	return text, nil
}

// isDomain wants at least two labels of letters, digits and inner dashes, the last of which is not a number.
func isDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range label {
			if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
				return false
			}
		}
	}
	return len(labels) > 1 && strings.ContainsFunc(labels[len(labels)-1], unicode.IsLetter)
}

// FoldEmail returns the form that addresses are compared in: without case, with accents in one encoding.
func FoldEmail(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return norm.NFC.String(strings.Map(foldCase, norm.NFD.String(text)))
	}
	return strings.ToLower(text)
}

// phonePattern matches digits with separators, then perhaps an extension. It does not allow words around a number,
// which the library would drop.
var phonePattern = regexp.MustCompile(`^\+?[0-9(][0-9()./\- \x{00A0}\x{202F}]*( ?(ext\.?|x|#) ?[0-9]{1,7})?$`)

// decimalPattern matches a spreadsheet's number: its last digit is not part of the telephone number.
var decimalPattern = regexp.MustCompile(`^[0-9]+\.[0-9]$`)

// ParsePhone parses a telephone number, Belgian unless it starts with a country's prefix, and returns its
// international format ("+32 2 555 12 12"). A number with an impossible length or prefix is BadInput, as is one whose
// international format would be parsed as another number (a few odd trunk prefixes).
func ParsePhone(text string) (string, error) {
	number, ok := internationalPhone(text)
	if again, fixed := internationalPhone(number); !ok || !fixed || again != number {
		return "", Errorf(BadInput, "a phone number must look like +32 2 555 12 12")
	}
	return number, nil
}

func internationalPhone(text string) (number string, ok bool) {
	if len(text) > maxPhone || !phonePattern.MatchString(text) || decimalPattern.MatchString(text) {
		return "", false
	}
	parsed, err := phonenumbers.Parse(text, "BE")
	if err != nil || !phonenumbers.IsPossibleNumber(parsed) {
		return "", false
	}
	return phonenumbers.Format(parsed, phonenumbers.INTERNATIONAL), true
}
