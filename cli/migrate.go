package cli

import (
	"context"
	"fmt"
)

type migrateCommand struct{}

func (c *migrateCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	return printed(fmt.Fprintln(t.out, "The database's schema is up to date."))
}
