package backoffice

import "context"

// A store notes when some tasks were last done, each in a lease that is over as soon as it is taken.
const (
	DoneBackup     = "backup"      // by whom
	DoneShipVerify = "ship verify" // with the generation of what was shipped that was restored and checked
	DonePromotion  = "promotion"   // with the promotion's name: a stand-by became this store
)

// NoteDone notes that a task was done, and by whom or with what.
func NoteDone(ctx context.Context, leases LeaseStore, task, by string, at Instant) error {
	_, before, err := LastDone(ctx, leases, task)
	if err == nil {
		_, err = leases.TakeLease(ctx, Lease{Name: task, Holder: by, Since: at, Until: at}, at, before)
	}
	return err
}

// LastDone returns when a task was last done, zero for never, and by whom or with what.
func LastDone(ctx context.Context, leases LeaseStore, task string) (at Instant, by string, err error) {
	lease, err := leases.Lease(ctx, task)
	if err != nil || lease == nil {
		return 0, "", err
	}
	return lease.Since, lease.Holder, nil
}
