package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/files"
	"example.org/backoffice/store/ship"
)

type shipCommand struct {
	Verify shipVerifyCommand `cmd:"" help:"Restore what was shipped, check it, and delete the copy, as servers do daily."`
}

type shipVerifyCommand struct{}

func (*shipVerifyCommand) Run(ctx context.Context, s *settings, t terminal) error {
	found, err := s.VerifyShipped(ctx)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "Restorable %s.\n", found))
}

// shippedFlags choose a state of what was shipped.
type shippedFlags struct {
	Before *int64 `placeholder:"NUMBER" help:"Restore the shipped store as it was before this entry of the change log."`
	At     string `placeholder:"TIME" help:"Restore the shipped store as it was at this time (2026-11-23T10:41Z)."`

	at time.Time
}

func (f *shippedFlags) check(path string) error {
	if f.At != "" {
		var err error
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
			if f.at, err = time.Parse(layout, f.At); err == nil {
				break
			}
		}
		if err != nil {
			return errors.New("--at must be a time with its zone, such as 2026-11-23T10:41Z")
		}
	}
	switch given := f.At != "" || f.Before != nil; {
	case f.Before != nil && (*f.Before < 1 || f.At != ""):
		return errors.New("pass either --before NUMBER, 1 or more, or --at TIME")
	case given && !isShipped(path):
		return errors.New("--before and --at need the URL of what was shipped: a backup has one state")
	}
	return nil
}

// isShipped reports whether a restore is from what was shipped, by its URL, and not from a folder.
func isShipped(path string) bool {
	return strings.HasPrefix(path, "file:") || strings.HasPrefix(path, "s3:")
}

// unship restores the database of what was shipped into a folder like that of a backup, next to the store.
func (r *restoring) unship(ctx context.Context, s *settings, url string, target ship.Target) (
	remove func(), err error) {
	place, err := s.Shipped(url)
	if err != nil {
		return nil, err
	}
	if err := r.notInUse(); err != nil {
		return nil, err
	}
	r.backup, remove, err = files.NewFolder(r.database + ".shipped")
	if err != nil {
		return nil, err
	}
	found, err := place.Restore(ctx, target, filepath.Join(r.backup, backupDatabase))
	if err == nil {
		err = os.Mkdir(filepath.Join(r.backup, backupFiles), 0o700)
	}
	if err != nil {
		remove()
		return nil, fmt.Errorf("nothing was replaced: %w", err)
	}
	if r.promotion, err = place.Promotion(ctx); err != nil {
		remove()
		return nil, err
	}
	r.from = ship.Files(place)
	if strings.Contains(url, "://") {
		url = shownURL(url)
	}
	r.name = fmt.Sprintf("%s, after change %d of %s,", url, found.Last, found.At.UTC().Format(time.RFC3339))
	return remove, nil
}
