package privacy

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

// PurposeHeader is the request header in which a caller states why it consults registration numbers.
const PurposeHeader = "X-Access-Purpose"

const maxPurpose = 200 // characters

// ParsePurpose checks a stated purpose and trims it. BadInput when it is that of a tool, longer than 200 characters,
// not UTF-8, or has a control character or digits that backoffice.MaskDigits would mask: the register keeps it for
// good.
func ParsePurpose(text string) (string, error) {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxPurpose {
		return "", badPurpose("x-access-purpose has at most %d characters of UTF-8", maxPurpose)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", badPurpose("x-access-purpose cannot have control characters")
	}
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	if backoffice.MaskDigits(text) != text {
		return "", badPurpose(
			"x-access-purpose cannot have a run of 9 or more digits or a registration number, in any notation")
	}
	if strings.HasPrefix(text, backoffice.ToolPurpose) {
		return "", badPurpose("x-access-purpose does not begin with %s: that is the purpose of agents' tools",
			backoffice.ToolPurpose)
	}
	return text, nil
}

func badPurpose(format string, args ...any) error {
	err := backoffice.Errorf(backoffice.BadInput, format, args...)
	err.Field = "x-access-purpose"
	return err
}

// PurposeOf reads a request's header: nil when absent or empty. BadInput when it is repeated or invalid.
func PurposeOf(header http.Header) (*string, error) {
	values := header[PurposeHeader]
	if len(values) == 0 {
		return nil, nil
	}
	if len(values) > 1 {
		return nil, badPurpose("x-access-purpose must be sent once")
	}
	purpose, err := ParsePurpose(values[0])
	if err != nil || purpose == "" {
		return nil, err
	}
	return &purpose, nil
}
