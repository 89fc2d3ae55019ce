package backoffice

import (
	"context"
	"time"
)

// Lease names the holder of a task that only one program may do at a time. It expires, so that a program that died does
// not block the others.
type Lease struct {
	Name   string // of what is done
	Holder string // unique
	Since  Instant
	Until  Instant
}

// Expired reports whether a lease has ended, or begins later than now by more than it lasts: by a clock that was ahead.
func (l *Lease) Expired(now Instant) bool { return l.Until <= now || l.Since-now > l.Until-l.Since }

// LeaseOfClock is no task's: a store notes in it when a program last saw its clock, and since when it is many days
// later than expected. Then it deletes nothing for its age, for the SettlingPeriod.
const (
	LeaseOfClock   = "clock"
	SettlingPeriod = 24 * time.Hour
)

// LeaseStore keeps leases. Those of tasks only avoid duplicate work and never protect data: clocks may differ, and a
// program that was paused may go on alongside the next holder.
type LeaseStore interface {
	// Lease returns a lease, which may have expired; nil when it was never taken or was ended.
	Lease(ctx context.Context, name string) (*Lease, error)
	// TakeLease takes or extends a lease, unless another holder's has not expired at now. It ignores the lease of gone, a
	// holder that is known to be dead ("" for none).
	TakeLease(ctx context.Context, lease Lease, now Instant, gone string) (taken bool, err error)
	// EndLease ends a lease, also after ctx has ended. If the store is busy for seconds, the lease is left to expire.
	EndLease(ctx context.Context, name, holder string) error
}
