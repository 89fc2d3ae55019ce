package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
)

// ListAfter visits the names in a folder that are greater than one, without reading those before.
func (b objectBucket) ListAfter(ctx context.Context, folder, after string, visit func(name string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for object := range b.client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{
		Prefix: b.prefix + inArea(folder), StartAfter: b.prefix + after, Recursive: true}) {
		if object.Err != nil {
			return bucketFault(object.Err, "listing the bucket")
		}
		if name := strings.TrimPrefix(object.Key, b.prefix); name > after {
			if err := visit(name); err != nil {
				return err
			}
		}
	}
	return bucketFault(ctx.Err(), "listing the bucket")
}

// ListAfter does the same. It reads no folder whose names are all before.
func (f objectFolder) ListAfter(ctx context.Context, folder, after string, visit func(name string) error) error {
	start := filepath.Join(string(f), folder)
	err := filepath.WalkDir(start, func(at string, entry fs.DirEntry, err error) error {
		name, outside := filepath.Rel(string(f), at)
		name = filepath.ToSlash(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && at == start:
			return nil // nothing is in it yet
		case err != nil || outside != nil || ctx.Err() != nil:
			return errors.Join(err, outside, ctx.Err())
		case entry.IsDir() && name+"/" < after && !strings.HasPrefix(after, name+"/"):
			return fs.SkipDir
		case entry.Type().IsRegular() && name > after:
			return visit(name)
		}
		return nil
	})
	if err != nil {
		return storeFault(err, "listing the folder")
	}
	return nil
}
