//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"example.org/backoffice/store/migrations"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

// standing is a stand-by on another machine.
type standing struct {
	*started
	on *shell
}

func standsBy(t *testing.T, s *shell, place string, args ...string) *standing {
	t.Helper()
	other := s.elsewhere(t)
	return &standing{other.startAs(t, exec.Command("env"), append([]string{"stand-by", place}, args...)...), other}
}

// position is the change number that its answers tell.
func (s *standing) position(t *testing.T) int {
	t.Helper()
	answer, err := http.Get("http://" + s.address + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	position, err := strconv.Atoi(answer.Header.Get("Backoffice-Position"))
	if err != nil {
		t.Fatal(err)
	}
	return position
}

// reaches waits until it has a change.
func (s *standing) reaches(t *testing.T, number int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); s.position(t) < number; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is at change %d, not at %d", s.position(t), number)
		}
	}
}

// reachesAll waits until it has all that a server has.
func (s *standing) reachesAll(t *testing.T, server *shell) {
	t.Helper()
	s.reaches(t, last(t, server))
	time.Sleep(1500 * time.Millisecond) // stored files are copied afterwards
}

// exported is the export of a copy of its database, which may be written.
func (s *standing) exported(t *testing.T) string {
	t.Helper()
	store, err := sqlite.Open(t.Context(), "sqlite:"+s.on.path("backoffice.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	copied := s.on.elsewhere(t)
	if err := store.Backup(t.Context(), copied.path("backoffice.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(copied.path("files"), os.DirFS(s.on.path("files"))); err != nil {
		t.Fatal(err)
	}
	return exported(t, copied)
}

func secretOf(t *testing.T, s *shell) (id, secret string) {
	t.Helper()
	id, file := s.credential(t, "settings.write")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return id, strings.TrimSpace(string(text))
}

func TestAStandByAnswersAsTheServerRefusesWritesAndIsPromoted(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	id, secret := secretOf(t, s)
	server := s.ships(t, place)
	standBy := standsBy(t, s, place)
	s.must(t, "years", "start", "2040", "--force") // by another process
	if !server.labelled(id, secret, "first") {
		t.Fatal("the server writes no label")
	}
	standBy.reachesAll(t, s)
	if standBy.exported(t) != exported(t, s) {
		t.Error("the stand-by is not as the server")
	}
	if standBy.labelled(id, secret, "refused") {
		t.Error("the stand-by accepts a write")
	}
	if _, out, _ := standBy.on.run(t, "doctor", "--ship="+place); !strings.Contains(out, "stand-by: at change ") {
		t.Errorf("doctor tells %q", out)
	}
	for _, line := range [][2]string{ // once promoted it would serve
		{"years start 2050 --force", "this is a stand-by"}, {"serve --listen=127.0.0.1:0 --metrics=", "is a stand-by's"},
		{"promote", "the server that ships there still runs"},
	} {
		if code, _, err := standBy.on.run(t, strings.Fields(line[0])...); code == exitDone || !strings.Contains(err, line[1]) {
			t.Errorf("%q ends with %d, %q", line[0], code, err)
		}
	}
	before := history(t, s)
	server.kill()
	began := time.Now()
	if out := standBy.on.must(t, "promote"); !strings.Contains(out, "is promoted, after change ") {
		t.Errorf("promote tells %q", out)
	}
	for !standBy.labelled(id, secret, "second") {
		time.Sleep(5 * time.Millisecond)
	}
	t.Logf("from promote to the first write it took %v", time.Since(began))
	standBy.says(t, "shipped a snapshot")
	if history(t, standBy.on) == before {
		t.Error("the change log goes on as if nothing had been lost")
	}
	if out := standBy.on.must(t, "check"); !strings.HasPrefix(out, "All is whole") || strings.Contains(out, " 0 files") {
		t.Errorf("check tells %q", out)
	}
	if code, _, err := standBy.on.run(t, "promote"); code == exitDone || !strings.Contains(err, "is not a stand-by's") {
		t.Errorf("a second time it ends with %d, %q", code, err)
	}
	// The server before comes back, while the new one runs and when it is stopped for a while: it ships no more.
	back := s.start(t, exec.Command("env"), "--ship="+place)
	back.says(t, "the store is not shipped")
	standBy.stop(t)
	back.says(t, "a stand-by of this store was promoted")
	if !back.labelled(id, secret, "lost") {
		t.Error("what it writes is not acknowledged, as the page says")
	}
	back.stop(t)
	// Its machine starts again, with the same unit.
	again := standBy.on.startAs(t, exec.Command("env"), "stand-by", place)
	again.says(t, "shipped a snapshot")
	if !again.labelled(id, secret, "third") {
		t.Error("it does not write after a start")
	}
	if _, err := os.Stat(standBy.on.path("backoffice.db.promoted")); err == nil {
		t.Error("it has answered a command that nobody runs")
	}
	copied := s.elsewhere(t)
	copied.must(t, "restore", place)
	if code, _, err := copied.run(t, "stand-by", place, "--listen=127.0.0.1:0"); code == exitDone || !strings.Contains(err, "another program holds it") {
		t.Errorf("a copy of it ends with %d, %q", code, err)
	}
	again.stop(t)
	// It starts again, while the place is away.
	folder := strings.TrimPrefix(place, "file:")
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	again = standBy.on.startAs(t, exec.Command("env"), "stand-by", place)
	again.says(t, "the store is not shipped")
	if !again.labelled(id, secret, "fourth") {
		t.Error("it does not write while the place is away")
	}
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	again.says(t, "shipped a snapshot")
	again.stop(t)
	now := exported(t, standBy.on)
	if !strings.Contains(now, `"fourth"`) || !strings.Contains(now, `"third"`) || !strings.Contains(now, `"second"`) || !strings.Contains(now, `"first"`) {
		t.Error("the promoted server lacks a write")
	}
	restored := s.elsewhere(t)
	restored.must(t, "restore", place)
	if exported(t, restored) != now {
		t.Error("the place does not have what the promoted server wrote")
	}
	// A restore to before the promotion may be shipped there again.
	earlier := s.elsewhere(t)
	earlier.must(t, "restore", place, "--before", strconv.Itoa(last(t, s)))
	earlier.ships(t, place).stop(t)
}

func TestAPromotedStandByHasEveryWriteOlderThanTheLagOfAKilledServer(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	id, secret := secretOf(t, s)
	address := freeAddress(t)
	server := s.ships(t, place, "--metrics="+address)
	made := 0
	for kill := range 3 { // each time the stand-by is the next server
		nextAddress := freeAddress(t)
		standBy := standsBy(t, s, place, "--metrics="+nextAddress)
		var mu sync.Mutex
		all := map[string]time.Time{}
		var writers sync.WaitGroup
		for w := range 3 {
			writers.Go(func() {
				for i := 0; ; i++ {
					name := fmt.Sprintf("label %d %d %d", kill, w, i)
					if !server.labelled(id, secret, name) {
						return
					}
					mu.Lock()
					all[name] = time.Now()
					mu.Unlock()
				}
			})
		}
		var until time.Time // the lag is in whole seconds
		older := func() (names []string) {
			mu.Lock()
			defer mu.Unlock()
			for name, at := range all {
				if at.Before(until) {
					names = append(names, name)
				}
			}
			return names
		}
		for len(older()) < 20 {
			time.Sleep(time.Duration(300+400*kill) * time.Millisecond)
			asked := time.Now()
			until = asked.Add(-time.Duration(measured(t, address)["lag_seconds"]+1) * time.Second)
		}
		server.kill()
		writers.Wait()
		standBy.on.must(t, "promote")
		there, lost := exported(t, standBy.on), 0
		for _, name := range older() {
			if made++; !strings.Contains(there, `"`+name+`"`) {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d of %d acknowledged writes are lost", lost, len(older()))
		}
		if out := standBy.on.must(t, "check"); !strings.HasPrefix(out, "All is whole") {
			t.Errorf("check tells %q", out)
		}
		server, address = standBy.started, nextAddress
		server.says(t, "shipped a snapshot")
	}
	if made < 60 {
		t.Errorf("only %d writes were looked for", made)
	}
}

func TestAStandByThatDoesNotRunIsNotPromoted(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	server := s.ships(t, place)
	standBy := standsBy(t, s, place)
	// A request that a killed command has left promotes nobody later.
	standBy.stop(t)
	if err := os.WriteFile(standBy.on.path("backoffice.db.promote"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, err := standBy.on.run(t, "promote"); code == exitDone || !strings.Contains(err, "no stand-by runs") {
		t.Errorf("promote ends with %d, %q", code, err)
	}
	// One that was killed after it had taken a request answers no command.
	taken := make(chan error, 1)
	go func() {
		for asked := false; !asked && t.Context().Err() == nil; time.Sleep(time.Millisecond) {
			_, err := os.Stat(standBy.on.path("backoffice.db.promote"))
			asked = err == nil
		}
		taken <- os.WriteFile(standBy.on.path("backoffice.db.promoting"), nil, 0o600)
	}()
	if code, _, err := standBy.on.run(t, "promote"); code == exitDone || !strings.Contains(err, "the stand-by stopped") || <-taken != nil {
		t.Errorf("promote ends with %d, %q", code, err)
	}
	if err := os.WriteFile(standBy.on.path("backoffice.db.promote"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	server.stop(t)
	again := standBy.on.startAs(t, exec.Command("env"), "stand-by", place)
	if text, err := os.ReadFile(standBy.on.path("backoffice.db.promoted")); err != nil || !strings.Contains(string(text), "it again") {
		t.Errorf("a command that waits hears %q, %v", text, err)
	}
	time.Sleep(time.Second)
	if is, err := sqlite.IsStandBy(t.Context(), standBy.on.path("backoffice.db")); err != nil || !is {
		t.Error("it promoted itself", err)
	}
	again.stop(t)
	if code, _, err := s.run(t, "stand-by", place, "--listen=127.0.0.1:0"); code == exitDone || !strings.Contains(err, "is not a stand-by's") {
		t.Errorf("a stand-by over a server's own database ends with %d, %q", code, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(s.path("backoffice.db")), "backoffice.db.following")); err == nil {
		t.Error("something is left")
	}
}

func TestAStandByLeavesTheDatabaseOfAnEarlierProgramAsItIs(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	s.ships(t, place).stop(t)
	for _, version := range []int64{1, migrations.Version(goose.DialectSQLite3) - 1} {
		other := s.elsewhere(t)
		path := other.path("backoffice.db")
		if err := storetest.AtVersion(t, goose.DialectSQLite3, "sqlite", "file:"+path, version).Close(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if code, _, err := other.run(t, "stand-by", place, "--listen=127.0.0.1:0"); code == exitDone || !strings.Contains(err, "is not a stand-by's") {
			t.Errorf("over schema %d it ends with %d, %q", version, code, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("it writes to a database of schema %d, %v", version, err)
		}
	}
}

func TestAStandByWhosePlaceIsLostIsPromotedAlone(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	id, secret := secretOf(t, s)
	server := s.ships(t, place)
	standBy := standsBy(t, s, place)
	standBy.reachesAll(t, s)
	before, had := history(t, s), exported(t, s)
	server.kill()
	if err := os.RemoveAll(strings.TrimPrefix(place, "file:")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"promote", "promote --place-lost"} { // while it runs
		if code, _, err := standBy.on.run(t, strings.Fields(line)...); code == exitDone || !strings.Contains(err, "nothing was promoted") {
			t.Errorf("%q ends with %d, %q", line, code, err)
		}
	}
	standBy.stop(t)
	if out := standBy.on.must(t, "promote", "--place-lost"); !strings.Contains(out, "is promoted, after change ") {
		t.Errorf("promote tells %q", out)
	}
	if exported(t, standBy.on) != had || history(t, standBy.on) == before {
		t.Error("it is not the office that was lost, with a history of its own")
	}
	elsewhere := "file:" + t.TempDir()
	next := standBy.on.ships(t, elsewhere)
	if !next.labelled(id, secret, "written") {
		t.Error("it accepts no write")
	}
	if code, _, err := standBy.on.run(t, "promote", "--place-lost"); code == exitDone || !strings.Contains(err, "is not a stand-by's") {
		t.Errorf("a second time it ends with %d, %q", code, err)
	}
}

func promotionsAreNoted(t *testing.T, w *witness) {
	w.must(t, "import", "../testdata/office")
	place := "file:" + t.TempDir()
	server := w.ships(t, place)
	w.shell = standsBy(t, w.shell, place).on
	server.stop(t)
	w.acts(t, &w.after)
	w.does(t, "", "promote")
}
