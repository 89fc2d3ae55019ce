package cli

import (
	"os"
	"strings"
	"testing"
)

func TestAVerificationNeedsRoomForTheWholeDatabase(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	s.ships(t, place).stop(t)
	if err := os.Truncate(s.path("backoffice.db"), 8<<40); err != nil { // a hole that takes no room
		t.Fatal(err)
	}
	if code, _, err := s.run(t, "ship", "verify", "--ship="+place); code == exitDone || !strings.Contains(err, "free some space") {
		t.Errorf("it ends with %d, %q", code, err)
	}
}
