package process

import (
	"crypto/rand"
	"regexp"
	"strings"

	"example.org/backoffice/backoffice"
)

// requestIDHeader is where a proxy hands over the id of a request, and where the answer tells it.
const requestIDHeader = "X-Request-Id"

var (
	safeID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	uuid   = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// requestID takes the id that came with a request if it can do no harm in a log: it is short, of plain characters, and
// no registration number. Else the request gets a new one.
func requestID(sent string) string {
	if safeID.MatchString(sent) && (backoffice.MaskDigits(sent) == sent || uuid.MatchString(sent)) {
		return sent
	}
	return strings.ToLower(rand.Text())
}
