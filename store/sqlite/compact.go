package sqlite

import (
	"context"
	"fmt"
	"os"

	"example.org/backoffice/store"
)

// CompactMost is the largest database that is compacted while serving: writers wait meanwhile, for about a second.
const CompactMost = 128 << 20

// CompactErased compacts the database if something was erased since it was last compacted, by whatever process. large
// reports that it is over CompactMost, so it was skipped, which Compact does not do.
func (s *Store) CompactErased(ctx context.Context) (done, large bool, err error) {
	if erased, err := erasedOn(ctx, s.engine.Primary()); err != nil || erased == 0 {
		return false, false, err
	}
	info, err := os.Stat(s.engine.path)
	if err != nil || info.Size() > CompactMost {
		return false, err == nil, cause(err)
	}
	_, err = s.Compact(ctx)
	return err == nil, false, err
}

// erasedOn returns how many transactions erased something since the database was last compacted.
func erasedOn(ctx context.Context, reads store.Sender) (erased int64, err error) {
	read := &store.Statement{Text: "SELECT /*backoffice:change_horizon.erasures*/ erased FROM change_horizon",
		Each: func(row *store.Row) error { erased = row.Int(0); return nil }}
	return erased, read.Run(ctx, reads)
}

// Compact rewrites the database. Erased data is overwritten at once, but where SQLite moves entries of an index from
// page to page it leaves copies between them, and the search indexes keep single words as separators. Compact removes
// these. whole reports that it reached the file: while somebody reads the old pages, the new ones are in the log.
func (s *Store) Compact(ctx context.Context) (whole bool, err error) {
	if s.engine.standBy {
		return false, ErrStandBy
	}
	c, err := s.engine.writer.acquire(ctx)
	if err != nil {
		return false, classify(ctx, err)
	}
	defer s.engine.writer.release(c)
	erased, err := erasedOn(ctx, c)
	if err != nil {
		return false, err
	}
	for _, text := range []string{
		"INSERT INTO users_search (users_search) VALUES ('optimize')",
		"INSERT INTO customers_search (customers_search) VALUES ('optimize')",
		"VACUUM",
	} {
		if err := c.exec(ctx, text); err != nil {
			return false, err
		}
	}
	_ = c.exec(ctx, fmt.Sprintf("UPDATE change_horizon SET erased = erased - %d", erased)) // else it is compacted again
	empty := &store.Statement{Text: "PRAGMA wal_checkpoint(TRUNCATE)", Each: func(row *store.Row) error {
		whole = row.Int(0) == 0 // not busy
		return nil
	}}
	err = empty.Run(ctx, c)
	return whole && err == nil, err
}
