package main

import (
	"context"
	"fmt"
)

// migrateCommand brings a database's schema up to date.
type migrateCommand struct{}

// Run opens the store for writing, which is when an embedded one's schema is brought up to date. PostgreSQL's is brought
// up to date by this command alone, since servers of several versions may work on it.
func (c *migrateCommand) Run(ctx context.Context, s *Settings, t terminal) error {
	if isPostgres(s.Database) {
		if err := s.migratePostgres(ctx); err != nil {
			return err
		}
	}
	if _, missing := s.missing(); missing {
		h, err := s.open(ctx) // with its keys and files
		if err != nil {
			return err
		}
		if err := h.Close(); err != nil {
			return err
		}
	}
	store, err := s.openRecords(ctx)
	if err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, "The database's schema is up to date.")
	return err
}
