package evidence

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"

	"example.org/backoffice/backoffice"
)

// Signer signs by the office's key.
type Signer interface {
	Sign(content []byte) ([]byte, error)
}

const publicKeyBlock = "PUBLIC KEY"

// EncodeKey writes a public key as PEM (RFC 8410), which openssl reads.
func EncodeKey(key ed25519.PublicKey) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: publicKeyBlock, Bytes: encoded(key)})
}

// ParseKey is the inverse of EncodeKey. Errors: BadInput.
func ParseKey(text []byte) (ed25519.PublicKey, error) {
	if block, _ := pem.Decode(text); block != nil && block.Type == publicKeyBlock {
		if read, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			if key, ok := read.(ed25519.PublicKey); ok {
				return key, nil
			}
		}
	}
	return nil, backoffice.Errorf(backoffice.BadInput,
		"this is not an Ed25519 public key in PEM, as keys signing prints it")
}

// Fingerprint is the SHA-256 of a public key's DER, in hexadecimal: openssl pkey -pubin -outform DER | sha256sum.
func Fingerprint(key ed25519.PublicKey) string {
	digest := sha256.Sum256(encoded(key))
	return hex.EncodeToString(digest[:])
}

func encoded(key ed25519.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic(err) // it takes every Ed25519 key
	}
	return der
}
