package privacy

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAKeyIsRetiredOnlyWhenNothingNeedsIt(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := engine(t)
			g := turnedFrom(t, open, newKeysetFile(t))
			ctx := t.Context()
			if err := g.insert(ctx, "a", numberFor(1)); err != nil {
				t.Fatal(err)
			}
			if err := g.insert(ctx, "b", numberFor(2)); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(g.path)
			cursor := g.keys.SealCursor([]byte("here"))
			vault := NewVault(g.keys, g.store)
			consult(t, vault, 2)
			secret, err := g.keys.SealSecret(backoffice.WebhookSecretName("hook"), []byte("secret"))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.store.CreateWebhook(ctx, &backoffice.Webhook{ID: "hook", URL: "https://example.org/", Secret: secret, CreatedAt: 1}); err != nil {
				t.Fatal(err)
			}
			err = g.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
				tx.KeepDeleted(backoffice.Keeping{At: 1, Period: time.Hour})
				_, err := tx.Customers().Delete(ctx, "b")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			print := g.keys.Fingerprint()
			lookups, err := g.keys.Lookups("retry", []byte("key"))
			if err != nil {
				t.Fatal(err)
			}
			fresh, old, err := g.rotator().Rotate(ctx)
			if err != nil {
				t.Fatal(err)
			}
			refused := func(id, why string) {
				t.Helper()
				err := g.rotator().Retire(ctx, id, false)
				if backoffice.KindOf(err) != backoffice.BadInput || !strings.Contains(err.Error(), why) {
					t.Errorf("retiring %s: %v, want %q", id, err, why)
				}
			}
			refused(old, "keys reseal")
			refused(fresh, "it is the primary key")
			refused("none", "unknown key")
			if done, err := g.rotator().Reseal(ctx); err != nil || done != 1 {
				t.Fatal(done, err)
			}
			refused(old, "cursors")
			refused(old, "wait")
			later := *g.keys.use()
			later.alias = nil // after a minute; a retry may come for a day
			g.keys.current.Store(&later)
			both, err := g.keys.Lookups("retry", []byte("key"))
			if err != nil || len(both) != 2 || !bytes.Equal(both[0], lookups[0]) {
				t.Errorf("%v: %x, and %x before the turn", err, both, lookups)
			}
			keys, stray, err := g.rotator().Status(ctx)
			if err != nil {
				t.Fatal(stray, err)
			}
			for thing, counts := range map[backoffice.SealedThing][2]int64{
				backoffice.SealedNumbers: {0, 1}, backoffice.SealedTrash: {0, 1}, backoffice.SealedWebhooks: {0, 1}, backoffice.SealedRegister: {4, 0}, backoffice.SealedIdempotency: {0, 0},
			} {
				if got := [2]int64{keys[0].Counts[thing], keys[1].Counts[thing]}; got != counts || stray[thing] != 0 {
					t.Errorf("%s: %v by the old and the new key, want %v; %d by none", thing, got, counts, stray[thing])
				}
			}
			// What was a minute ago needs it no more.
			status := keys[0]
			status.Asked = false
			if why := status.needed(keys, true); why != "" {
				t.Error(why)
			}
			err = g.keys.rewrite(func(h handles) error {
				if err := h.setPrimary(g.keys.use().generation(old)); err != nil { // a copy of before the turn
					return err
				}
				return h.remove(g.keys.use().generation(old), g.keys.use().primary)
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.store.RemoveKey(ctx, old); err != nil {
				t.Fatal(err)
			}

			// A server that starts now has the new key alone, and reads all that the register holds.
			after := turnedFrom(t, open, g.path)
			if print2 := after.keys.Fingerprint(); print2 == print || len(after.keys.use().all) != 1 {
				t.Errorf("the keyset is as it was: %d keys", len(after.keys.use().all))
			}
			if found, err := after.search(ctx, numberFor(1), all); err != nil || len(found) != 1 {
				t.Error(found, err)
			}
			consult(t, NewVault(after.keys, after.store), 1)
			if problems, seen := verify(t, after.keys, after.store); len(problems) > 0 || seen.Entries != 3 {
				t.Errorf("the register: %v, %+v", problems, seen)
			}
			if _, err := after.keys.OpenCursor(cursor); backoffice.KindOf(err) != backoffice.BadInput {
				t.Errorf("a cursor of a retired key: %v", err)
			}
			// One with the file of before is refused, and a key that was retired is not taken for a new one.
			stale := filepath.Join(t.TempDir(), "stale.json")
			if err := os.WriteFile(stale, before, 0o600); err != nil {
				t.Fatal(err)
			}
			keysOfThen, err := KeysetFile{Path: stale}.Load()
			if err != nil {
				t.Fatal(err)
			}
			if err := keysOfThen.Bind(ctx, open()); backoffice.KindOf(err) != backoffice.BadInput {
				t.Errorf("the keyset of before the turn: %v", err)
			}
			if err := keysOfThen.Fits(ctx, after.store); backoffice.KindOf(err) != backoffice.BadInput {
				t.Errorf("the keyset of before the turn fits: %v", err)
			}
		})
	}
}

