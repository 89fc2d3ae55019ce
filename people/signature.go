package people

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
)

const leastRSA = 2048 // bits

// algorithms are those of public keys. A token cannot choose none, nor a shared secret, for which a public key would
// then be taken.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

type key struct {
	jose.JSONWebKey
	// under is the header of the last token that it signed, which is nearly always that of the next one too: it need
	// not be read again.
	under atomic.Pointer[header]
}

// header is what counts of a token's header.
type header struct {
	text      string // as the token has it, encoded
	algorithm jose.SignatureAlgorithm
	keyID     string
}

// compact is a token in its parts (RFC 7515, 7.1).
type compact struct {
	header, payload, signature string
	signed                     string // what the signature is of
}

// verify returns what a token says when a key of the issuer has signed it.
func (k *keys) verify(ctx context.Context, token string) ([]byte, error) {
	of, fine := parts(token)
	if !fine {
		return nil, errForm
	}
	set, fresh := k.known()
	head := knownHeader(set, of.header)
	if head == nil {
		if head = readHeader(token, of.header); head == nil {
			return nil, errForm
		}
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(of.signature)
	if err != nil {
		return nil, errForm
	}
	by, has := signerOf(set, head, of.signed, signature)
	switch {
	case by != nil && !fresh:
		k.ask()
	case by == nil && has:
		return nil, errForged
	case by == nil:
		if set, err = k.newer(ctx); err != nil {
			return nil, err
		}
		if by, _ = signerOf(set, head, of.signed, signature); by == nil {
			return nil, errForged
		}
	}
	by.under.Store(head)
	payload, err := base64.RawURLEncoding.Strict().DecodeString(of.payload)
	if err != nil {
		return nil, errForm
	}
	return payload, nil
}

func parts(token string) (of compact, fine bool) {
	last := strings.LastIndexByte(token, '.')
	if last < 0 {
		return of, false
	}
	of.signed, of.signature = token[:last], token[last+1:]
	of.header, of.payload, fine = strings.Cut(of.signed, ".")
	return of, fine && !strings.Contains(of.payload, ".")
}

// knownHeader is a header that a key has signed under before, nil for none.
func knownHeader(set []*key, text string) *header {
	for _, k := range set {
		if under := k.under.Load(); under != nil && under.text == text {
			return under
		}
	}
	return nil
}

// readHeader reads a token's header; nil when it is none of an access token, or asks for what is not known here.
func readHeader(token, text string) *header {
	read, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil {
		return nil
	}
	of := read.Signatures[0].Protected
	_, critical := of.ExtraHeaders["crit"]
	typ, _ := of.ExtraHeaders[jose.HeaderType].(string)
	switch strings.ToLower(typ) {
	case "at+jwt", "application/at+jwt", "jwt":
		if !critical {
			return &header{text: strings.Clone(text), algorithm: jose.SignatureAlgorithm(of.Algorithm), keyID: strings.Clone(of.KeyID)}
		}
	}
	return nil
}

// signerOf finds the key that has made a signature, and says whether the key is there that the token names.
func signerOf(set []*key, head *header, signed string, signature []byte) (by *key, has bool) {
	method := jwt.GetSigningMethod(string(head.algorithm))
	for _, k := range set {
		if head.keyID != "" && k.KeyID != head.keyID || k.Algorithm != "" && k.Algorithm != string(head.algorithm) || !k.makes(head.algorithm) {
			continue
		}
		has = has || head.keyID != ""
		if method.Verify(signed, signature, k.Key) == nil {
			return k, true
		}
	}
	return nil, has
}

// algorithmOf is the one algorithm of an elliptic curve (RFC 7518, 3.4).
var algorithmOf = map[elliptic.Curve]jose.SignatureAlgorithm{elliptic.P256(): jose.ES256, elliptic.P384(): jose.ES384, elliptic.P521(): jose.ES512}

func (k *key) makes(a jose.SignatureAlgorithm) bool {
	switch of := k.Key.(type) {
	case *rsa.PublicKey:
		return a[0] == 'R' || a[0] == 'P'
	case *ecdsa.PublicKey:
		return a == algorithmOf[of.Curve]
	case ed25519.PublicKey:
		return a == jose.EdDSA
	}
	return false
}

// signs says whether a key is one by which tokens may be signed: public, not for encryption, and not too short.
func (k *key) signs() bool {
	if rsaKey, is := k.Key.(*rsa.PublicKey); is && rsaKey.N.BitLen() < leastRSA {
		return false
	}
	return k.Valid() && k.IsPublic() && slices.ContainsFunc(algorithms, k.makes) && (k.Use == "" || k.Use == "sig")
}
