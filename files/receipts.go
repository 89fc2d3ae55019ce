package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// OpenReceipts opens a folder (a path or file:PATH; made when missing) or bucket (as OpenBucket). Errors repeat no URL.
func OpenReceipts(ctx context.Context, location string) (backoffice.ReceiptStore, error) {
	folder, isFolder, err := parseFolder(location)
	switch {
	case err != nil:
		return nil, err
	case isFolder:
		location = folder
	case isBucket(location):
		bucket, err := OpenBucket(ctx, location)
		if err != nil {
			return nil, err
		}
		return receiptBucket{bucket}, nil
	case strings.Contains(location, "://"):
		return nil, errors.New("receipts must be in a folder (PATH) or a bucket (s3://BUCKET?region=REGION)")
	}
	if err := os.MkdirAll(location, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the folder of receipts: %w", err)
	}
	return receiptFolder(location), nil
}

const maxReceipt = 64 << 10 // bytes

// receiptFolder opens the folder each time: its disk may be unmounted and mounted again.
type receiptFolder string

func (f receiptFolder) Write(_ context.Context, name string, content []byte) error {
	folder, err := objectFolder(f).open()
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.makeFolderOf(name); err != nil {
		return err
	}
	part := path.Join(path.Dir(name), ".part-"+backoffice.NewID())
	defer func() { _ = folder.at().Remove(part) }()
	if err := folder.writePart(part, bytes.NewReader(content)); err != nil {
		return err
	}
	if err := folder.at().Link(part, name); err != nil { // unlike a rename, fails when the name is taken
		return err
	}
	return folder.syncFolder(path.Dir(name))
}

func (f receiptFolder) Names(ctx context.Context) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(string(f)), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case entry.IsDir() && name != "." && notOurs(entry):
			return fs.SkipDir
		case entry.Type().IsRegular() && !notOurs(entry):
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

func (f receiptFolder) Read(_ context.Context, name string) ([]byte, error) {
	file, err := os.OpenInRoot(string(f), name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxReceipt))
}

type receiptBucket struct{ *Bucket }

func (b receiptBucket) Write(ctx context.Context, name string, content []byte) error {
	return bucketFault(b.writeNew(ctx, name, "application/json", content), "writing a receipt")
}

func (b receiptBucket) Names(ctx context.Context) ([]string, error) {
	var names []string
	err := b.each(ctx, "", "", func(name string) error {
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

func (b receiptBucket) Read(ctx context.Context, name string) ([]byte, error) {
	return b.readSmall(ctx, name, "reading a receipt")
}
