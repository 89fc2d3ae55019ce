package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/encrypt"
	"golang.org/x/sync/errgroup"

	"example.org/backoffice/backoffice"
)

const (
	partSize = 8 << 20 // larger files are uploaded in parts of this size, each in memory
	asked    = 8       // parallel requests about many files
)

// Bucket keeps files in an S3 bucket, or in one of the many stores that speak S3.
type Bucket struct {
	client     *minio.Core
	bucket     string
	prefix     string // of all our objects, "" or with a slash at the end
	encryption encrypt.ServerSide
}

// OpenBucket opens s3://BUCKET?region=…&endpoint=…&use_path_style=true&prefix=…. It takes credentials from where AWS's
// own tools do (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, the machine's role), never from the URL. It
// fails when the bucket is missing or cannot be reached.
func OpenBucket(ctx context.Context, location string) (*Bucket, error) {
	b, err := newBucket(location)
	if err != nil {
		return nil, err
	}
	switch there, err := b.client.BucketExists(ctx, b.bucket); {
	case err != nil:
		return nil, fmt.Errorf("cannot reach the bucket of stored files: %w", bare(err))
	case !there:
		return nil, errors.New("the bucket of stored files does not exist")
	}
	return b, nil
}

// bare reduces a client's error to the store's own code, or to the innermost reason. Outer ones repeat the endpoint.
func bare(err error) error {
	if code := codeOf(err); code != "" {
		return errors.New(code)
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// codeOf is the store's own code of an error, "" for an error on the way to it.
func codeOf(err error) string {
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	return answer.Code
}

// Close has nothing to close: idle connections end by themselves.
func (b *Bucket) Close() error { return nil }

// Put streams to the bucket, in parts when the file is large. A failure cancels the upload.
func (b *Bucket) Put(ctx context.Context, key string, r io.Reader, contentType string) (backoffice.File, error) {
	if !backoffice.ValidFileKey(key) {
		return backoffice.File{}, noFile()
	}
	file := backoffice.File{Key: key, ContentType: contentType, TimeCreated: backoffice.InstantOf(time.Now())}
	digest := backoffice.NewFileDigest()
	from := &source{ctx: ctx, r: io.TeeReader(r, digest)}
	if err := b.write(ctx, b.prefix+key, from, contentType); err != nil {
		return backoffice.File{}, from.fault(err, "writing to the bucket")
	}
	digest.Fill(&file)
	return file, nil
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// write sends what fits into a part with one request.
func (b *Bucket) write(ctx context.Context, object string, from *source, contentType string) error {
	first := buffers.Get().(*bytes.Buffer)
	first.Reset()
	n, err := io.CopyN(first, from, partSize)
	options := minio.PutObjectOptions{ContentType: contentType, ServerSideEncryption: b.encryption, PartSize: partSize}
	switch {
	case errors.Is(err, io.EOF):
		_, err = b.client.Client.PutObject(ctx, b.bucket, object, bytes.NewReader(first.Bytes()), n, options)
	case err == nil:
		_, err = b.client.Client.PutObject(ctx, b.bucket, object, io.MultiReader(first, from), -1, options)
	}
	if err == nil { // a request that failed may still be read
		buffers.Put(first)
	}
	return err
}

func (b *Bucket) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkAsk(ctx, key, offset); err != nil {
		return nil, err
	}
	nothing := io.NopCloser(strings.NewReader(""))
	if length == 0 {
		_, err := b.client.StatObject(ctx, b.bucket, b.prefix+key, minio.StatObjectOptions{})
		return nothing, bucketFault(err, "reading from the bucket")
	}
	var options minio.GetObjectOptions
	var err error
	switch last := offset + length - 1; {
	case length > 0 && last >= offset:
		err = options.SetRange(offset, last)
	case offset > 0:
		err = options.SetRange(offset, 0) // to the end
	}
	if err != nil {
		return nil, backoffice.Fault(err, "reading from the bucket")
	}
	reader, _, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+key, options)
	if codeOf(err) == minio.InvalidRange {
		return nothing, nil // past the end there is nothing
	}
	if err != nil {
		return nil, bucketFault(err, "reading from the bucket")
	}
	return reader, nil
}

// Missing looks for files, several at a time.
func (b *Bucket) Missing(ctx context.Context, keys []string) ([]string, error) {
	var mu sync.Mutex
	var missing []string
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(asked)
	for _, key := range keys {
		group.Go(func() error {
			_, err := b.client.StatObject(ctx, b.bucket, b.prefix+key, minio.StatObjectOptions{})
			err = bucketFault(err, "looking for files in the bucket")
			if backoffice.KindOf(err) == backoffice.NotFound {
				mu.Lock()
				missing = append(missing, key)
				mu.Unlock()
				return nil
			}
			return err
		})
	}
	err := group.Wait()
	return missing, err
}

func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	return b.DeleteIn(ctx, "", keys)
}

func (b *Bucket) DeleteIn(ctx context.Context, area string, keys []string) error {
	for _, key := range keys {
		if !backoffice.ValidFileKey(key) {
			continue
		}
		err := b.client.RemoveObject(ctx, b.bucket, b.prefix+inArea(area)+key, minio.RemoveObjectOptions{})
		err = bucketFault(err, "removing from the bucket")
		if err != nil && backoffice.KindOf(err) != backoffice.NotFound {
			return err
		}
	}
	return nil
}

// List implements Store. It skips objects that a Bucket never makes: they may be somebody else's.
func (b *Bucket) List(ctx context.Context, area string, visit func(key string) error) error {
	return b.each(ctx, inArea(area), "", func(key string) error {
		if !backoffice.ValidFileKey(key) {
			return nil
		}
		return visit(key)
	})
}

func inArea(area string) string {
	if area == "" {
		return ""
	}
	return area + "/"
}

func (b *Bucket) each(ctx context.Context, area, after string, visit func(name string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing when a visit does
	which := minio.ListObjectsOptions{Prefix: b.prefix + area, Recursive: true}
	if after != "" {
		which.StartAfter = b.prefix + after
	}
	for object := range b.client.ListObjectsIter(ctx, b.bucket, which) {
		if object.Err != nil {
			return bucketFault(object.Err, "listing the bucket")
		}
		if err := visit(strings.TrimPrefix(object.Key, b.prefix+area)); err != nil {
			return err
		}
	}
	return bucketFault(ctx.Err(), "listing the bucket")
}

func bucketFault(err error, doing string) error {
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer) && (answer.Code == minio.NoSuchKey ||
		answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket):
		return noFile()
	}
	return storeFault(err, doing)
}
