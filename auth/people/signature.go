package people

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

const leastRSA = 2048 // bits

// algorithms are those of public keys: a token cannot choose none, nor have a public key taken for a shared secret.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// verify returns what a token says when a key of the issuer has signed it.
func (k *keys) verify(ctx context.Context, token string) ([]byte, error) {
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || !canonical(token) || !isAccessToken(signed.Signatures[0].Protected) {
		return nil, errForm
	}
	set, fresh := k.known()
	payload, by, named := signedBy(set, signed)
	switch {
	case by != nil && !fresh:
		k.ask()
	case by == nil && named && fresh: // else the key of this name may be another one by now
		return nil, errForged
	case by == nil:
		if set, err = k.newer(ctx); err != nil {
			return nil, err
		}
		if payload, by, _ = signedBy(set, signed); by == nil {
			return nil, errForged
		}
	}
	return payload, nil
}

// canonical reports whether a token is written as base64 writes its bytes: a library that decodes it takes others too,
// and each would be one more token that is known.
func canonical(token string) bool {
	for part := range strings.SplitSeq(token, ".") {
		bytes, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || base64.RawURLEncoding.EncodeToString(bytes) != part {
			return false
		}
	}
	return true
}

// isAccessToken reports whether a header is one of an access token, and asks for nothing that is not known here.
func isAccessToken(header jose.Header) bool {
	if _, critical := header.ExtraHeaders["crit"]; critical {
		return false
	}
	typ, _ := header.ExtraHeaders[jose.HeaderType].(string)
	switch strings.ToLower(typ) {
	case "at+jwt", "application/at+jwt", "jwt":
		return true
	}
	return false
}

// signedBy finds the key that has signed a token, and reports whether the key is there that the token names.
func signedBy(set []*jose.JSONWebKey, token *jose.JSONWebSignature) (payload []byte, by *jose.JSONWebKey, named bool) {
	header := token.Signatures[0].Protected
	for _, k := range set {
		if header.KeyID != "" && k.KeyID != header.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			continue
		}
		named = named || header.KeyID != ""
		if payload, err := token.Verify(k.Key); err == nil {
			return payload, k, true
		}
	}
	return nil, nil, named
}

// signs reports whether a key is one by which tokens may be signed: public, not for encryption, and not too short.
func signs(k *jose.JSONWebKey) bool {
	switch of := k.Key.(type) {
	case *rsa.PublicKey:
		if of.N.BitLen() < leastRSA {
			return false
		}
	case *ecdsa.PublicKey, ed25519.PublicKey:
	default:
		return false
	}
	return k.Valid() && (k.Use == "" || k.Use == "sig")
}
