package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/auth"
)

// The tests are the program as well, so that it can be started as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_BACKOFFICE_PROGRAM") != "" {
		os.Exit(Main())
	}
	// The race detector lets every process that it watches end a second later. These tests themselves still do.
	if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// started is the program as a process of its own.
type started struct {
	command *exec.Cmd
	address string
	lines   chan string // of its log, after the one with the address
	ended   chan error
}

// start runs serve over a fresh store, through a shell that does something first.
func start(t *testing.T, first string, args ...string) *started {
	t.Helper()
	return newShell(t).start(t, exec.Command("sh", "-c", first+` exec "$0" "$@"`), args...)
}

// start runs serve over the shell's store; before is a command that runs what it is given last.
func (s *shell) start(t testing.TB, before *exec.Cmd, args ...string) *started {
	t.Helper()
	return s.startAs(t, before, append([]string{"serve"}, args...)...)
}

// startAs runs a command that serves.
func (s *shell) startAs(t testing.TB, before *exec.Cmd, args ...string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := before
	command.Args = append(append(command.Args, self), s.settings()...)
	command.Args = append(append(command.Args, args...), "--listen=127.0.0.1:0")
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--metrics=") }) {
		command.Args = append(command.Args, "--metrics=")
	}
	command.Env = append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1")
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &started{command: command, lines: make(chan string, 100_000), ended: make(chan error, 1)}
	t.Cleanup(func() { _ = command.Process.Kill() })
	reader := bufio.NewReader(said)
	found := make(chan string, 1)
	go func() {
		known := false
		for {
			line, err := reader.ReadString('\n')
			if at := regexp.MustCompile(`serves on http://(\S+\d)`).FindStringSubmatch(line); at != nil && !known {
				known = true
				found <- at[1]
			}
			if line != "" {
				p.lines <- line
			}
			if err != nil {
				close(p.lines)
				p.ended <- command.Wait()
				return
			}
		}
	}()
	select {
	case p.address = <-found:
	case err := <-p.ended:
		t.Fatalf("it does not start: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("it does not start")
	}
	return p
}

// kill returns when nothing is left of the process: until then it holds what it has locked.
func (s *started) kill() {
	_ = s.command.Process.Kill()
	<-s.ended
}

// says waits for a line of the log with some texts.
func (s *started) says(t *testing.T, texts ...string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case line, open := <-s.lines:
			if open && !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(line, text) }) {
				return
			}
			if !open {
				t.Fatalf("it ended without saying %q", texts)
			}
		case <-limit:
			t.Fatalf("it does not say %q", texts)
		}
	}
}

func TestASecondSignalEndsTheProgramAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, "", "--stop-delay=10m", "--stop-time=10m")
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.says(t, "stopping")
	select {
	case err := <-s.ended:
		t.Fatalf("the first signal ended it: %v", err)
	default:
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.ended:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 128+int(syscall.SIGTERM) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it goes on")
	}
}

func TestConnectionsThatCannotBeAcceptedAreLogged(t *testing.T) {
	t.Parallel()
	s := start(t, "ulimit -n 60;")
	for range 60 {
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
	}
	s.says(t, "cannot accept connections")
}

func TestAFullDiskIsToldInWordsAndPasses(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		t.Skipf("no disk of its own can be had here: %v %s", err, out)
	}
	s := newShell(t)
	folder, credential := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "pair")
	nothing := s.folder(t, "labels.ndjson", "") // importing it makes the store
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	// A disk that only the program sees, with something on it that can be taken away.
	script := fmt.Sprintf(`mount -t tmpfs -o size=8m tmpfs %[1]s && head -c 5000000 /dev/zero >%[1]s/ballast &&
		"$0" %[2]s import %[4]s >/dev/null && "$0" %[2]s credentials create --name test --scope settings.write --json >%[3]s && exec "$0" "$@"`, folder, strings.Join(s.settings(), " "), credential, nothing)
	p := s.start(t, exec.Command("unshare", "-rm", "sh", "-c", script))
	content, err := os.ReadFile(credential)
	if err != nil {
		t.Fatal(err)
	}
	var issued struct{ ClientID, ClientSecret string }
	if err := json.Unmarshal(content, &issued); err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(auth.ClientIDHeader, issued.ClientID)
		r.Header.Set(auth.ClientSecretHeader, issued.ClientSecret)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(answer)
	}
	write := func(n int) (int, string) {
		return ask(http.MethodPost, "/settings/labels", fmt.Sprintf(`{"name": "label %d", "color": "#112233"}`, n))
	}
	made := 0
	for ; made < 10_000; made++ {
		if status, answer := write(made); status != http.StatusCreated {
			if status != http.StatusServiceUnavailable || !strings.Contains(answer, "the disk of the store is full") {
				t.Fatalf("write %d: %d %s", made, status, answer)
			}
			break
		}
	}
	ready := func() (int, string) { return ask(http.MethodGet, "/readyz", "") }
	for range 2 { // the second asks the disk
		if status, answer := ready(); status != http.StatusServiceUnavailable || !strings.Contains(answer, "full") {
			t.Errorf("readiness: %d %s", status, answer)
		}
		time.Sleep(1_100 * time.Millisecond)
	}
	p.says(t, "SQLite error 13: the disk is full")
	if status, _ := ask(http.MethodGet, "/settings/labels", ""); status != http.StatusOK {
		t.Errorf("reading while the disk is full: %d", status)
	}
	if err := os.Remove(fmt.Sprintf("/proc/%d/root%s/ballast", p.command.Process.Pid, folder)); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		status, answer := ready()
		if status == http.StatusOK {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("readiness: %d %s", status, answer)
		}
	}
	if status, answer := write(made); status != http.StatusCreated {
		t.Errorf("with room again: %d %s", status, answer)
	}
}
