package main

import (
	"context"
	"fmt"
)

// migrateCommand brings a database's schema up to date.
type migrateCommand struct{}

// Run opens the store for writing, which is when a schema is brought up to date.
func (c *migrateCommand) Run(ctx context.Context, s *Settings, t terminal) error {
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
