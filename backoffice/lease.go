package backoffice

import "context"

// Lease says who does what only one may do at a time. It ends by itself, so that one who has died keeps nobody out.
type Lease struct {
	Name   string // of what is done
	Holder string // unique
	Since  Instant
	Until  Instant
}

// LeaseStore keeps leases. They are a matter of order among those who ask for them, and never what keeps data sound:
// clocks may differ, and one who was away for long may go on beside another.
type LeaseStore interface {
	// Lease returns who has a lease, nil when nobody has had it or it was ended. Its time may be over.
	Lease(ctx context.Context, name string) (*Lease, error)
	// TakeLease gives a lease to its holder, or more time, unless another's holds at this moment. The other is passed
	// over when it is the one that is known to be gone ("" for none).
	TakeLease(ctx context.Context, lease Lease, now Instant, gone string) (taken bool, err error)
	EndLease(ctx context.Context, name, holder string) error
}
