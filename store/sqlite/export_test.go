package sqlite

import (
	"testing"

	"example.org/backoffice/store"
)

// Version is what DataVersion of the store's engine tells.
func (s *Store) Version(t testing.TB) int64 {
	t.Helper()
	version, err := s.engine.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// Keeps reports whether a connection keeps a statement after it ran twice.
func (s *Store) Keeps(t testing.TB, text string) bool {
	t.Helper()
	c, err := s.engine.writer.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.engine.writer.release(c)
	for range 2 {
		if err := c.exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return c.young[text] != nil || c.old[text] != nil
}

// LosePin ends the transaction that keeps the log for a follower.
func (f *Follower) LosePin(t testing.TB) {
	t.Helper()
	if _, err := f.pin.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// Checkpoints is after how many frames a commit of the store writes the log back.
func (f *Follower) Checkpoints(t testing.TB) (frames int64) {
	t.Helper()
	c, err := f.engine.writer.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.engine.writer.release(c)
	read := &store.Statement{Text: "PRAGMA wal_autocheckpoint", Each: func(row *store.Row) error { frames = row.Int(0); return nil }}
	if err := read.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return frames
}
