package privacy

import (
	"encoding/base64"
	"errors"
	"strings"

	"example.org/backoffice/backoffice"
)

const (
	cursorBlock   = 16   // plain texts are padded to this, to hide their length
	maxCursorSize = 4096 // characters; longer ones are not ours
)

var (
	cursorContext = parts("cursor")
	urlText       = base64.RawURLEncoding.Strict()
)

// decodeURLText reads what urlText wrote. It rejects what the library's decoder would skip: a value has one text.
func decodeURLText(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("a line break in base64url")
	}
	return urlText.DecodeString(text)
}

// SealCursor makes an opaque, URL-safe cursor, the same for the same bytes and key. OpenCursor takes 2 kB at most.
func (k *Keyset) SealCursor(plain []byte) string {
	// Padding as in ISO/IEC 7816-4: one 1 bit, then zeros.
	padded := make([]byte, (len(plain)/cursorBlock+1)*cursorBlock)
	copy(padded, plain)
	padded[len(plain)] = 0x80
	sealed, err := k.use().cursors.EncryptDeterministically(padded, cursorContext)
	if err != nil {
		panic(err) // only for plain texts of 2 GB
	}
	return urlText.EncodeToString(sealed)
}

// OpenCursor returns the bytes. BadInput when the text is no cursor of ours.
func (k *Keyset) OpenCursor(cursor string) ([]byte, error) {
	if len(cursor) > maxCursorSize {
		return nil, badCursor(nil)
	}
	sealed, err := decodeURLText(cursor)
	if err != nil {
		return nil, badCursor(err)
	}
	padded, err := k.opens(func(p *primitives) ([]byte, error) {
		return p.cursors.DecryptDeterministically(sealed, cursorContext)
	})
	if err != nil {
		return nil, badCursor(err)
	}
	end := len(padded) - 1
	for end >= 0 && padded[end] == 0 {
		end--
	}
	if end < 0 || padded[end] != 0x80 {
		return nil, badCursor(nil)
	}
	return padded[:end], nil
}

func badCursor(cause error) error {
	return &backoffice.Error{
		Kind: backoffice.BadInput, Message: "this server did not create the cursor", Cause: cause}
}
