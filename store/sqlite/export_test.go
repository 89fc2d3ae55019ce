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
