package cli

import (
	"strings"
	"testing"
)

func TestMigrateMakesAndKeepsAStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for range 2 {
		if out := s.must(t, "migrate"); !strings.Contains(out, "up to date") {
			t.Errorf("it tells %q", out)
		}
	}
	if code, out, said := s.run(t, "migrate", "--keyset", s.path("other.json")); code != exitDone || !strings.Contains(out, "up to date") || !strings.Contains(said, "other.json is not there") {
		t.Errorf("without its keyset: %d %q %q", code, out, said)
	}
}
