package backoffice

import (
	"crypto/rand"
	"strings"
)

// A key is 26 characters of lower-case base32: 13 random ones, then those of the upload that wrote the file, so that
// the upload's one row in the store covers all its files. A slash after the first two makes them the file's folder:
// with 1,024 folders each stays small at a million files.
const (
	keyShard  = 2
	keyLength = 2*uploadLength + 1

	uploadLength = 13 // 65 bits
)

func NewUploadID() string { return strings.ToLower(rand.Text()[:uploadLength]) }

func NewFileKey(upload string) string {
	text := NewUploadID()
	return text[:keyShard] + "/" + text[keyShard:] + upload
}

// UploadOf returns the upload that wrote the file of a key, "" for an invalid key.
func UploadOf(key string) string {
	if !ValidFileKey(key) {
		return ""
	}
	return key[keyLength-uploadLength:]
}

// ValidFileKey reports whether a key has the form of NewFileKey, so that it cannot leave its folder or name a foreign
// object.
func ValidFileKey(key string) bool {
	return len(key) == keyLength && key[keyShard] == '/' && isKeyText(key[:keyShard]) && isKeyText(key[keyShard+1:])
}

func isKeyText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '2' || r > '7') }) < 0
}
