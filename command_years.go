package main

import (
	"context"
	"fmt"
)

// yearsCommand starts financial years.
type yearsCommand struct {
	Start yearsStartCommand `cmd:"" help:"Archive the current financial year and start the next."`
}

type yearsStartCommand struct {
	Year string `arg:"" name:"yyyy" help:"The year to start, later than the current one."`
}

// Run starts the year.
func (c *yearsStartCommand) Run(ctx context.Context, s *Settings, t terminal) error {
	h, err := s.openExisting(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	year, err := h.office().StartYear(ctx, c.Year)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "The financial year %s is current: %s\n", year.StartDate, year.ID)
	return err
}
