package sqlite_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/sqlite/sqlitetest"
)

// unread is an engine whose change log can't be read for a while.
type unread struct {
	store.Engine
	fails *atomic.Bool
}

func (u unread) DataVersion(ctx context.Context) (int64, error) {
	return u.Engine.(store.Versioned).DataVersion(ctx)
}

func (u unread) Primary() store.Sender { return unreadSender{u.Engine.Primary(), u.fails} }

type unreadSender struct {
	store.Sender
	fails *atomic.Bool
}

func (u unreadSender) Send(ctx context.Context, statements ...*store.Statement) {
	if u.fails.Load() {
		statements[0].Err = errors.New("the disk does not answer")
		return
	}
	u.Sender.Send(ctx, statements...)
}

// hearing counts the entries that polls find.
type hearing struct{ from, found int64 }

func (h *hearing) BeginPoll() (from int64, behind *store.Statement, heard func(context.Context, []*backoffice.Change, error)) {
	return h.from, nil, func(_ context.Context, entries []*backoffice.Change, err error) {
		if err == nil {
			h.found = int64(len(entries))
		}
	}
}

func TestAPollThatCouldNotReadTheLogIsDoneAgainThoughNobodyHasCommittedSince(t *testing.T) {
	t.Parallel()
	below, err := sqlite.Open(t.Context(), sqlitetest.URL(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var fails atomic.Bool
	s := below.Through(func(e store.Engine) store.Engine { return unread{e, &fails} })
	t.Cleanup(func() { _ = s.Close() })
	h := &hearing{from: 1}
	defer s.Listen(h)()
	if err := s.Poll(t.Context()); err != nil || h.found != 0 {
		t.Fatalf("a first poll finds %d entries (%v)", h.found, err)
	}
	err = below.Write(t.Context(), func(ctx context.Context, tx backoffice.Tx) error {
		return tx.Labels().Insert(ctx, &backoffice.Label{ID: "label-1", Name: "x"})
	})
	if err != nil {
		t.Fatal(err)
	}
	fails.Store(true)
	if err := s.Poll(t.Context()); err == nil {
		t.Error("a poll of a log that can't be read succeeds")
	}
	fails.Store(false)
	if err := s.Poll(t.Context()); err != nil || h.found != 1 {
		t.Errorf("the next poll finds %d entries (%v), want 1", h.found, err)
	}
}
