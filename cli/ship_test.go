//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// shipping is a shell whose store holds the office of the tests, and a place to ship it to.
func shipping(t *testing.T) (s *shell, place string) {
	t.Helper()
	s = newShell(t)
	s.must(t, "import", "../testdata/office")
	return s, "file:" + t.TempDir()
}

// elsewhere is another machine that has the keysets alone.
func (s *shell) elsewhere(t *testing.T) *shell {
	t.Helper()
	other := newShell(t)
	for _, name := range []string{"keyset.json", "ship-keyset.json"} {
		text, err := os.ReadFile(s.path(name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(other.path(name)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(other.path(name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return other
}

// ships is a server that has shipped a snapshot.
func (s *shell) ships(t *testing.T, place string, flags ...string) *started {
	t.Helper()
	server := s.start(t, exec.Command("env"), append(flags, "--ship="+place)...)
	server.says(t, "shipped a snapshot")
	return server
}

func (s *started) stop(t *testing.T) {
	t.Helper()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range s.lines {
	}
	if err := <-s.ended; err != nil {
		t.Fatal(err)
	}
}

// labelled creates a label by HTTP, and reports whether that was acknowledged.
func (s *started) labelled(id, secret, name string) bool {
	var got struct {
		CreateLabel struct{ Label *struct{ ID string } }
	}
	err := s.asks(id, secret, "mutation($text: String!) { createLabel(input: {name: $text}) { label { id } } }", name, &got)
	return err == nil && got.CreateLabel.Label != nil
}

// asks runs an operation with one variable, and decodes its data.
func (s *started) asks(id, secret, operation, text string, data any) error {
	body, _ := json.Marshal(map[string]any{"query": operation, "variables": map[string]string{"text": text}})
	request, _ := http.NewRequest(http.MethodPost, "http://"+s.address+"/graphql", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("x-client-id", id)
	request.Header.Set("x-client-secret", secret)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(&struct{ Data any }{data})
}

// last is the number of the last entry of the change log.
func last(t *testing.T, s *shell) int {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(s.must(t, "changes", "list", "--format=csv")), "\n")
	number, err := strconv.Atoi(strings.Split(lines[len(lines)-1], ",")[0])
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func TestAServerWithoutATemporaryFolderShipsNoSnapshotsInsteadOfWhatIsWritten(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	id, secret := secretOf(t, s)
	temp := filepath.Join(t.TempDir(), "temp")
	server := s.start(t, exec.Command("env", "TMPDIR="+temp), "--ship="+place)
	server.says(t, "shipped a snapshot")
	if !server.labelled(id, secret, "first") {
		t.Fatal("the server writes no label")
	}
	server.says(t, "what is written cannot be shipped now")
	time.Sleep(3 * time.Second)
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	server.says(t, "the store is shipped again")
	server.stop(t)
	if snapshots, err := filepath.Glob(filepath.Join(strings.TrimPrefix(place, "file:"), "generations", "*")); err != nil || len(snapshots) != 1 {
		t.Errorf("the place has the generations %q, %v", snapshots, err)
	}
}

func TestWhatWasShippedIsRestoredAsItWasBeforeAMistake(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	server := s.ships(t, place)
	s.must(t, "years", "start", "2040", "--force") // by another process
	before, mistake := exported(t, s), last(t, s)+1
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"nonsense","name":"Nonsense"}`+"\n"))
	time.Sleep(10 * time.Millisecond)
	server.stop(t)
	after := exported(t, s)
	other := s.elsewhere(t)
	out := other.must(t, "restore", place, "--before", strconv.Itoa(mistake))
	if !strings.Contains(out, fmt.Sprintf("after change %d of", mistake-1)) {
		t.Errorf("restore tells %q", out)
	}
	if exported(t, other) != before {
		t.Error("what was restored is not the office before the mistake")
	}
	if out := other.must(t, "check"); !strings.HasPrefix(out, "All is whole") || strings.Contains(out, " 0 files") {
		t.Errorf("check tells %q", out)
	}
	if history(t, other) == history(t, s) {
		t.Error("the change log goes on as if nothing had been lost")
	}
	latest := s.elsewhere(t)
	latest.must(t, "restore", place)
	if exported(t, latest) != after {
		t.Error("the latest state is not what the office was at the end")
	}
	// The restored store is shipped on, and has numbers of its own from there.
	restored := other.ships(t, place)
	other.must(t, "years", "start", "2041", "--force")
	if id, secret := secretOf(t, other); !restored.labelled(id, secret, "used") {
		t.Error("the server writes no label")
	}
	restored.stop(t)
	again, now := s.elsewhere(t), exported(t, other)
	again.must(t, "restore", place)
	if exported(t, again) != now {
		t.Error("the latest state is not that of the restored office")
	}
	if uses := other.must(t, "credentials", "list"); again.must(t, "credentials", "list") != uses {
		t.Errorf("what a server notes when it stops is not shipped: %s", uses)
	}
	if out := again.must(t, "ship", "verify", "--ship="+place); !strings.HasPrefix(out, "Restorable to change ") {
		t.Errorf("ship verify tells %q", out)
	}
	if _, out, _ := again.run(t, "doctor", "--ship="+place); !strings.Contains(out, "ok        shipping: restorable to change ") {
		t.Errorf("doctor tells %q", out)
	}
}

// freeAddress is one on which a server can listen.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	return free.Addr().String()
}

// measured is what a server measures of its shipping.
func measured(t *testing.T, address string) map[string]int {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of, is := strings.CutPrefix(name, "backoffice_ship_"); is {
			number, err := strconv.ParseFloat(value, 64) // a large one is 2.5e+06
			if err != nil {
				t.Error(err)
			}
			found[of] = int(number)
		}
	}
	return found
}

func TestWhoErasesLearnsFromWhichDayOnNoCopyIsLeft(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	for keep, says := range map[string]string{
		"30d": "Shipped copies of it are deleted by " + time.Now().UTC().AddDate(0, 0, 34).Format(time.DateOnly),
		"0":   "Shipped copies of it are never deleted",
	} {
		for _, command := range [][]string{{"trash", "empty", "--all"}, {"compact"}} {
			if out := s.must(t, append(command, "--ship="+place, "--ship-keep="+keep)...); !strings.Contains(out, says) {
				t.Errorf("with %s, %q prints %q", keep, command, out)
			}
		}
	}
	if out := s.must(t, "trash", "empty", "--all"); strings.Contains(out, "shipped") {
		t.Errorf("without --ship it prints %q", out)
	}
}

func TestAServerThatShipsMeasuresIt(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	s, place := shipping(t)
	server := s.ships(t, place, "--metrics="+address)
	of := measured(t, address)
	if _, lag := of["lag_seconds"]; !lag || of["unshipped_bytes"] != 0 || of["verified_age_seconds"] != -1 {
		t.Error(of)
	}
	server.stop(t)
}

func TestAKilledServerLosesNoWriteOlderThanTheLag(t *testing.T) {
	t.Parallel()
	t.Run("and none at all if they wait", func(t *testing.T) {
		t.Parallel()
		killShipping(t, "--ship-wait")
	})
	killShipping(t)
}

// killShipping kills servers that ship, with flags, and looks for what they have acknowledged.
func killShipping(t *testing.T, flags ...string) {
	t.Helper()
	s, place := shipping(t)
	id, file := s.credential(t, "settings.write")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimSpace(string(text))
	type write struct {
		name string
		at   time.Time
	}
	var all []write
	for kill := range 3 {
		first, address := len(all), freeAddress(t)
		server := s.start(t, exec.Command("env"), append(flags, "--metrics="+address, "--ship="+place)...)
		var mu sync.Mutex
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for i := 0; ; i++ {
					name := fmt.Sprintf("label %d %d %d", kill, w, i)
					if !server.labelled(id, secret, name) {
						return
					}
					mu.Lock()
					all = append(all, write{name, time.Now()})
					mu.Unlock()
				}
			})
		}
		server.says(t, "shipped a snapshot")
		var until time.Time // the lag is in whole seconds
		older := func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, w := range all[first:] {
				if w.at.Before(until) {
					n++
				}
			}
			return n
		}
		for older() < 20 {
			time.Sleep(time.Second)
			asked := time.Now()
			until = asked.Add(-time.Duration(measured(t, address)["lag_seconds"]+1) * time.Second)
		}
		server.kill()
		writers.Wait()
		if len(flags) > 0 {
			until = time.Now()
		}
		other := s.elsewhere(t)
		other.must(t, "restore", place)
		there, old, lost := exported(t, other), 0, 0
		for _, w := range all {
			if !w.at.Before(until) {
				continue
			}
			old++
			if !strings.Contains(there, `"`+w.name+`"`) {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%d of %d acknowledged writes are lost", lost, old)
		}
	}
}

func TestWhatWasShippedIsNotRestoredWithoutItsKeysetOrWithAWrongTarget(t *testing.T) {
	t.Parallel()
	s, place := shipping(t)
	for says, args := range map[string][]string{
		"the shipping keyset":              {"restore", place},
		"need the URL of what was shipped": {"restore", s.dir, "--before=3"},
		"pass either --before":             {"restore", place, "--before=3", "--at=2026-11-23T10:41Z"},
		"NUMBER, 1 or more":                {"restore", place, "--before=0"},
		"a time with its zone":             {"restore", place, "--at=yesterday"},
		"pass the place with --ship":       {"ship", "verify"},
	} {
		if code, _, err := s.run(t, args...); code == exitDone || !strings.Contains(err, says) {
			t.Errorf("%q ends with %d, %q", args, code, err)
		}
	}
}
