package cli

import (
	"context"
	"errors"
	"fmt"

	"example.org/backoffice/store/sqlite"
)

// compactCommand writes the embedded store anew, so that nothing of what was erased is left in its file.
type compactCommand struct{}

// Run compacts it. Servers may go on reading; writes wait, and may be refused meanwhile.
func (c *compactCommand) Run(ctx context.Context, s *settings, t terminal) error {
	if !s.Embedded() {
		return errors.New("only the embedded store is compacted; PostgreSQL does it by itself (VACUUM)")
	}
	opened, err := s.OpenRecords(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	if embedded, ok := opened.(*sqlite.Store); ok {
		if err := embedded.Compact(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(t.out, "The store was written anew: nothing of what was erased is left in its file.")
	return nil
}
