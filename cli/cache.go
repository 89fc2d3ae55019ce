package cli

import (
	"context"
	"fmt"
	"time"

	"example.org/backoffice/backoffice"
)

type cacheCommand struct {
	Drop cacheDropCommand `cmd:"" help:"Have every server forget all that it keeps in memory: after a change by anything else than this program."`
}

type cacheDropCommand struct{}

// Run notes it in the change log, which every server polls before it answers.
func (*cacheDropCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := store.RenewHistory(ctx, "", "cache drop", backoffice.InstantOf(time.Now())); err != nil {
		return err
	}
	return printed(fmt.Fprintln(t.err, "Every server forgets what it keeps in memory before it answers another "+
		"request, and whoever follows the change feed reads everything again."))
}
