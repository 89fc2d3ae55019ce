package main

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/auth"
)

// The tests are the program as well, so that it can be started as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("BACKOFFICE_TEST_PROGRAM") != "" {
		main()
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

// start runs serve over a fresh store, through a shell that sets something first.
func start(t *testing.T, first string, args ...string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := append([]string{"-c", first + ` exec "$0" "$@"`, self}, newShell(t).settings()...)
	command := exec.Command("sh", append(append(line, "serve", "--listen=127.0.0.1:0", "--metrics="), args...)...)
	command.Env = append(os.Environ(), "BACKOFFICE_TEST_PROGRAM=1")
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := &started{command: command, lines: make(chan string, 1_000), ended: make(chan error, 1)}
	t.Cleanup(func() { _ = command.Process.Kill() })
	reader := bufio.NewReader(said)
	found := make(chan string, 1)
	go func() {
		known := false
		for {
			line, err := reader.ReadString('\n')
			if at := regexp.MustCompile(`http://(\S+)`).FindStringSubmatch(line); at != nil && !known {
				known = true
				found <- at[1]
			}
			if line != "" {
				s.lines <- line
			}
			if err != nil {
				close(s.lines)
				s.ended <- command.Wait()
				return
			}
		}
	}()
	select {
	case s.address = <-found:
	case err := <-s.ended:
		t.Fatalf("it does not start: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("it does not start")
	}
	return s
}

// says waits for a line of the log with a text.
func (s *started) says(t *testing.T, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case line, open := <-s.lines:
			if strings.Contains(line, text) {
				return
			}
			if !open {
				t.Fatalf("it ended without saying %q", text)
			}
		case <-limit:
			t.Fatalf("it does not say %q", text)
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
	s.says(t, "connections cannot be accepted")
}

func TestAPreflightIsNoFailedSignIn(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ask := func(method, path string, header http.Header) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, nil)
		r.Header = header
		w := httptest.NewRecorder()
		o.handler.ServeHTTP(w, r)
		return w
	}
	for _, path := range []string{"/graphql", "/customers"} {
		for range 20 {
			preflight := http.Header{"Origin": {"https://elsewhere.example"}, "Access-Control-Request-Method": {"POST"}}
			if w := ask(http.MethodOptions, path, preflight); w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Fatalf("%s: %d %v", path, w.Code, w.Header())
			}
		}
	}
	if w := ask(http.MethodGet, "/customers", http.Header{auth.ClientIDHeader: {"nobody"}}); w.Code != http.StatusUnauthorized {
		t.Errorf("the first failed sign-in: %d", w.Code)
	}
}

func TestTheSchemaIsTakenForNothingElse(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := httptest.NewRecorder()
		o.handler.ServeHTTP(w, httptest.NewRequest(method, "/schema.graphqls", nil))
		if w.Code != http.StatusOK || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", method, w.Code, w.Header())
		}
	}
}
