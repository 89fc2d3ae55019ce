package privacy

import (
	"encoding/binary"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	pathTagSize     = 5 + 16 // Tink's prefix and a tag of 128 bits
	maxDownloadSize = 512    // characters
)

// SignDownload makes the signature that a download path carries, so that a browser's link works without headers. It is
// bound to the pair, to the kind and identifier of the file and to the moment at which it ends (in whole seconds), and is
// URL-safe. The pair's client id can be read from it; it is not a secret.
func (k *Keyset) SignDownload(clientID, kind, id string, until time.Time) (string, error) {
	end := until.Unix()
	tag, err := k.paths.ComputeMAC(downloadContext(clientID, kind, id, end))
	if err != nil {
		return "", backoffice.Fault(err, "signing a download path")
	}
	token := make([]byte, 0, 8+len(clientID)+len(tag))
	token = binary.AppendUvarint(token, uint64(end))
	token = append(token, clientID...)
	return urlText.EncodeToString(append(token, tag...)), nil
}

// VerifyDownload returns the client id of the pair that a signature was made for. Unauthenticated, with one same message,
// when it was made for another file, was changed or has ended. The caller still has to ask whether the pair is live.
func (k *Keyset) VerifyDownload(signature, kind, id string, now time.Time) (clientID string, err error) {
	refused := backoffice.Errorf(backoffice.Unauthenticated, "the download link is not valid, or no longer")
	if len(signature) > maxDownloadSize {
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
	if k.paths.VerifyMAC(tag, downloadContext(clientID, kind, id, int64(end))) != nil || now.Unix() >= int64(end) {
		return "", refused
	}
	return clientID, nil
}

func downloadContext(clientID, kind, id string, end int64) []byte {
	return appendNumber(parts("download", clientID, kind, id), end)
}
