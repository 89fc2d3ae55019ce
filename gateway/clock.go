package gateway

import (
	"context"
	"log/slog"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	clockPeriod = time.Minute     // how often the store's clock is asked
	mostSkew    = 2 * time.Second // between it and this machine's
)

// clock compares this machine's clock with the store's. Signatures and expiry use ours, changes the store's: nothing is
// lost while they differ, but an operator has to know.
type clock struct {
	store backoffice.Store
	log   *slog.Logger
	apart bool // the last comparison's result
}

// watch compares immediately, and then periodically.
func (c *clock) watch(ctx context.Context) {
	c.compare(ctx)
	backoffice.Every(ctx, clockPeriod, func() { c.compare(ctx) })
}

// compare logs when the clocks diverge, and when they agree again. A failed comparison is repeated next time.
func (c *clock) compare(ctx context.Context) {
	asked := time.Now()
	at, err := c.store.Clock(ctx)
	if err != nil {
		return
	}
	waited := time.Since(asked)
	ahead := asked.Add(waited / 2).Sub(at.Time())
	switch apart := ahead.Abs() > mostSkew+waited; {
	case apart && !c.apart:
		c.log.WarnContext(ctx, "this machine's clock and the database's are apart: credentials, signed paths and sessions expire by this machine's; synchronize both (NTP)",
			"ahead", ahead.Round(time.Second).String())
		c.apart = true
	case !apart && c.apart:
		c.log.InfoContext(ctx, "this machine's clock agrees with the database's again")
		c.apart = false
	}
}
