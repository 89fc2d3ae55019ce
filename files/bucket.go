package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"

	"example.org/backoffice/backoffice"
)

// bucketSettings are the query parameters of a bucket's URL, as gocloud.dev/blob/s3blob has them; prefix is ours.
var bucketSettings = []string{
	"region", "endpoint", "use_path_style", "disable_https", "hostname_immutable", "profile", "role", "anonymous",
	"dualstack", "fips", "accelerate", "ssetype", "kmskeyid", "rate_limiter_capacity", "request_checksum_calculation",
	"response_checksum_validation", "prefix",
}

// Bucket keeps files in an S3 bucket or in one of the many stores that speak S3.
type Bucket struct {
	bucket *blob.Bucket
}

// OpenBucket opens s3://BUCKET?region=…&endpoint=…&use_path_style=true&prefix=…. Credentials come from where the AWS SDK
// finds them (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, the machine's role), never from the URL. It fails
// when the bucket cannot be reached or isn't there.
func OpenBucket(ctx context.Context, location *url.URL) (*Bucket, error) {
	query, err := checkBucketURL(location)
	if err != nil {
		return nil, err
	}
	prefix := query.Get("prefix")
	query.Del("prefix")
	cleaned := url.URL{Scheme: s3blob.Scheme, Host: location.Host, RawQuery: query.Encode()}
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, &cleaned)
	if err != nil {
		// The library's error repeats the URL, and has nothing else that helps: a value that is no boolean or number.
		return nil, errors.New("a setting in the bucket's URL has a value that cannot be read, or the AWS configuration on this machine cannot")
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, strings.TrimSuffix(prefix, "/")+"/")
	}
	switch there, err := bucket.IsAccessible(ctx); {
	case err != nil:
		_ = bucket.Close()
		return nil, fmt.Errorf("the bucket of stored files cannot be reached: %w", bare(err))
	case !there:
		_ = bucket.Close()
		return nil, errors.New("the bucket of stored files does not exist")
	}
	return &Bucket{bucket: bucket}, nil
}

func checkBucketURL(location *url.URL) (url.Values, error) {
	if location.User != nil {
		return nil, errors.New("a bucket's URL holds no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	if location.Host == "" || strings.Trim(location.Path, "/") != "" || location.Opaque != "" {
		return nil, errors.New("a bucket's URL is s3://BUCKET; a folder in the bucket is the setting prefix")
	}
	query, err := url.ParseQuery(location.RawQuery)
	if err != nil {
		return nil, errors.New("the settings in the bucket's URL cannot be read")
	}
	for name, values := range query {
		if !slices.Contains(bucketSettings, name) {
			return nil, fmt.Errorf("the bucket's URL has a setting that is not known; known are %s", strings.Join(bucketSettings, ", "))
		}
		if len(values) > 1 {
			return nil, fmt.Errorf("the bucket's URL has the setting %s twice", name)
		}
	}
	return query, nil
}

// bare cuts an error of the SDK to the store's own code, or to the innermost reason. Outer ones repeat the endpoint.
func bare(err error) error {
	var answer smithy.APIError
	if errors.As(err, &answer) {
		return errors.New(answer.ErrorCode())
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}

// Close lets go of the bucket.
func (b *Bucket) Close() error { return b.bucket.Close() }

// Put streams to the bucket, in parts when there is much. A failure cancels the upload.
func (b *Bucket) Put(ctx context.Context, r io.Reader, contentType string) (backoffice.File, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file := backoffice.File{Key: newKey(), ContentType: contentType, TimeCreated: backoffice.InstantOf(time.Now())}
	digest := backoffice.NewFileDigest()
	from := &source{ctx: ctx, r: io.TeeReader(r, digest)}
	writer, err := b.bucket.NewWriter(ctx, file.Key, &blob.WriterOptions{ContentType: contentType, DisableContentTypeDetection: true})
	if err != nil {
		return backoffice.File{}, bucketFault(err, "writing to the bucket")
	}
	if _, err := io.Copy(writer, from); err != nil {
		cancel() // before Close, which would otherwise keep what was written
		_ = writer.Close()
		return backoffice.File{}, from.fault(err, "writing to the bucket")
	}
	if err := writer.Close(); err != nil {
		return backoffice.File{}, bucketFault(err, "writing to the bucket")
	}
	digest.Fill(&file)
	return file, nil
}

// Open reads a part of a file, with one request.
func (b *Bucket) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if err := checkAsk(ctx, key, offset); err != nil {
		return nil, err
	}
	reader, err := b.bucket.NewRangeReader(ctx, key, offset, max(length, -1), nil)
	var answer smithy.APIError
	if errors.As(err, &answer) && answer.ErrorCode() == "InvalidRange" {
		return io.NopCloser(strings.NewReader("")), nil // past the end there is nothing
	}
	if err != nil {
		return nil, bucketFault(err, "reading from the bucket")
	}
	return reader, nil
}

// Delete removes files one by one.
func (b *Bucket) Delete(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if !validKey(key) {
			continue
		}
		err := b.bucket.Delete(ctx, key)
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return bucketFault(err, "removing from the bucket")
		}
	}
	return nil
}

// List visits files; it passes over objects that a Bucket never makes, which may be somebody else's. Parts of uploads
// that were cut short are not objects: the bucket's own lifecycle rule is for them.
func (b *Bucket) List(ctx context.Context, visit func(key string, modified time.Time) error) error {
	objects := b.bucket.List(nil)
	for {
		object, err := objects.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return bucketFault(err, "listing the bucket")
		}
		if object.IsDir || !validKey(object.Key) {
			continue
		}
		if err := visit(object.Key, object.ModTime); err != nil {
			return err
		}
	}
}

func bucketFault(err error, doing string) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return noFile()
	}
	return storeFault(err, doing)
}
