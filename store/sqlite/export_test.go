package sqlite

import "testing"

// Version is what DataVersion of the store's engine tells.
func (s *Store) Version(t testing.TB) int64 {
	t.Helper()
	version, err := s.engine.DataVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return version
}

// LosePin ends the transaction that keeps the log for a follower.
func (f *Follower) LosePin(t testing.TB) {
	t.Helper()
	if _, err := f.pin.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}
