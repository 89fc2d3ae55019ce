package privacy

import (
	"encoding/binary"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	pathTagSize     = 5 + 16  // Tink's prefix and a tag of 128 bits
	maxSignedLength = 4 << 10 // characters of a signature; it may contain a sealed person
)

// SignDownload makes the signature of a download path, which lets a browser's link work without headers. It is URL-safe
// and bound to the credential, the kind and identifier of the file and the time at which it ends (in whole seconds).
// The credential's client id can be read from it; it is not a secret.
func (k *Keyset) SignDownload(clientID, kind, id string, until time.Time) (string, error) {
	return k.signPath(clientID, until, downloadContext(clientID, kind, id))
}

// VerifyDownload returns the client id of the credential that a signature was made for. Unauthenticated, with the same
// message, when it is for another file, was changed or has ended. The caller must check that the credential is live.
func (k *Keyset) VerifyDownload(signature, kind, id string, now time.Time) (clientID string, err error) {
	return k.verifyPath("download", signature, now,
		func(clientID string) []byte { return downloadContext(clientID, kind, id) })
}

func downloadContext(clientID, kind, id string) []byte { return parts("download", clientID, kind, id) }

// SignUpload signs an upload path as SignDownload does a download path, with all attributes of the document.
func (k *Keyset) SignUpload(clientID string, of *backoffice.DocumentUpload, until time.Time) (string, error) {
	return k.signPath(clientID, until, uploadContext(clientID, of))
}

func (k *Keyset) VerifyUpload(
	signature string, of *backoffice.DocumentUpload, now time.Time) (clientID string, err error) {
	return k.verifyPath("upload", signature, now, func(clientID string) []byte { return uploadContext(clientID, of) })
}

func uploadContext(clientID string, of *backoffice.DocumentUpload) []byte {
	return parts("upload", clientID, of.ID, of.CustomerID, of.Name)
}

func (k *Keyset) signPath(clientID string, until time.Time, context []byte) (string, error) {
	end := until.Unix()
	tag, err := k.use().paths.ComputeMAC(appendNumber(context, end))
	if err != nil {
		return "", backoffice.Fault(err, "signing a path")
	}
	token := make([]byte, 0, 8+len(clientID)+len(tag))
	token = binary.AppendUvarint(token, uint64(end))
	token = append(token, clientID...)
	return urlText.EncodeToString(append(token, tag...)), nil
}

func (k *Keyset) verifyPath(
	what, signature string, now time.Time, contextOf func(clientID string) []byte) (clientID string, err error) {
	refused := backoffice.Errorf(backoffice.Unauthenticated, "the %s link is invalid or has expired", what)
	if len(signature) > maxSignedLength {
		return "", refused
	}
	token, err := decodeURLText(signature)
	if err != nil || len(token) < pathTagSize {
		return "", refused
	}
	body, tag := token[:len(token)-pathTagSize], token[len(token)-pathTagSize:]
	end, n := binary.Uvarint(body)
	if n <= 0 || end > 1<<40 {
		return "", refused
	}
	clientID = string(body[n:])
	if now.Unix() >= int64(end) || !k.verifies(func(p *primitives) error {
		return p.paths.VerifyMAC(tag, appendNumber(contextOf(clientID), int64(end)))
	}) {
		return "", refused
	}
	return clientID, nil
}
