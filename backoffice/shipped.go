package backoffice

import "context"

// leaseOfShipping is the lease of whoever has verified what was shipped. Like that of a backup, only Since is used.
const leaseOfShipping = "ship verify"

// NoteShipVerified records that what was shipped was restored and checked.
func NoteShipVerified(ctx context.Context, leases LeaseStore, at Instant) error {
	_, err := leases.TakeLease(ctx, Lease{Name: leaseOfShipping, Holder: "ship", Since: at, Until: at}, at, "")
	return err
}

// LastShipVerified returns when that was last done; zero for never.
func LastShipVerified(ctx context.Context, leases LeaseStore) (Instant, error) {
	lease, err := leases.Lease(ctx, leaseOfShipping)
	if err != nil || lease == nil {
		return 0, err
	}
	return lease.Since, nil
}
