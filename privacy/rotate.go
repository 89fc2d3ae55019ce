package privacy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
)

// keysLease prevents two key rotations at once.
const (
	keysLease     = "keys"
	keysLeaseLife = time.Minute
)

// KeyRotator rotates the keys of a keyset that is bound to a store, for the operator's commands.
type KeyRotator struct {
	Keys  *Keyset
	Store backoffice.Store
	Wait  time.Duration              // for other programs, at most
	Tell  func(what string)          // what it waits for
	Done  func(done, of int64)       // the progress of Reseal; may be nil
	after func(step string, n int64) // for tests
}

func (t *KeyRotator) reached(step string, n int64) {
	if t.after != nil {
		t.after(step, n)
	}
}

// alone runs do while no other command rotates keys; do calls renew from time to time to keep the lease.
func (t *KeyRotator) alone(ctx context.Context, do func(renew func() error) error) error {
	holder, began := backoffice.NewID(), backoffice.InstantOf(time.Now())
	renew := func() error {
		now := time.Now()
		lease := backoffice.Lease{
			Name: keysLease, Holder: holder, Since: began, Until: backoffice.InstantOf(now.Add(keysLeaseLife))}
		taken, err := t.Store.TakeLease(ctx, lease, backoffice.InstantOf(now), "")
		if err == nil && !taken {
			err = backoffice.Errorf(backoffice.BadInput,
				"another command is changing the keys; if it was killed, try again in a minute")
		}
		return err
	}
	if err := renew(); err != nil {
		return err
	}
	defer func() { _ = t.Store.EndLease(ctx, keysLease, holder) }()
	return do(renew)
}

// refresh applies the store's current keys to the keyset, and reports that to the store.
func (t *KeyRotator) refresh(ctx context.Context) (*keysInUse, error) {
	err := t.Keys.poll(ctx)
	if err == nil {
		err = t.Keys.writeNote(ctx)
	}
	return t.Keys.use(), err
}

// Rotate adds a key to the keyset file and makes it the sealing key once every program that has the keyset open knows
// it. If some do not within Wait, it returns an error that names them; run it again to continue. It returns the
// identifiers of the new key and of the old one.
func (t *KeyRotator) Rotate(ctx context.Context) (fresh, old string, err error) {
	err = t.alone(ctx, func(renew func() error) error {
		in, err := t.refresh(ctx)
		if err != nil {
			return err
		}
		for _, key := range in.listed {
			if key.State != backoffice.KeyPrimary && key.State != backoffice.KeyNext {
				if turned, err := t.finish(in.primary); turned || err != nil {
					fresh, old = in.primary.id, key.ID
					return err
				}
				return backoffice.Errorf(backoffice.BadInput, "the key %s is left from the last rotation: first run backoffice keys reseal, then backoffice keys retire %s", key.ID, key.ID)
			}
		}
		old = in.primary.id
		next, err := t.next(in)
		if err != nil {
			return err
		}
		fresh = next.id
		t.reached("file", 0)
		if err := t.Store.AddKey(ctx, next.key(backoffice.KeyNext)); err != nil {
			return err
		}
		t.reached("added", 0)
		if _, err = t.refresh(ctx); err != nil {
			return err
		}
		err = t.wait(ctx, renew, "have the new key: copy the keyset file to each of them, and run this again",
			func() ([]backoffice.KeyUser, error) { return t.Store.PromoteKey(ctx, fresh) })
		if err != nil {
			return err
		}
		t.reached("turned", 0)
		if _, err = t.refresh(ctx); err != nil {
			return err
		}
		return t.Keys.rewrite(func(h handles) error { return h.setPrimary(next) })
	})
	return fresh, old, err
}

// finish makes the primary key that of the file, too, and reports whether it was not: a rotation was killed before.
func (t *KeyRotator) finish(primary *generation) (turned bool, err error) {
	h, err := t.Keys.file.read()
	if err != nil || material(h[sealing]).GetPrimaryKeyId() == primary.ids[sealing] {
		return false, err
	}
	return true, t.Keys.rewrite(func(h handles) error { return h.setPrimary(primary) })
}

// next returns the key after the primary in the file: a new one unless an interrupted rotation has left one.
func (t *KeyRotator) next(in *keysInUse) (*generation, error) {
	find := func() (found *generation, err error) {
		all, err := t.Keys.reread()
		at := slices.IndexFunc(all, func(g *generation) bool { return g.id == in.primary.id })
		if at+1 < len(all) {
			found = all[at+1]
		}
		return found, err
	}
	if found, err := find(); found != nil || err != nil {
		return found, err
	}
	if err := t.Keys.rewrite(func(h handles) error { _, err := h.add(); return err }); err != nil {
		return nil, err
	}
	return find()
}

// wait asks until no programs block the rotation.
func (t *KeyRotator) wait(
	ctx context.Context, renew func() error, what string, ask func() ([]backoffice.KeyUser, error)) error {
	told := false
	for until := time.Now().Add(t.Wait); ; {
		users, err := ask()
		if err != nil || len(users) == 0 {
			return err
		}
		names := backoffice.Map(users, func(user backoffice.KeyUser) string { return user.Name })
		sentence := fmt.Sprintf("these do not yet %s: %s", what, strings.Join(names, ", "))
		if time.Now().After(until) {
			return backoffice.Errorf(backoffice.Unavailable, "%s", sentence)
		}
		if !told && t.Tell != nil {
			t.Tell("Waiting for up to " + t.Wait.String() + ": " + sentence)
			told = true
		}
		if err := backoffice.Sleep(ctx, pollPeriod/2); err != nil {
			return err
		}
		if err := renew(); err != nil {
			return err
		}
	}
}

func (k *Keyset) reread() ([]*generation, error) {
	h, err := k.file.read()
	if err != nil {
		return nil, err
	}
	all, _, err := h.generations()
	return all, err
}

// rewrite changes the file atomically and durably.
func (k *Keyset) rewrite(change func(handles) error) error {
	h, err := k.file.read()
	if err != nil {
		return err
	}
	if err := change(h); err != nil {
		return err
	}
	text, err := k.file.encode(h)
	if err != nil {
		return err
	}
	return replaceFile(k.file.Path, text)
}

// Wrap rewrites keyset files in that order, encrypted by a key of a key management service, or in clear when by is nil.
func (t *KeyRotator) Wrap(ctx context.Context, by tink.AEAD, all ...KeysetFile) error {
	return t.alone(ctx, func(func() error) error {
		for _, file := range all {
			if err := file.rewrap(by); err != nil {
				return err
			}
		}
		return nil
	})
}
