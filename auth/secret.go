package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const secretSize = 32 // bytes: 256 random bits, 43 characters of base64url

type digest = [sha256.Size]byte

func newSecret() (secret string, sum digest) {
	random := make([]byte, secretSize)
	_, _ = rand.Read(random) // never fails: the runtime stops the program instead
	secret = base64.RawURLEncoding.EncodeToString(random)
	return secret, digestOf(secret)
}

// digestOf is plain SHA-256. Slow hashes protect what people think up. 256 random bits cannot be guessed from a digest
// however fast it is, and a slow hash would cost each request and offer a way to exhaust the server.
func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }
