package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// servedAddress is where the tests' program serves, as a process of its own, when it is set; servedSettings is what.
const (
	servedAddress  = "BACKOFFICE_TEST_SERVES"
	servedSettings = "BACKOFFICE_TEST_SETTINGS"
)

// runTests is TestMain of a folder whose tests start their own program as another one: the gateway of startProcess.
// change breaks what that one serves, where a test asks for it.
func runTests(m *testing.M, change ...func(*Backend)) int {
	if address := os.Getenv(servedAddress); address != "" {
		return exit(serveAlone(address, change))
	}
	return m.Run()
}

// exit reports an error, and returns the code with which a process ends.
func exit(err error) int {
	if err != nil {
		slog.Error(err.Error())
		return 1
	}
	return 0
}

func serveAlone(address string, change []func(*Backend)) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var settings Settings
	if err := json.Unmarshal([]byte(os.Getenv(servedSettings)), &settings); err != nil {
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
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	c := quiet(unhurried())
	c.Server.StopTime = time.Second
	return b.Serve(ctx, listener, c, func() {})
}

// process is a gateway that can be killed.
type process struct {
	address  string
	settings Settings
	command  *exec.Cmd
}

// startProcess starts a gateway on a port that is free.
func startProcess(t testing.TB, settings Settings) *process {
	t.Helper()
	p := &process{address: freeAddress(t), settings: settings}
	p.start(t)
	return p
}

func (p *process) start(t testing.TB) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.command = exec.Command(self)
	p.command.Env = append(os.Environ(), servedAddress+"="+p.address, servedSettings+"="+encoded(t, p.settings))
	p.command.Stderr = os.Stderr
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if response, err := http.Get("http://" + p.address + "/readyz"); err == nil {
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

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}
