package files

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"hash"
	"io"

	"example.org/backoffice/backoffice"
)

// smallFile is the size up to which a file is read before anything is answered.
const smallFile = 64 << 10

var errDamaged = errors.New("a stored file is damaged: its bytes changed; restore it from a backup (backoffice check names its record)")

// whole reads all of a file, and nothing but what was stored. It verifies a small file before anything is answered; of
// a larger damaged one it withholds the end, so that the answer breaks off. A part of a file has no digest to check.
func whole(body io.ReadCloser, file backoffice.File) (io.ReadCloser, error) {
	checked := &verified{ReadCloser: body, digest: sha256.New(), want: file.SHA256, left: int64(file.Size)}
	if file.Size > smallFile || len(file.SHA256) == 0 {
		return checked, nil
	}
	content, err := io.ReadAll(io.LimitReader(checked, int64(file.Size)))
	if errors.Is(err, errDamaged) {
		return body, &backoffice.Error{Kind: backoffice.Unavailable, Message: "the stored file is damaged", Cause: err}
	}
	// The send reports what broke off.
	return &part{io.MultiReader(bytes.NewReader(content), failing{err}), body}, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// verified fails instead of returning the last bytes of a file that is not what was stored.
type verified struct {
	io.ReadCloser
	digest hash.Hash
	want   []byte
	left   int64
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	_, _ = v.digest.Write(p[:n])
	if v.left -= int64(n); n > 0 && v.left == 0 && len(v.want) > 0 && !bytes.Equal(v.digest.Sum(nil), v.want) {
		return 0, errDamaged
	}
	return n, err
}
