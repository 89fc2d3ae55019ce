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
}
