package cli

import (
	"context"
	"fmt"
	"time"

	"example.org/backoffice/backoffice"
)

type cacheCommand struct {
	Drop cacheDropCommand `cmd:"" help:"Clear the caches of all servers, after anything but this program changed the database."`
}

type cacheDropCommand struct{}

// Run notes it in the change log, which every server polls before it answers.
func (*cacheDropCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := store.RenewHistory(ctx, "", "cache drop", backoffice.InstantOf(time.Now())); err != nil {
		return err
	}
	return printed(fmt.Fprintln(t.err, "Every server clears its cache before it answers another request. "+
		"Clients that follow the change feed read everything again."))
}
