package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"example.org/backoffice/backoffice"
)

type objectBucket struct{ *Bucket }

func (b objectBucket) Put(ctx context.Context, name string, content io.Reader) error {
	from := &source{ctx: ctx, r: content}
	if err := b.write(ctx, b.prefix+name, from, "application/octet-stream"); err != nil {
		return from.fault(err, "writing to the bucket")
	}
	return nil
}

func (b objectBucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	reader, _, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, bucketFault(err, "reading from the bucket")
	}
	return reader, nil
}

func (b objectBucket) Delete(ctx context.Context, name string) error {
	err := b.client.RemoveObject(ctx, b.bucket, b.prefix+name, minio.RemoveObjectOptions{})
	err = bucketFault(err, "deleting from the bucket")
	if backoffice.KindOf(err) == backoffice.NotFound {
		return nil
	}
	return err
}

func (b objectBucket) List(ctx context.Context, folder, after string, visit func(name string) error) error {
	return b.each(ctx, inArea(folder), after, func(name string) error {
		if name = inArea(folder) + name; name <= after {
			return nil
		}
		return visit(name)
	})
}

// Hold keeps an object that its holder renews by conditional writes. No clocks are compared: a caller that has seen it
// unchanged for holdTime takes it, and the holder ends by itself before.
func (b objectBucket) Hold(ctx context.Context) (context.Context, func(), error) {
	tag, err := b.takeHold(ctx)
	if err != nil {
		return nil, nil, err
	}
	held, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer end()
		tag = b.renewHold(held, end, tag)
	}()
	return held, func() {
		end()
		<-done
		if tag != "" { // an empty object is free
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), holdPeriod)
			defer cancel()
			_, _ = b.writeHold(ending, nil, tag)
		}
	}, nil
}

// renewHold renews until its context ends, and ends it itself if that fails for too long. It returns the object's tag,
// "" when the object is another holder's.
func (b objectBucket) renewHold(held context.Context, end func(), tag string) string {
	holder := backoffice.NewID()
	ending := time.AfterFunc(holdTime-holdPeriod, end)
	defer ending.Stop()
	for n := 0; backoffice.Sleep(held, holdPeriod) == nil; n++ {
		began := time.Now()
		next, err := b.writeHold(held, fmt.Appendf(nil, "%s %d", holder, n), tag)
		if errors.Is(err, backoffice.ErrHeld) {
			if next, err = b.tagOf(held, holder); err == nil && next == "" {
				return ""
			}
		}
		if err == nil {
			tag = next
			ending.Reset(holdTime - holdPeriod - time.Since(began))
		}
	}
	return tag
}

// tagOf returns the object's tag if this holder wrote it, whose answer was lost, else "".
func (b objectBucket) tagOf(ctx context.Context, holder string) (string, error) {
	reader, info, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+holdMark, minio.GetObjectOptions{})
	if err != nil {
		return "", bucketFault(err, "reading the lease of the bucket")
	}
	defer reader.Close()
	content, err := io.ReadAll(io.LimitReader(reader, 100))
	if err != nil || !strings.HasPrefix(string(content), holder+" ") {
		return "", err
	}
	return info.ETag, nil
}

func (b objectBucket) takeHold(ctx context.Context) (tag string, err error) {
	tag, free, err := b.readHold(ctx)
	if err == nil && !free {
		if err := backoffice.Sleep(ctx, holdTime); err != nil {
			return "", err
		}
		var now string
		if now, free, err = b.readHold(ctx); err == nil && !free && now != tag {
			err = backoffice.ErrHeld
		}
		tag = now
	}
	if err != nil {
		return "", err
	}
	return b.writeHold(ctx, []byte(backoffice.NewID()), tag)
}

// readHold returns the tag of the object, "" when it is missing.
func (b objectBucket) readHold(ctx context.Context) (tag string, free bool, err error) {
	info, err := b.client.StatObject(ctx, b.bucket, b.prefix+holdMark, minio.StatObjectOptions{})
	err = bucketFault(err, "reading the lease of the bucket")
	if backoffice.KindOf(err) == backoffice.NotFound {
		return "", true, nil
	}
	return info.ETag, info.Size == 0, err
}

// writeHold replaces the object if it has this tag, or makes it if the tag is empty.
func (b objectBucket) writeHold(ctx context.Context, content []byte, tag string) (string, error) {
	options := minio.PutObjectOptions{ServerSideEncryption: b.encryption}
	if tag == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(tag)
	}
	info, err := b.client.Client.PutObject(ctx, b.bucket, b.prefix+holdMark, bytes.NewReader(content),
		int64(len(content)), options)
	answer, _ := errors.AsType[minio.ErrorResponse](err)
	if answer.StatusCode == http.StatusPreconditionFailed || answer.StatusCode == http.StatusConflict {
		return "", backoffice.ErrHeld
	}
	return info.ETag, bucketFault(err, "writing the lease of the bucket")
}
