package files_test

import (
	"context"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
)

func TestAnUploadThatASweepGaveUpCannotBeCommitted(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		r := openRecords(t)
		claim(t, r, store)
		kept := r.upload(t, store, 60, false)
		upload, err := backoffice.BeginUpload(t.Context(), r, store)
		if err != nil {
			t.Fatal(err)
		}
		file, err := upload.Put(t.Context(), strings.NewReader("late"), "text/plain")
		if err != nil {
			t.Fatal(err)
		}
		r.later(t, 2*backoffice.UploadLease)
		sweep(t, r, store, false)
		err = r.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			if err := r.name(ctx, tx, file); err != nil {
				return err
			}
			return upload.Commit(ctx, tx)
		})
		upload.Close(t.Context(), err)
		if backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("it ends with %v", err)
		}
		if known, err := r.KnownFiles(t.Context(), []string{file.Key}); err != nil || len(known) != 0 {
			t.Errorf("a record names the file: %v, %v", known, err)
		}
		wantKeys(t, store, kept)
	})
}

func TestAnUploadWhoseFilesAreGoneCannotBeCommitted(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, store files.Store) {
		r := openRecords(t)
		upload, err := backoffice.BeginUpload(t.Context(), r, store)
		if err != nil {
			t.Fatal(err)
		}
		var written []backoffice.File
		for range 3 {
			file, err := upload.Put(t.Context(), strings.NewReader("x"), "text/plain")
			if err != nil {
				t.Fatal(err)
			}
			written = append(written, file)
		}
		if err := store.Delete(t.Context(), written[1].Key); err != nil {
			t.Fatal(err)
		}
		err = r.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
			if err := r.name(ctx, tx, written...); err != nil {
				return err
			}
			return upload.Commit(ctx, tx)
		})
		upload.Close(t.Context(), err)
		if backoffice.KindOf(err) != backoffice.Unavailable {
			t.Errorf("it ends with %v", err)
		}
		wantKeys(t, store)
	})
}
