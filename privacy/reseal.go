package privacy

import (
	"bytes"
	"context"
	"time"

	"example.org/backoffice/backoffice"
)

// resealBatch is how many customers one transaction seals anew: few enough that others hardly wait for it.
const resealBatch = 500

// Reseal seals by the primary key everything that older ones have sealed, while servers run. It can be interrupted and
// run again. At the end it closes the older key: searches no longer use it. done counts customers.
func (t *KeyRotator) Reseal(ctx context.Context) (done int64, err error) {
	err = t.alone(ctx, func(renew func() error) error {
		in, err := t.refresh(ctx)
		if err != nil {
			return err
		}
		var old *backoffice.Key
		for i, key := range in.listed {
			switch key.State {
			case backoffice.KeyOld, backoffice.KeyClosing, backoffice.KeyClosed:
				old = &in.listed[i]
			}
		}
		if old == nil {
			return nil
		}
		prefix := in.primary.prefix(sealing)
		if done, err = t.resealNumbers(ctx, prefix, renew); err != nil {
			return err
		}
		if err := t.resealRest(ctx, in); err != nil {
			return err
		}
		err = t.wait(ctx, renew, "seal with the new key",
			func() ([]backoffice.KeyUser, error) { return t.Store.CloseKey(ctx, old.ID) })
		if err != nil {
			return err
		}
		t.reached("closing", 0)
		// Whatever the old key has sealed while it was being closed.
		for {
			more, err := t.resealNumbers(ctx, prefix, renew)
			if err != nil {
				return err
			}
			done += more
			left, err := t.Store.CountNumbersNotBy(ctx, prefix)
			if err != nil {
				return err
			}
			if left == 0 {
				break
			}
		}
		if err := t.resealRest(ctx, in); err != nil {
			return err
		}
		// Servers keep sealed values in memory, which only the old key opens.
		if err := backoffice.ForgetWhatWasRead(ctx, t.Store, backoffice.InstantOf(time.Now())); err != nil {
			return err
		}
		err = t.Store.ClosedKey(ctx, old.ID)
		t.reached("closed", 0)
		return err
	})
	return done, err
}

// resealNumbers goes once through all customers with a number that another key has sealed.
func (t *KeyRotator) resealNumbers(ctx context.Context, prefix []byte, renew func() error) (done int64, err error) {
	all, err := t.Store.CountNumbersNotBy(ctx, prefix)
	if err != nil || all == 0 {
		return 0, err
	}
	renewed := time.Now()
	for after := ""; ; {
		if t.Done != nil {
			t.Done(done, all)
		}
		rows, err := t.Store.NumbersNotBy(ctx, prefix, after, resealBatch)
		if err != nil || len(rows) == 0 {
			return done, err
		}
		for i := range rows {
			for n, field := range backoffice.AllPrivacyFields {
				if rows[i].After[n], err = t.resealed(rows[i].ID, field, rows[i].Before[n]); err != nil {
					return done, err
				}
			}
		}
		if err := t.Store.Reseal(ctx, rows); err != nil {
			return done, err
		}
		after = rows[len(rows)-1].ID
		done += int64(len(rows))
		t.reached("batch", done)
		if time.Since(renewed) > keysLeaseLife/4 {
			if err := renew(); err != nil {
				return done, err
			}
			renewed = time.Now()
		}
	}
}

// resealed returns the same number sealed by the primary key; one that it has sealed already is unchanged.
func (t *KeyRotator) resealed(
	customerID string, field backoffice.PrivacyField, before backoffice.Sealed) (backoffice.Sealed, error) {
	if before.IsZero() || before.Prefix() == string(t.Keys.use().primary.prefix(sealing)) {
		return before, nil
	}
	number, err := t.Keys.open(customerID, field, before)
	if err != nil {
		return before, backoffice.Fault(err, "resealing registration numbers")
	}
	return t.Keys.Seal(customerID, field, number)
}

// resealRest seals anew what belongs to no customer: the trash and the secrets of webhooks.
func (t *KeyRotator) resealRest(ctx context.Context, in *keysInUse) error {
	err := t.Store.ResealTrash(ctx, func(c *backoffice.Customer) (changed bool, err error) {
		for _, field := range backoffice.AllPrivacyFields {
			place := c.SealedNumber(field)
			after, err := t.resealed(c.ID, field, *place)
			if err != nil {
				return changed, err
			}
			changed = changed || after.Prefix() != place.Prefix()
			*place = after
		}
		return changed, nil
	})
	if err != nil {
		return err
	}
	return t.Store.ResealWebhooks(ctx, func(id string, sealed []byte) ([]byte, error) {
		if bytes.HasPrefix(sealed, in.primary.prefix(sealing)) {
			return sealed, nil
		}
		name := backoffice.WebhookSecretName(id)
		secret, err := t.Keys.OpenSecret(name, sealed)
		if err != nil {
			return nil, err
		}
		return t.Keys.SealSecret(name, secret)
	})
}
