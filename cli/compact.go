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
	whole, err := opened.(*sqlite.Store).Compact(ctx)
	if err != nil {
		return err
	}
	said := "The store was rewritten: its file has no traces of erased records.\n"
	if !whole {
		said = "The store was rewritten: traces of erased records leave its file when those who read it now end.\n"
	}
	return printed(fmt.Fprint(t.out, said, s.ShippedOfErased(time.Now())))
}
