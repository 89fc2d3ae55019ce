package backoffice

import "context"

// leaseOfBackup is the lease of whoever has made a backup. It is over as soon as it is taken: only Since is used.
const leaseOfBackup = "backup"

// NoteBackup records that a whole backup was made.
func NoteBackup(ctx context.Context, leases LeaseStore, by string, at Instant) error {
	_, err := leases.TakeLease(ctx, Lease{Name: leaseOfBackup, Holder: by, Since: at, Until: at}, at, "")
	return err
}

// LastBackup returns when the last whole backup was made; zero for none.
func LastBackup(ctx context.Context, leases LeaseStore) (Instant, error) {
	lease, err := leases.Lease(ctx, leaseOfBackup)
	if err != nil || lease == nil {
		return 0, err
	}
	return lease.Since, nil
}
