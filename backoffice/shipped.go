package backoffice

import "context"

// leaseOfShipping is the lease of whoever has verified what was shipped. Like that of a backup, only Since is used, and
// the holder: the generation that was verified.
const leaseOfShipping = "ship verify"

// NoteShipVerified records that a generation of what was shipped was restored and checked.
func NoteShipVerified(ctx context.Context, leases LeaseStore, generation string, at Instant) error {
	_, before, err := LastShipVerified(ctx, leases)
	if err == nil {
		now := Lease{Name: leaseOfShipping, Holder: generation, Since: at, Until: at}
		_, err = leases.TakeLease(ctx, now, at, before)
	}
	return err
}

// LastShipVerified returns when that was last done, zero for never, and with which generation.
func LastShipVerified(ctx context.Context, leases LeaseStore) (at Instant, generation string, err error) {
	lease, err := leases.Lease(ctx, leaseOfShipping)
	if err != nil || lease == nil {
		return 0, "", err
	}
	return lease.Since, lease.Holder, nil
}

// LeaseOfPromotion is the lease whose holder is the last promotion's name.
const LeaseOfPromotion = "promotion"

// RecordPromotion records that a stand-by became this store, and the promotion's name.
func RecordPromotion(ctx context.Context, leases LeaseStore, name string, at Instant) error {
	before, err := LastPromotion(ctx, leases)
	if err == nil {
		_, err = leases.TakeLease(ctx, Lease{Name: LeaseOfPromotion, Holder: name, Since: at, Until: at}, at, before)
	}
	return err
}

// LastPromotion is the name of the last one, "" for none.
func LastPromotion(ctx context.Context, leases LeaseStore) (name string, err error) {
	lease, err := leases.Lease(ctx, LeaseOfPromotion)
	if err == nil && lease != nil {
		name = lease.Holder
	}
	return name, err
}
