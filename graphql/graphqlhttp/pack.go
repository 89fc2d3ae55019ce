package graphqlhttp

import (
	"net/http"
	"strings"

	"example.org/backoffice/graphql/answers"
)

// packedFrom is the size of the smallest answer that is compressed.
const packedFrom = 1 << 10

// represent makes the body of an answer that may be kept: compressed if the client accepts that, or none if the client
// has it. No other answer is compressed: beside a registration number or a signed path, and a text that an attacker
// chooses, the compressed size would reveal it (BREACH).
func (a *answer) represent(r *http.Request) {
	if !a.keepable {
		return
	}
	if a.varies = len(a.data) >= packedFrom; a.varies {
		a.coding = codingOf(r.Header["Accept-Encoding"])
	}
	if r.Method == http.MethodGet || r.Method == MethodQuery {
		if a.tag = a.identify(); hasTag(r.Header, a.tag) {
			a.status = http.StatusNotModified
			return
		}
	}
	switch {
	case a.kept != nil && a.coding == "":
		a.body = a.kept.Body
	case a.kept != nil:
		a.body = a.kept.Packed(a.coding)
	case a.coding != "":
		a.body = answers.Pack(a.coding, answers.BodyOf(a.data))
	}
}

// identify returns the entity tag: one for each content, media type and coding.
func (a *answer) identify() string {
	var digest string
	if a.kept != nil {
		digest = a.kept.Digest()
	} else {
		digest = answers.DigestOf(a.data)
	}
	if a.media == mediaGraphQL {
		digest += ".g"
	}
	return strings.TrimSuffix(`"`+digest+"."+a.coding, ".") + `"`
}

// mark sets the headers of an answer that the client may have.
func (a *answer) mark(header http.Header) {
	header["Cache-Control"] = noStore
	header.Add("Vary", "Accept")
	if a.varies {
		header.Add("Vary", "Accept-Encoding")
	}
	if a.tag != "" {
		header["Cache-Control"] = noCache
		header["Etag"] = []string{a.tag}
		header["Accept-Query"] = acceptQuery
	}
}

var (
	noCache     = []string{"private, no-cache"}
	acceptQuery = []string{mediaJSON}
)

// hasTag reports whether a client has what an entity tag identifies.
func hasTag(header http.Header, tag string) bool {
	for _, line := range header["If-None-Match"] {
		for known := range strings.SplitSeq(line, ",") {
			if known = strings.TrimPrefix(strings.TrimSpace(known), "W/"); known == tag || known == "*" {
				return true
			}
		}
	}
	return false
}

// codingOf picks a content coding by the Accept-Encoding headers; "" for none. Of equal ones zstd comes first.
func codingOf(accepted []string) (coding string) {
	best := 0.0
	for _, line := range accepted {
		for entry := range strings.SplitSeq(line, ",") {
			offered, quality := AcceptEntry(entry)
			if (offered == answers.Zstd || offered == answers.Gzip) &&
				(quality > best || quality == best && quality > 0 && offered == answers.Zstd) {
				coding, best = offered, quality
			}
		}
	}
	return coding
}
