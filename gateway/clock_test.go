package gateway

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

// A store whose clock is another's.
type elsewhen struct {
	backoffice.Store
	ahead time.Duration
}

func (s *elsewhen) Clock(context.Context) (backoffice.Instant, error) {
	return backoffice.InstantOf(time.Now().Add(s.ahead)), nil
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
