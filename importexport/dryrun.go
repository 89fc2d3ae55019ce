package importexport

import (
	"context"
	"errors"
	"io"
	"time"

	"example.org/backoffice/backoffice"
)

var errDry = errors.New("a dry run must not be committed")

// rehearse loads the files into a transaction that is not committed.
func (im *importing) rehearse(ctx context.Context) (all []Loaded, err error) {
	failed := error(nil)
	err = im.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		im.dry, im.rejected = tx, rejectedIDs{im.rejected.seed, map[uint64]struct{}{}}
		if all, failed = im.loadAll(ctx); failed != nil {
			return failed
		}
		return errDry
	})
	if errors.Is(err, errDry) {
		err = nil
	}
	return all, err
}

// write runs a transaction, or, in a dry run, joins the only one.
func (im *importing) write(ctx context.Context, do func(context.Context, backoffice.Tx) error) error {
	if im.dry != nil {
		return do(ctx, im.dry)
	}
	return im.Store.Write(ctx, do)
}

func (f *storedFiles) imagine(content io.Reader, contentType string) (file backoffice.File, err error) {
	digest := backoffice.NewFileDigest()
	if _, err := io.Copy(digest, content); err != nil {
		return file, backoffice.Fault(err, "reading a file")
	}
	digest.Fill(&file)
	file.Key = backoffice.NewFileKey(backoffice.NewUploadID())
	file.ContentType, file.TimeCreated = contentType, backoffice.InstantOf(time.Now())
	f.put[file.Key] = true
	return file, nil
}
