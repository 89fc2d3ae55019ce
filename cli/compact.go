package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/backoffice/store/sqlite"
)

type compactCommand struct{}

// Run compacts the store. Meanwhile servers can read; writes wait, and can fail.
func (c *compactCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if !s.Embedded() {
		return errors.New("compact rewrites the embedded store; PostgreSQL vacuums itself")
	}
	opened, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := opened.(*sqlite.Store).Compact(ctx); err != nil {
		return err
	}
	return printed(fmt.Fprint(t.out, "The store was rewritten: its file has no traces of erased records.\n",
		s.ShippedOfErased(time.Now())))
}
