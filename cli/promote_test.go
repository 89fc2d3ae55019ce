//go:build unix

package cli

import (
	"database/sql"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/files/s3test"
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

func TestAPromotionWaitsWhileTheStandByReadsFromItsPlace(t *testing.T) {
	t.Parallel()
	s, _ := shipping(t)
	bucket := s3test.Start(t, "shipped")
	server := s.ships(t, bucket.URL(""))
	standBy := standsBy(t, s, bucket.URL(""))
	server.stop(t)
	release := bucket.Block()
	time.Sleep(2 * time.Second)             // until it reads there
	time.AfterFunc(10*time.Second, release) // a command waits five for one that does not run
	standBy.on.must(t, "promote")
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

func TestAStandByTellsThatItLacksANewKeyUntilItHasTheFile(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	id, secret := secretOf(t, s)
	server := s.ships(t, place)
	standBy := standsBy(t, s, place)
	ready := func() string {
		t.Helper()
		answer, err := http.Get("http://" + standBy.address + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err)
		}
		return string(text)
	}
	if text := ready(); text != "ready\n" {
		t.Errorf("at first it says %q", text)
	}
	s.must(t, "keys", "rotate")
	standBy.says(t, "the stand-by cannot be promoted", "copy the file from where you ran backoffice keys rotate")
	if text := ready(); !strings.Contains(text, "alarm: this stand-by cannot be promoted") {
		t.Errorf("without the key it says %q", text)
	}
	text, err := os.ReadFile(s.path("keyset.json"))
	if err = errors.Join(err, os.WriteFile(standBy.on.path("keyset.json"), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ready() != "ready\n"; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("with the key it says %q", ready())
		}
	}
	var page struct {
		Labels *struct{ PageInfo struct{ EndCursor string } }
	}
	if err := server.asks(id, secret, "{ labels(first: 1) { pageInfo { endCursor } } }", "", &page); err != nil || page.Labels == nil {
		t.Fatal(err, page)
	}
	cursor := page.Labels.PageInfo.EndCursor
	page.Labels = nil
	if err := standBy.asks(id, secret, "query($text: String) { labels(first: 1, after: $text) { pageInfo { hasNextPage } } }", cursor, &page); err != nil || cursor == "" || page.Labels == nil {
		t.Errorf("it takes no cursor %q of the server, %v", cursor, err)
	}
	server.stop(t)
	standBy.on.must(t, "promote")
}
