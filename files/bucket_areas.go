package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"example.org/backoffice/backoffice"
)

// ListParts implements Store. If the bucket cannot list parts it visits none: the lifecycle rule removes them.
func (b *Bucket) ListParts(ctx context.Context, visit func(key string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for upload := range b.client.Client.ListIncompleteUploads(ctx, b.bucket, b.prefix, true) {
		if upload.Err != nil {
			return bucketFault(ctx.Err(), "listing uploads")
		}
		if key := strings.TrimPrefix(upload.Key, b.prefix); backoffice.ValidFileKey(key) {
			if err := visit(key); err != nil {
				return err
			}
		}
	}
	return bucketFault(ctx.Err(), "listing uploads")
}

func (b *Bucket) DeleteParts(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		err := b.client.RemoveIncompleteUpload(ctx, b.bucket, b.prefix+key)
		if err := bucketFault(err, "removing an upload"); err != nil && backoffice.KindOf(err) != backoffice.NotFound {
			return err
		}
	}
	return nil
}

func (b *Bucket) Owner(ctx context.Context) (string, error) {
	text, err := b.readSmall(ctx, marker, "reading the owner of the bucket")
	switch {
	case backoffice.KindOf(err) == backoffice.NotFound:
		return "", nil
	case err != nil:
		return "", err
	}
	return ownerOf(text)
}

func (b *Bucket) readSmall(ctx context.Context, name, doing string) ([]byte, error) {
	reader, _, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, bucketFault(err, doing)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxReceipt))
	return text, bucketFault(errors.Join(err, reader.Close()), doing)
}

// writeNew writes a small object unless one of that name exists: of several concurrent callers, S3 lets one succeed.
func (b *Bucket) writeNew(ctx context.Context, name, contentType string, text []byte) error {
	options := minio.PutObjectOptions{ContentType: contentType, ServerSideEncryption: b.encryption}
	options.SetMatchETagExcept("*")
	_, err := b.client.Client.PutObject(ctx, b.bucket, b.prefix+name, bytes.NewReader(text), int64(len(text)), options)
	return err
}

func (b *Bucket) Mark(ctx context.Context, fingerprint string) (string, error) {
	err := b.writeNew(ctx, marker, "text/plain; charset=utf-8", []byte(fingerprint+"\n"))
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	if err != nil && answer.StatusCode != http.StatusPreconditionFailed && answer.StatusCode != http.StatusConflict {
		return "", bucketFault(err, "writing the owner of the bucket")
	}
	return b.Owner(ctx)
}

// Move copies objects within the bucket, then removes the originals.
func (b *Bucket) Move(ctx context.Context, from, to string, keys []string) error {
	for _, key := range keys {
		if !backoffice.ValidFileKey(key) {
			continue
		}
		_, err := b.client.Client.CopyObject(ctx,
			minio.CopyDestOptions{Bucket: b.bucket, Object: b.prefix + inArea(to) + key, Encryption: b.encryption},
			minio.CopySrcOptions{Bucket: b.bucket, Object: b.prefix + inArea(from) + key})
		if err := bucketFault(err, "moving in the bucket"); err != nil {
			if backoffice.KindOf(err) == backoffice.NotFound {
				continue
			}
			return err
		}
		if err := b.DeleteIn(ctx, from, []string{key}); err != nil {
			return err
		}
	}
	return nil
}
