package files

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"example.org/backoffice/backoffice"
)

var ErrNotOwner = backoffice.Errorf(backoffice.BadInput, "the stored files belong to another database: pass that one with --database, or an empty folder or bucket with --files")

var errUnclaimed = backoffice.Errorf(backoffice.BadInput, "the folder or bucket has files of an unknown database: pass their database with --database, or an empty folder or bucket with --files")

// Claim marks the files as a database's own, with its fingerprint, once and for all. It claims unmarked files when
// there are none yet, or when the database names one of them. If they are not the database's, the error is ErrNotOwner
// or another BadInput with a sentence for the operator.
func Claim(ctx context.Context, register backoffice.FileRegister, store Store) error {
	fingerprint, owner, err := owners(ctx, register, store)
	if err == nil && owner == "" {
		if err = checkUnclaimed(ctx, register, store); err == nil {
			owner, err = store.Mark(ctx, fingerprint)
		}
	}
	if err == nil && owner != fingerprint {
		err = ErrNotOwner
	}
	return err
}

// owners returns the database's fingerprint, and the owner that the files are marked with.
func owners(ctx context.Context, register backoffice.FileRegister, store Store) (fingerprint, owner string, err error) {
	if fingerprint, err = register.Fingerprint(ctx); err == nil {
		owner, err = store.Owner(ctx)
	}
	return fingerprint, owner, err
}

var errEnough = errors.New("enough was seen")

func checkUnclaimed(ctx context.Context, register backoffice.FileRegister, store Store) error {
	some := false
	err := inBatches(ctx, in(store, ""), func(keys []string) error {
		some = true
		known, err := register.KnownFiles(ctx, keys)
		if err == nil && len(known) > 0 {
			err = errEnough
		}
		return err
	})
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && some:
		return errUnclaimed
	}
	return err
}

func checkOwner(ctx context.Context, register backoffice.FileRegister, store Store) error {
	fingerprint, owner, err := owners(ctx, register, store)
	if err == nil && owner != fingerprint {
		err = ErrNotOwner
	}
	return err
}

// InUse reports whether the store that a URL names has an owner or files. It creates nothing.
func InUse(ctx context.Context, location string) (used bool, err error) {
	if path, ok := FolderOf(location); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
	}
	store, err := Open(ctx, location)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if owner, err := store.Owner(ctx); err != nil || owner != "" {
		return true, err
	}
	if err = store.List(ctx, "", func(string) error { return errEnough }); errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}
