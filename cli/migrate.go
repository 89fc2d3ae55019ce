package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

type migrateCommand struct{}

func (c *migrateCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(s.Keyset); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(t.err, "The keyset %s is not there, and the schema needs none: servers do.\n", s.Keyset)
	}
	return printed(fmt.Fprintln(t.out, "The database's schema is up to date."))
}
