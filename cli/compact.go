package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/backoffice/store/sqlite"
)

type compactCommand struct{}

// Run compacts it. Servers can still read; writes wait, and may fail meanwhile.
func (c *compactCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if !s.Embedded() {
		return errors.New("only the embedded store is compacted; PostgreSQL does it by itself (VACUUM)")
	}
	opened, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := opened.(*sqlite.Store).Compact(ctx); err != nil {
		return err
	}
	return printed(fmt.Fprint(t.out, "The store was written anew: nothing of what was erased is left in its file.\n",
		s.ShippedOfErased(time.Now())))
}
