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
	leapt backoffice.Instant
}

// watch compares immediately, and then periodically.
func (c *clock) watch(ctx context.Context) {
	check := func() {
		c.compare(ctx)
		c.tellLeap(ctx)
	}
	check()
	backoffice.Every(ctx, clockPeriod, check)
}

// tellLeap logs that the store does not delete what is old, for a day.
func (c *clock) tellLeap(ctx context.Context) {
	lease, err := c.store.Lease(ctx, backoffice.LeaseOfClock)
	if err != nil || lease == nil || lease.Since == c.leapt {
		return
	}
	if c.leapt = lease.Since; lease.Until.Time().Sub(c.leapt.Time()) < backoffice.SettlingPeriod {
		c.log.WarnContext(ctx, "the database's clock is more than a week later than when a program last saw it: "+
			"for a day nothing is deleted for its age; if the clock is wrong, set it")
	}
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
