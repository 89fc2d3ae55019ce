package httpserver

import (
	"math/rand/v2"
	"regexp"

	"example.org/backoffice/backoffice"
)

const requestIDHeader = "X-Request-Id"

var (
	safeID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	uuid   = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// requestID takes the id that came with a request if it is harmless in a log: short, of plain characters, and no
// registration number. Else the request gets a new one.
func requestID(sent string) string {
	if sent != "" && safeID.MatchString(sent) && (backoffice.MaskDigits(sent) == sent || uuid.MatchString(sent)) {
		return sent
	}
	return newID()
}

// newID is 24 random characters, 120 bits. They guard nothing, so they come from the runtime, without a system call.
func newID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567" // 5 bits each
	var id [24]byte
	for i := 0; i < len(id); {
		for bits, end := rand.Uint64(), i+12; i < end; i++ {
			id[i] = letters[bits&31]
			bits >>= 5
		}
	}
	return string(id[:])
}
