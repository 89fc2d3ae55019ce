package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// keepRevoked revokes again, in the restored store, the credentials that the replaced one has as revoked, and tells of
// secrets that it has not. What leaked does not work again because of a restore.
func (r *restoring) keepRevoked(ctx context.Context, store *sqlite.Store, tell func(string)) error {
	replaced := r.database
	if info, err := os.Stat(replaced); errors.Is(err, fs.ErrNotExist) {
		aside, err := filepath.Glob(globOf(replaced) + ".replaced-*[Z0-9]") // by a restore that was interrupted
		if err != nil || len(aside) == 0 {
			return err
		}
		replaced = aside[len(aside)-1]
	} else if err == nil && info.Size() == 0 {
		return nil
	}
	now := backoffice.InstantOf(time.Now())
	revoked, valid, err := sqlite.CredentialsOf(ctx, replaced, now)
	if err != nil {
		tell("The store that is replaced cannot be read: credentials and secrets that ended since may be valid " +
			"again; see backoffice credentials list.")
		return nil
	}
	restored, err := store.Credentials(ctx)
	if err != nil {
		return err
	}
	for _, c := range restored {
		again := func(s backoffice.CredentialSecret) bool { return s.Live(now) && !valid[string(s.Digest)] }
		switch is, known := revoked[c.ID]; {
		case !known || !c.Live(now):
		case is:
			if err := auth.Revoke(ctx, store, c.ID); err != nil {
				return err
			}
			tell(fmt.Sprintf("The credential %s was revoked since, and stays revoked.", c.ID))
		case slices.ContainsFunc(c.Secrets, again):
			tell(fmt.Sprintf("A secret of the credential %[1]s is valid that was not in the replaced store. "+
				"To end it, run: backoffice credentials rotate %[1]s --overlap 0s", c.ID))
		}
	}
	return nil
}
