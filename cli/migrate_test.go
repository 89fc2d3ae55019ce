package cli

import (
	"strings"
	"testing"
)

func TestMigrateMakesAndKeepsAStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, created := range []bool{true, false} {
		if code, out, said := s.run(t, "migrate"); code != exitDone || !strings.Contains(out, "up to date") || strings.Contains(said, "keyset.json was created") != created {
			t.Errorf("it tells %d %q %q", code, out, said)
		}
	}
	if code, out, said := s.run(t, "migrate", "--keyset", s.path("other.json")); code != exitDone || !strings.Contains(out, "up to date") || !strings.Contains(said, "other.json does not exist") {
		t.Errorf("without its keyset: %d %q %q", code, out, said)
	}
}
