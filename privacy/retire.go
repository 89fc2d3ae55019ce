package privacy

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// CursorLife is how long after a key was replaced clients may use cursors and paths that it made.
const CursorLife = 24 * time.Hour

// KeyStatus is a key, and how many values of each kind need it.
type KeyStatus struct {
	backoffice.Key
	InFile bool
	Counts map[backoffice.SealedThing]int64
}

// purposeOf returns the purpose whose key makes a kind of value.
func purposeOf(thing backoffice.SealedThing) string {
	switch thing {
	case backoffice.SealedIdempotency:
		return "contents"
	case backoffice.SealedRegister:
		return "register"
	}
	return sealing
}

// Status returns what needs each key; stray counts values that are sealed by none of them.
func (t *KeyRotator) Status(ctx context.Context) (keys []KeyStatus, stray map[backoffice.SealedThing]int64, err error) {
	in, err := t.refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	file, err := t.Keys.reread()
	if err != nil {
		return nil, nil, err
	}
	counts, err := t.Store.SealedCounts(ctx)
	if err != nil {
		return nil, nil, err
	}
	stray = map[backoffice.SealedThing]int64{}
	for _, count := range counts {
		stray[count.Of] += count.Count
	}
	for _, key := range in.listed {
		status := KeyStatus{Key: key, Counts: map[backoffice.SealedThing]int64{}}
		status.InFile = slices.ContainsFunc(file, func(g *generation) bool { return g.id == key.ID })
		if g := in.generation(key.ID); g != nil {
			for _, count := range counts {
				if count.Prefix == string(g.prefix(purposeOf(count.Of))) {
					status.Counts[count.Of] += count.Count
					stray[count.Of] -= count.Count
				}
			}
		}
		keys = append(keys, status)
	}
	// What is left of retired keys verifies the entries of the register that they have signed.
	delete(stray, backoffice.SealedRegister)
	return keys, stray, nil
}

// Retire removes a key from the store and the keyset file. BadInput, with the reason in a sentence, while anything
// needs it. Entries of the register that it has signed can still be verified: that part of it stays in the file.
// cursors permits clients to lose the cursors that it has made.
func (t *KeyRotator) Retire(ctx context.Context, id string, cursors bool) error {
	return t.alone(ctx, func(func() error) error {
		keys, _, err := t.Status(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(keys, func(key KeyStatus) bool { return key.ID == id })
		if at < 0 {
			return backoffice.Errorf(backoffice.BadInput, "unknown key %s; backoffice keys status lists the keys", id)
		}
		if why := keys[at].needed(keys, cursors); why != "" {
			return backoffice.Errorf(backoffice.BadInput, "the key %s is needed: %s", id, why)
		}
		t.reached("unneeded", 0)
		// The file first: a key in a file alone could be taken for a new one.
		err = t.Keys.rewrite(func(h handles) error {
			in := t.Keys.use()
			key := in.generation(id)
			if key != nil && slices.ContainsFunc(material(h[sealing]).GetKey(), func(k *tinkKey) bool {
				return k.GetKeyId() == key.ids[sealing]
			}) {
				return h.remove(key, in.primary)
			}
			return nil
		})
		if err != nil {
			return err
		}
		t.reached("file", 0)
		return t.Store.RemoveKey(ctx, id)
	})
}

// needed returns why a key is needed; "" when it is not.
func (s *KeyStatus) needed(keys []KeyStatus, cursors bool) string {
	switch s.State {
	case backoffice.KeyPrimary:
		return "it is the primary key; replace it with backoffice keys rotate"
	case backoffice.KeyNext:
		if !s.InFile { // a rotation with another file left it, and it never sealed
			return ""
		}
		return "it is about to become the primary key; continue with backoffice keys rotate"
	case backoffice.KeyOld, backoffice.KeyClosing:
		return "not everything it sealed has been resealed; run backoffice keys reseal"
	}
	var whys []string
	for _, thing := range []struct {
		of   backoffice.SealedThing
		text string
	}{
		{backoffice.SealedNumbers, "it seals registration numbers"},
		{backoffice.SealedTrash, "it seals registration numbers in the trash"},
		{backoffice.SealedWebhooks, "it seals secrets of webhooks"},
		{backoffice.SealedIdempotency, "idempotency keys of the last 24 hours depend on it; wait until they expire"},
	} {
		if s.Counts[thing.of] > 0 {
			whys = append(whys, thing.text)
		}
	}
	if s.Asked {
		whys = append(whys, "searches for numbers use it for a minute yet; wait")
	}
	for _, key := range keys {
		until := key.TurnedAt.Time().Add(CursorLife)
		if key.State == backoffice.KeyPrimary && time.Now().Before(until) && !cursors {
			whys = append(whys, "clients may have cursors and signed paths that depend on it, until "+
				backoffice.InstantOf(until).String()+"; --drop-cursors invalidates these")
		}
	}
	return strings.Join(whys, "; ")
}

// Fits reports, in a sentence for the operator, whether a store's values are sealed by this keyset's keys.
func (k *Keyset) Fits(ctx context.Context, store backoffice.KeyStore) error {
	listed, err := store.Keys(ctx)
	if err != nil {
		return err
	}
	in := k.use()
	other := backoffice.Errorf(backoffice.BadInput, "the keyset is not the one that this database was filled with: pass that one with --keyset; with another, registration numbers cannot be read or found")
	isOurs := func(key backoffice.Key) bool { return in.generation(key.ID) != nil }
	if len(listed) > 0 && !slices.ContainsFunc(listed, isOurs) {
		return other
	}
	for _, key := range listed {
		if key.State != backoffice.KeyNext && key.State != backoffice.KeyClosed && in.generation(key.ID) == nil {
			return lackingKey(key.ID)
		}
	}
	if len(listed) > 0 {
		return nil
	}
	claimed, err := store.ClaimedKeyset(ctx)
	if err == nil && claimed != "" && in.byFingerprint(claimed) == nil {
		return other
	}
	return err
}
