package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
)

// compactCommand writes the embedded store anew, so that nothing of what was erased is left in its file.
type compactCommand struct{}

// Run compacts it. Servers may go on reading; writes wait, and may be refused meanwhile.
func (c *compactCommand) Run(ctx context.Context, s *Settings, t terminal) error {
	if _, embedded := s.embedded(); !embedded {
		return errors.New("only the embedded store is compacted; PostgreSQL does it by itself (VACUUM)")
	}
	opened, err := s.openRecords(ctx)
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

// compact takes away, from time to time, what erased people have left between the pages of an embedded store.
func compact(ctx context.Context, store backoffice.Store, log *slog.Logger) {
	embedded, ok := store.(*sqlite.Store)
	if !ok {
		return
	}
	tick := time.NewTicker(tidyPeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch done, large, err := embedded.CompactErased(ctx); {
		case err != nil && ctx.Err() == nil:
			log.ErrorContext(ctx, "compacting the database", "cause", err)
		case large:
			log.WarnContext(ctx, "people were erased, and the database is too large to be compacted while it serves: run backoffice compact when nobody writes")
		case done:
			log.InfoContext(ctx, "compacted the database after an erasure")
		}
	}
}
