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
	_, before := os.Stat(s.Keyset)
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	switch _, after := os.Stat(s.Keyset); {
	case errors.Is(after, fs.ErrNotExist):
		fmt.Fprintf(t.err, "The keyset %s does not exist. migrate does not need it, but servers do.\n", s.Keyset)
	case errors.Is(before, fs.ErrNotExist):
		fmt.Fprintf(t.err, "The keyset %s was created: registration numbers cannot be read without it.\n", s.Keyset)
	}
	return printed(fmt.Fprintln(t.out, "The database's schema is up to date."))
}
