package files

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// A key is 16 random bytes in lower-case base32, the first two characters being the folder it lies in: 1,024 folders
// keep each of them short at a million files.
var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	shardLength = 2
	keyLength   = 26 + 1
)

func newKey() string {
	text := randomName()
	return text[:shardLength] + "/" + text[shardLength:]
}

func randomName() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: it ends the program instead
	return keyEncoding.EncodeToString(random[:])
}

// validKey holds for what newKey makes, and so for nothing that could leave a folder or name a foreign object.
func validKey(key string) bool {
	return len(key) == keyLength && key[shardLength] == '/' &&
		isKeyText(key[:shardLength]) && isKeyText(key[shardLength+1:])
}

func isKeyText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '2' || r > '7')
	}) < 0
}
