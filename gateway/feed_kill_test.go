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
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// servedAddress is where the tests' program serves, as a process of its own, when it is set; servedSettings is what.
const (
	servedAddress  = "BACKOFFICE_TEST_SERVES"
	servedSettings = "BACKOFFICE_TEST_SETTINGS"
)

// The tests are a gateway and its readers as well, as processes of their own.
func TestMain(m *testing.M) {
	for variable, do := range map[string]func(string) error{servedAddress: serveAlone, readsFrom: readStreams} {
		if setting := os.Getenv(variable); setting != "" {
			if err := do(setting); err != nil {
				slog.Error(err.Error())
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	remove, err := trustReceivers()
	if err != nil {
		panic(err)
	}
	code := m.Run()
	remove()
	os.Exit(code)
}

func serveAlone(address string) error {
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
	enterLate(b)
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
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{address: free.Addr().String(), settings: settings}
	free.Close()
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

func TestReadersAreToldEverythingThoughTheGatewayIsKilled(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			settings := officeSettings(t, database(t))
			b, err := settings.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			issued, secret, err := auth.Issue(t.Context(), b.Store, "killed", backoffice.AllScopes, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			p := startProcess(t, settings)
			defer func() { p.kill() }()
			f := follower{address: "http://" + p.address, pair: [2]string{issued.ID, secret}}
			err = followAll(t, f, f.beginning(t), time.Minute, func() (acknowledged []string) {
				var all sync.WaitGroup
				var mu sync.Mutex
				ctx, stop := context.WithCancel(t.Context())
				for range 4 {
					all.Go(func() {
						for ctx.Err() == nil {
							if id := f.makeLabel(ctx); id != "" {
								mu.Lock()
								acknowledged = append(acknowledged, id)
								mu.Unlock()
							}
						}
					})
				}
				for range 3 {
					time.Sleep(500 * time.Millisecond)
					p.kill()
					p.start(t)
				}
				time.Sleep(300 * time.Millisecond)
				stop()
				all.Wait()
				if len(acknowledged) < 20 {
					t.Errorf("only %d writes were acknowledged", len(acknowledged))
				}
				return acknowledged
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// makeLabel returns the identifier of a label, "" when it was not acknowledged.
func (f follower) makeLabel(ctx context.Context) string {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.address+"/settings/labels", strings.NewReader(`{"name": "label `+backoffice.NewID()+`", "color": "#112233"}`))
	if err != nil {
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, f.pair[0])
	r.Header.Set(auth.ClientSecretHeader, f.pair[1])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return ""
	}
	defer response.Body.Close()
	var made struct {
		ID string `json:"_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusCreated {
		return ""
	}
	return made.ID
}
