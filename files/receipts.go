package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"example.org/backoffice/backoffice"
)

// Receipts keeps small files by name, which are written once and never changed: the receipts of the register of
// consultations, apart from the database. Names have a folder and a last part.
type Receipts interface {
	// Write adds a file, durable on return; it fails when there is one of that name.
	Write(ctx context.Context, name string, content []byte) error
	// Names lists all names, in their order.
	Names(ctx context.Context) ([]string, error)
	// Read gives a file whole.
	Read(ctx context.Context, name string) ([]byte, error)
}

// OpenReceipts opens the place that --receipts names: a folder (a path, or file:PATH), which is made when it is missing, or
// a bucket (s3://BUCKET with the settings of OpenBucket). Errors never repeat a URL.
func OpenReceipts(ctx context.Context, location string) (Receipts, error) {
	scheme, rest, found := strings.Cut(location, ":")
	switch {
	case found && strings.EqualFold(scheme, "s3"):
		parsed, err := url.Parse(location)
		if err != nil {
			return nil, errors.New("the bucket's URL cannot be read; write s3://BUCKET?region=REGION")
		}
		bucket, err := OpenBucket(ctx, parsed)
		if err != nil {
			return nil, err
		}
		return receiptBucket{bucket}, nil
	case found && strings.EqualFold(scheme, "file"):
		folder, err := folderPath(rest)
		if err != nil {
			return nil, err
		}
		location = folder
	case strings.Contains(location, "://"):
		return nil, errors.New("receipts are kept in a folder (PATH) or in a bucket (s3://BUCKET?region=REGION)")
	}
	if err := os.MkdirAll(location, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of receipts cannot be made: %w", err)
	}
	return receiptFolder(location), nil
}

// maxReceipt is how many bytes a receipt has at most.
const maxReceipt = 64 << 10

// receiptFolder opens the folder each time: it may be on a disk that comes and goes.
type receiptFolder string

func (f receiptFolder) Write(_ context.Context, name string, content []byte) error {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	part := path.Join(path.Dir(name), ".part-"+backoffice.NewID())
	file, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = root.Remove(part) }()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := root.Link(part, name); err != nil { // unlike a rename it fails when the name is taken
		return err
	}
	for _, folder := range []string{path.Dir(name), "."} {
		opened, err := root.Open(folder)
		if err != nil {
			return err
		}
		if err := errors.Join(opened.Sync(), opened.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (f receiptFolder) Names(ctx context.Context) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(string(f)), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, name)
		}
		return errors.Join(err, ctx.Err())
	})
	slices.Sort(names)
	return names, err
}

func (f receiptFolder) Read(_ context.Context, name string) ([]byte, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, maxReceipt))
}

type receiptBucket struct{ *Bucket }

func (b receiptBucket) Write(ctx context.Context, name string, content []byte) error {
	options := minio.PutObjectOptions{ContentType: "application/json", ServerSideEncryption: b.encryption}
	options.SetMatchETagExcept("*")
	_, err := b.client.Client.PutObject(ctx, b.bucket, b.prefix+name, bytes.NewReader(content), int64(len(content)), options)
	return bucketFault(err, "writing a receipt")
}

func (b receiptBucket) Names(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var names []string
	for object := range b.client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, bucketFault(object.Err, "listing receipts")
		}
		names = append(names, strings.TrimPrefix(object.Key, b.prefix))
	}
	slices.Sort(names)
	return names, bucketFault(ctx.Err(), "listing receipts")
}

func (b receiptBucket) Read(ctx context.Context, name string) ([]byte, error) {
	reader, _, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, bucketFault(err, "reading a receipt")
	}
	defer func() { _ = reader.Close() }()
	content, err := io.ReadAll(io.LimitReader(reader, maxReceipt))
	return content, bucketFault(err, "reading a receipt")
}
