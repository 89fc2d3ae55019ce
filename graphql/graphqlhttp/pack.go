package graphqlhttp

import (
	"strings"

	"example.org/backoffice/graphql/answers"
)

// packedFrom is the size of the smallest answer that is compressed.
const packedFrom = 1 << 10

// mayBePacked reports whether an answer is compressed for clients that accept it. Only what may be kept is: beside a
// registration number or a signed path, and a text that an attacker chooses, the compressed size would reveal it
// (BREACH).
func (a *answer) mayBePacked() bool { return a.keepable && len(a.data) >= packedFrom }

// pack makes the body of an answer that may be kept, compressed if the client accepts that.
func (a *answer) pack(accepted []string) {
	if a.kept != nil && a.keepable {
		a.body = a.kept.Body
	}
	if len(accepted) == 0 || !a.mayBePacked() || a.media == mediaEvents {
		return
	}
	switch a.coding = codingOf(accepted); {
	case a.coding == "":
	case a.kept != nil:
		a.body = a.kept.Packed(a.coding)
	default:
		a.body = answers.Pack(a.coding, answers.BodyOf(a.data))
	}
}

// codingOf picks a content coding by the Accept-Encoding headers; "" for none. Of equal ones zstd comes first.
func codingOf(accepted []string) (coding string) {
	best := 0.0
	for _, line := range accepted {
		for entry := range strings.SplitSeq(line, ",") {
			offered, quality := acceptEntry(entry)
			if (offered == answers.Zstd || offered == answers.Gzip) &&
				(quality > best || quality == best && quality > 0 && offered == answers.Zstd) {
				coding, best = offered, quality
			}
		}
	}
	return coding
}
