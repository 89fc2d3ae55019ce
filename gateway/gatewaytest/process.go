package gatewaytest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/cli"
	"example.org/backoffice/gateway"
)

// servedSettings are those with which the tests' program serves, if they are set, on the listener that it inherits.
const servedSettings = "TEST_BACKOFFICE_SETTINGS"

// inherited is the first of ExtraFiles.
const inherited = 3

// asCommand makes the tests' program the command line.
const asCommand = "TEST_BACKOFFICE_COMMAND"

// Main is TestMain of a folder whose tests start their own program as another one: a gateway (StartProcess) or the
// command line (Command). change breaks the backend of such a gateway.
func Main(m *testing.M, change ...func(*gateway.Backend)) int {
	if os.Getenv(asCommand) != "" {
		return cli.Main()
	}
	if settings := os.Getenv(servedSettings); settings != "" {
		return Exit(serveAlone(settings, change))
	}
	return m.Run()
}

// Exit logs an error and returns the exit code.
func Exit(err error) int {
	if err != nil {
		slog.Error(err.Error())
		return 1
	}
	return 0
}

func serveAlone(encoded string, change []func(*gateway.Backend)) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var settings gateway.Settings
	if err := json.Unmarshal([]byte(encoded), &settings); err != nil {
		return err
	}
	b, err := settings.Open(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, f := range change {
		f(b)
	}
	listener, err := net.FileListener(os.NewFile(inherited, "listener"))
	if err != nil {
		return err
	}
	c := Config(Limits())
	c.Server.StopTime = time.Second
	return b.Serve(ctx, listener, c, func() {})
}

// Process is a gateway in a process of its own. Its port is held until the test ends: of one that is free for a moment,
// another test may become the owner, or a client that dials it.
type Process struct {
	Address  string
	settings gateway.Settings
	listener *os.File
	command  *exec.Cmd
}

// StartProcess starts a gateway on a free port.
func StartProcess(t testing.TB, settings gateway.Settings) *Process {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	p := &Process{Address: listener.Addr().String(), settings: settings, listener: file}
	p.Start(t)
	return p
}

// Start starts it, or starts it again after Kill, and waits until it is ready.
func (p *Process) Start(t testing.TB) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.command = exec.Command(self)
	p.command.Env = append(os.Environ(), servedSettings+"="+JSON(t, p.settings))
	p.command.ExtraFiles = []*os.File{p.listener}
	p.command.Stderr = os.Stderr
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	patient := http.Client{Timeout: time.Minute} // the port takes connections before the gateway does
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if response, err := patient.Get("http://" + p.Address + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(until) {
			t.Fatal("the gateway does not start")
		}
	}
}

// Kill is kill -9.
func (p *Process) Kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// FlagLine matches the name of a flag in Help.
var FlagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)

// Command is the command line, for folders whose TestMain is Main.
func Command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, self, args...)
	command.Env = append(os.Environ(), asCommand+"=1")
	return command, nil
}

// Help is what --help prints about a command.
func Help(t *testing.T, words ...string) string {
	t.Helper()
	command, err := Command(t.Context(), append(words, "--help")...)
	if err != nil {
		t.Fatal(err)
	}
	said, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// WordsIn returns the first group of each match.
func WordsIn(expression *regexp.Regexp, text string) (names []string) {
	for _, found := range expression.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}
