//go:build unix

package cli

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPromotionThatFailsAfterThePlaceWasTakenSaysSo(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	server := s.ships(t, place)
	standBy := standsBy(t, s, place)
	server.stop(t)
	standBy.reachesAll(t, s)
	db, err := sql.Open("sqlite", "file:"+standBy.on.path("backoffice.db")+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	locks, err := db.Begin() // nobody else can write to it
	if err != nil {
		t.Fatal(err)
	}
	code, _, says := standBy.on.run(t, "promote")
	if code == exitDone || strings.Contains(says, "nothing") || !strings.Contains(says, "the place is this stand-by's now") {
		t.Errorf("promote ends with %d, %q", code, says)
	}
	if err := locks.Rollback(); err != nil || <-standBy.ended == nil {
		t.Error("the stand-by goes on", err)
	}
	again := standBy.on.startAs(t, exec.Command("env"), "stand-by", place)
	standBy.on.must(t, "promote")
	again.says(t, "shipped a snapshot")
}

func TestAPromotionAndARestoreNameTheFilesThatThePlaceLacks(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	server := s.ships(t, place)
	there, err := filepath.Glob(filepath.Join(strings.TrimPrefix(place, "file:"), "files", "*", "*"))
	if err != nil || len(there) < 3 {
		t.Fatal(err, there)
	}
	damaged, err := os.ReadFile(there[1])
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)-1]++
	if err := errors.Join(os.RemoveAll(there[0]), os.WriteFile(there[1], damaged, 0o600)); err != nil {
		t.Fatal(err)
	}
	standBy := standsBy(t, s, place)
	server.stop(t)
	if code, _, err := s.elsewhere(t).run(t, "restore", place, "--incomplete"); code != exitPartial || strings.Count(err, "is missing\n") != 2 {
		t.Errorf("restore ends with %d, %q", code, err)
	}
	out := standBy.on.must(t, "promote")
	if strings.Count(out, "Not at the place: the file of the ") != 2 {
		t.Errorf("promote tells %q", out)
	}
}
