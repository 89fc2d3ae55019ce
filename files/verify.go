package files

import (
	"bytes"
	"context"
	"io"

	"example.org/backoffice/backoffice"
)

// Verify reads a file and compares it with its record. wrong describes the difference, "" for none.
func Verify(ctx context.Context, store backoffice.FileStore, file backoffice.File) (wrong string, err error) {
	reader, err := store.Open(ctx, file.Key, 0, -1)
	if backoffice.KindOf(err) == backoffice.NotFound {
		return "is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer reader.Close()
	digest, seen := backoffice.NewFileDigest(), backoffice.File{}
	if _, err := io.Copy(digest, &source{ctx: ctx, r: reader}); err != nil {
		return "", storeFault(err, "reading a file")
	}
	if digest.Fill(&seen); seen.Size != file.Size || !bytes.Equal(seen.SHA256, file.SHA256) {
		return "is damaged: its bytes changed", nil
	}
	return "", nil
}
