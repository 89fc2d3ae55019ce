package privacy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tink-crypto/tink-go/v2/tink"

	"example.org/backoffice/backoffice"
)

// countedKEK counts what a key management service is asked to unwrap.
type countedKEK struct {
	tink.AEAD
	unwraps atomic.Int64
}

func (c *countedKEK) Decrypt(text, context []byte) ([]byte, error) {
	c.unwraps.Add(1)
	return c.AEAD.Decrypt(text, context)
}

// copied is a copy of a file in a folder of its own.
func copied(t testing.TB, path, to string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if to == "" {
		to = filepath.Join(t.TempDir(), "keyset.json")
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestAKeysetFileThatLacksAKeyIsUnwrappedAgainOnlyWhenItChanges(t *testing.T) {
	t.Parallel()
	open := turnEngines["SQLite"](t)
	kek := &countedKEK{AEAD: newKEK(t)}
	path := filepath.Join(t.TempDir(), "keyset.json")
	if _, err := (KeysetFile{Path: path, KEK: kek}).Create(); err != nil {
		t.Fatal(err)
	}
	lacking := turnedBy(t, open, KeysetFile{Path: copied(t, path, ""), KEK: kek})
	rotator := turnedBy(t, open, KeysetFile{Path: path, KEK: kek}).rotator()
	rotator.Wait = 0
	if _, _, err := rotator.Rotate(t.Context()); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatal(err)
	}
	poll := func() {
		t.Helper()
		for range 5 {
			if err := lacking.keys.poll(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	poll()
	before := kek.unwraps.Load()
	poll()
	if n := kek.unwraps.Load() - before; n != 0 {
		t.Errorf("%d requests to unwrap a file that is as it was", n)
	}
	copied(t, path, lacking.path)
	poll()
	if n := kek.unwraps.Load() - before; n != 1 || len(lacking.keys.use().all) != 2 {
		t.Errorf("%d requests to unwrap a new file, %d keys", n, len(lacking.keys.use().all))
	}
}

// heldKEK is a key management service that does not answer from some moment on.
type heldKEK struct {
	tink.AEAD
	held, asked, let chan struct{}
}

func (h *heldKEK) Decrypt(text, context []byte) ([]byte, error) {
	select {
	case <-h.held:
		select {
		case h.asked <- struct{}{}:
		default:
		}
		<-h.let
		return nil, errors.New("the service does not answer")
	default:
		return h.AEAD.Decrypt(text, context)
	}
}

func TestNumbersAreSealedWhileTheKeyManagementServiceDoesNotAnswer(t *testing.T) {
	t.Parallel()
	open := turnEngines["SQLite"](t)
	kek := &heldKEK{newKEK(t), make(chan struct{}), make(chan struct{}, 1), make(chan struct{})}
	path := filepath.Join(t.TempDir(), "keyset.json")
	if _, err := (KeysetFile{Path: path, KEK: kek.AEAD}).Create(); err != nil {
		t.Fatal(err)
	}
	lacking := turnedBy(t, open, KeysetFile{Path: copied(t, path, ""), KEK: kek})
	rotator := turnedBy(t, open, KeysetFile{Path: path, KEK: kek.AEAD}).rotator()
	rotator.Wait = 0
	close(kek.held)
	release := sync.OnceFunc(func() { close(kek.let) })
	t.Cleanup(release)
	if _, _, err := rotator.Rotate(t.Context()); backoffice.KindOf(err) != backoffice.Unavailable {
		t.Fatal(err)
	}
	<-kek.asked
	time.Sleep(staleAfter + pollPeriod) // only what is read from now on is recent enough
	sealed := make(chan error, 1)
	go func() { _, err := lacking.customer("c1", numberFor(1)); sealed <- err }()
	select {
	case err := <-sealed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(staleAfter + 2*pollTimeout):
		t.Error("a number waits for the service")
	}
	release()
	select {
	case <-kek.asked:
		t.Error("the service is asked again at once")
	case <-time.After(3 * pollPeriod):
	}
}

func TestAKeyThatARotationWithAnotherFileLeftIsRetired(t *testing.T) {
	t.Parallel()
	for name, engine := range turnEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open, ctx := engine(t), t.Context()
			one := turnedFrom(t, open, newKeysetFile(t))
			two := turnedFrom(t, open, copied(t, one.path, ""))
			hasty := one.rotator()
			hasty.Wait = 0
			left, _, err := hasty.Rotate(ctx)
			if backoffice.KindOf(err) != backoffice.Unavailable {
				t.Fatal(left, err)
			}
			if err := hasty.Retire(ctx, left, true); err == nil || !strings.Contains(err.Error(), "continue with") {
				t.Errorf("where it is in the file: %v", err)
			}
			one.keys.Release()
			fresh, _, err := two.rotator().Rotate(ctx)
			if err != nil || fresh == left {
				t.Fatal(fresh, err)
			}
			if err := two.rotator().Retire(ctx, left, false); err != nil {
				t.Error(err)
			}
			keys, _, err := two.rotator().Status(ctx)
			if err != nil || len(keys) != 2 || two.keys.use().primary.id != fresh {
				t.Errorf("%d keys, %v", len(keys), err)
			}
			for _, key := range keys {
				if key.ID == left {
					t.Errorf("%s is still %s", left, key.State)
				}
			}
		})
	}
}