func TestANumberSealedBeforeItsKeyWasClosedIsRefusedAfterIt(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := turnedFrom(t, engine(t), newKeysetFile(t))
			ctx := t.Context()
			if err := g.insert(ctx, "a", numberFor(1)); err != nil {
				t.Fatal(err)
			}
			late, err := g.customer("late", numberFor(2))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := g.rotator().Rotate(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := g.rotator().Reseal(ctx); err != nil {
				t.Fatal(err)
			}
			if err := g.store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error { return tx.Customers().Insert(ctx, late) }); err == nil {
				t.Error("it was written, and no search would have found it")
			}
			if changed, err := g.change(ctx, "a", numberFor(3)); err != nil || !changed {
				t.Errorf("a write by the new key: %t, %v", changed, err)
			}
		})
	}
}

func TestARotationThatWasCutShortIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"file", "added", "turned"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			open := turnEngines["SQLite"](t)
			path := newKeysetFile(t)
			g := turnedFrom(t, open, path)
			cut := g.rotator()
			ctx, kill := context.WithCancel(t.Context())
			cut.after = func(step string, _ int64) {
				if step == at {
					kill()
				}
			}
			if _, _, err := cut.Rotate(ctx); err == nil {
				t.Fatal("it was not cut short")
			}
			again := turnedFrom(t, open, path)
			if fresh, old, err := again.rotator().Rotate(t.Context()); err != nil || fresh != again.keys.use().primary.id || old == fresh {
				t.Fatal(fresh, old, err)
			}
			if in := again.keys.use(); len(in.all) != 2 || in.primary != in.all[1] {
				t.Errorf("%d keys", len(in.all))
			}
			if err := again.insert(t.Context(), "a", numberFor(1)); err != nil {
				t.Error(err)
			}
			if found, err := g.search(t.Context(), numberFor(1), all); err != nil || len(found) != 1 {
				t.Error(found, err)
			}
			if in, err := (KeysetFile{Path: path}).Load(); err != nil || in.use().primary.id != again.keys.use().primary.id {
				t.Errorf("the primary key of the file: %v", err)
			}
		})
	}
}

func TestARotationWaitsForProgramsThatDoNotKnowTheKeyAndNamesThem(t *testing.T) {
	t.Parallel()
	open := turnEngines["SQLite"](t)
	path := newKeysetFile(t)
	content, _ := os.ReadFile(path)
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, content, 0o600); err != nil {
		t.Fatal(err)
	}
	g, lacking := turnedFrom(t, open, path), turnedFrom(t, open, other)
	rotator := g.rotator()
	rotator.Wait = 0
	if _, _, err := rotator.Rotate(t.Context()); backoffice.KindOf(err) != backoffice.Unavailable || !strings.Contains(err.Error(), "process ") {
		t.Errorf("%v", err)
	}
	if err := lacking.insert(t.Context(), "a", numberFor(1)); err != nil {
		t.Error(err)
	}
	lacking.keys.Release() // it has ended
	if _, _, err := rotator.Rotate(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAWriteTransactionSealsAndSearchesWhenTheNoteOfItsKeysHasLapsed(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := turnedFrom(t, engine(t), newKeysetFile(t))
			err := g.store.Write(t.Context(), func(context.Context, backoffice.Tx) error {
				for range 3 {
					g.keys.lapse()
					if _, err := g.keys.Indexes(backoffice.RegistrationNumber, "85073003328"); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("a long write: %v", err)
			}
			if _, err := g.keys.Indexes(backoffice.RegistrationNumber, "85073003328"); err != nil {
				t.Errorf("behind it: %v", err)
			}
		})
	}
}

// lapse ends the note of the keys that this program has.
func (k *Keyset) lapse() {
	k.bound.applying.Lock()
	defer k.bound.applying.Unlock()
	k.bound.noted = time.Time{}
}
