package files

import (
	"bytes"
	"context"
	"io"

	"example.org/backoffice/backoffice"
)

// Verify reads a file and compares it with its record. wrong describes the difference, "" for none.
func Verify(ctx context.Context, store backoffice.FileStore, file backoffice.File) (wrong string, err error) {
	wrong, err = VerifiedCopy(ctx, io.Discard, store, file)
	if backoffice.KindOf(err) == backoffice.NotFound {
		return "is missing", nil
	}
	return wrong, err
}

// VerifiedCopy writes a file's content, and compares it with its record as Verify does. NotFound when it is missing.
func VerifiedCopy(ctx context.Context, to io.Writer, store backoffice.FileStore, file backoffice.File) (
	wrong string, err error) {
	reader, err := store.Open(ctx, file.Key, 0, -1)
	if err != nil {
		return "", err
	}
	defer reader.Close()
	digest, seen := backoffice.NewFileDigest(), backoffice.File{}
	from := &source{ctx: ctx, r: reader}
	if _, err = io.Copy(io.MultiWriter(to, digest), from); from.err != nil {
		err = storeFault(from.err, "reading a file")
	}
	digest.Fill(&seen)
	if err == nil && (seen.Size != file.Size || !bytes.Equal(seen.SHA256, file.SHA256)) {
		wrong = "is damaged: its bytes changed"
	}
	return wrong, err
}
