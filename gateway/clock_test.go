package gateway

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// A store whose clock is another's.
type elsewhen struct {
	backoffice.Store
	ahead time.Duration
}

func (s *elsewhen) Clock(context.Context) (backoffice.Instant, error) {
	return backoffice.InstantOf(time.Now().Add(s.ahead)), nil
}

func embedded(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func TestALeapOfTheDatabasesClockIsToldOnce(t *testing.T) {
	t.Parallel()
	store := embedded(t)
	var said bytes.Buffer
	c := &clock{store: store, log: slog.New(slog.NewTextHandler(&said, nil))}
	tells := func(want bool) {
		t.Helper()
		if _, err := store.UseKeys(t.Context(), backoffice.KeyUser{ID: "server"}, 1000); err != nil {
			t.Fatal(err)
		}
		said.Reset()
		if c.tellLeap(t.Context()); strings.Contains(said.String(), "nothing is deleted for its age") != want {
			t.Errorf("it says %q", said.String())
		}
	}
	tells(false)
	ago := backoffice.InstantOf(time.Now().Add(-9 * 24 * time.Hour))
	if _, err := store.TakeLease(t.Context(), backoffice.Lease{Name: backoffice.LeaseOfClock, Until: ago}, ago, ""); err != nil {
		t.Fatal(err)
	}
	tells(true)
	tells(false)
}

func TestAClockThatIsNotTheDatabasesIsToldOnceUntilItIsRight(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	store := &elsewhen{}
	c := &clock{store: store, log: slog.New(slog.NewTextHandler(&said, nil))}
	for _, step := range []struct {
		ahead time.Duration
		says  string
	}{
		{0, ""},
		{-24 * time.Hour, `ahead=24h0m0s`},
		{-24 * time.Hour, ""},
		{0, "again"},
		{24 * time.Hour, `ahead=-24h0m0s`},
		{time.Second, "again"},
	} {
		said.Reset()
		store.ahead = step.ahead
		c.compare(t.Context())
		if got := said.String(); (got == "") != (step.says == "") || !strings.Contains(got, step.says) {
			t.Errorf("the store is %v ahead: %q, want %q", step.ahead, got, step.says)
		}
	}
}
