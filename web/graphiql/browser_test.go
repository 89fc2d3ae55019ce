package graphiql_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/web/graphiql"
	"example.org/backoffice/web/static/webtest"
)

// TestThePageInABrowser builds the program, fills a store with its demo data, serves it, and lets Debian's Chromium
// use the page: the sentences are in page/test/*.test.mjs. make deps installs what it needs; without
// that it is skipped, but in CI (CI=true) it fails.
func TestThePageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	node, chromium := webtest.Tool(t, "node"), webtest.Tool(t, "chromium-headless-shell")
	webtest.Tool(t, "page/node_modules/.bin/playwright-core") // all of the page's packages are there, or none

	lookAtAll(t, "../..")
	p := buildProgram(t)
	every := []string{"privacy.read", "customers.write", "pti.write", "minfin.read", "settings.write", "users.write"}
	tests := func(t *testing.T, env []string, files ...string) {
		t.Helper()
		webtest.Run(t, "page", append(env, "CHROMIUM="+chromium), node,
			append([]string{"--test", "--test-reporter=spec", "--test-concurrency=1"}, files...)...)
	}

	t.Run("with credentials", func(t *testing.T) {
		t.Parallel()
		p.fill(t)
		full := p.credential(t, "Every scope", every...)
		limited := p.credential(t, "Without privacy.read", every[1:]...)
		restricted := p.pairWith(t, "One user's customers", "--only-responsible", "user-01")
		p.start(t, "serve")
		realOffice := p.beside(t)
		realOffice.command(t, "import", "../../testdata/office")
		realOffice.command(t, "years", "start", "2027")
		owner := realOffice.credential(t, "Every scope", every...)
		realOffice.start(t, "serve")
		tests(t, []string{
			"GRAPHIQL_TEST_URL=http://" + p.address,
			"GRAPHIQL_TEST_ID=" + full.ClientID, "GRAPHIQL_TEST_SECRET=" + full.ClientSecret,
			"GRAPHIQL_TEST_LIMITED_ID=" + limited.ClientID, "GRAPHIQL_TEST_LIMITED_SECRET=" + limited.ClientSecret,
			"GRAPHIQL_TEST_RESTRICTED_ID=" + restricted.ClientID, "GRAPHIQL_TEST_RESTRICTED_SECRET=" + restricted.ClientSecret,
			"GRAPHIQL_TEST_REAL_URL=http://" + realOffice.address,
			"GRAPHIQL_TEST_REAL_ID=" + owner.ClientID, "GRAPHIQL_TEST_REAL_SECRET=" + owner.ClientSecret,
		}, "test/analysts.test.mjs", "test/office.test.mjs", "test/export.test.mjs", "test/saved.test.mjs", "test/page.test.mjs")
	})
	t.Run("with people", func(t *testing.T) {
		t.Parallel()
		office := p.beside(t)
		office.command(t, "import", "../../testdata/office")
		full := office.credential(t, "Every scope", every...)
		provider := peopletest.NewProvider(t, "http://"+office.address+graphiql.SignedIn)
		office.env = append(office.env, "BACKOFFICE_OIDC_ISSUER="+provider.URL, "BACKOFFICE_OIDC_AUDIENCE="+peopletest.Client, "BACKOFFICE_OIDC_CLIENT="+peopletest.Client,
			"BACKOFFICE_OIDC_SCOPE=openid profile offline_access",
			"BACKOFFICE_OIDC_MAP="+peopletest.Map(t, `{"rules": [{"claim": "groups", "value": "managers", "scopes": ["privacy.read", "customers.write"]}]}`))
		office.start(t, "serve")
		tests(t, []string{
			"GRAPHIQL_TEST_URL=http://" + office.address,
			"GRAPHIQL_TEST_ID=" + full.ClientID, "GRAPHIQL_TEST_SECRET=" + full.ClientSecret,
			"GRAPHIQL_TEST_LIMITED_ID=" + full.ClientID, "GRAPHIQL_TEST_LIMITED_SECRET=" + full.ClientSecret,
			"GRAPHIQL_TEST_ISSUER=" + provider.URL, "GRAPHIQL_TEST_ENDED=" + provider.Ended(t), "GRAPHIQL_TEST_FOREIGN=" + provider.WrongAudience(t),
			"GRAPHIQL_TEST_CLIENT=" + peopletest.Client, "GRAPHIQL_TEST_PASSWORD=" + peopletest.Password,
			"GRAPHIQL_TEST_MANAGER=" + peopletest.Manager, "GRAPHIQL_TEST_SUBJECT=" + peopletest.ManagerSubject, "GRAPHIQL_TEST_GUEST=" + peopletest.Guest,
		}, "test/people.test.mjs", "test/promises.test.mjs")
	})
}

// lookAtAll lists a folder and all below it. The page and the program are read by Node and by another go: without a
// look of its own at their files, go test would take the outcome from its cache after they have changed.
func lookAtAll(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// program is the built program over a store of its own.
type program struct {
	binary, address string
	env             []string
}

type credential struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
}

func buildProgram(t *testing.T) *program {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "backoffice")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return (&program{binary: binary}).beside(t)
}

// beside is the same program over another store.
func (p *program) beside(t *testing.T) *program {
	t.Helper()
	folder := t.TempDir()
	p = &program{binary: p.binary, address: freeAddress(t)}
	p.env = append(os.Environ(),
		"BACKOFFICE_LISTEN="+p.address,
		"BACKOFFICE_DATABASE=sqlite:"+filepath.Join(folder, "backoffice.db"),
		"BACKOFFICE_FILES=file:"+filepath.Join(folder, "files"),
		"BACKOFFICE_KEYSET="+filepath.Join(folder, "keyset.json"),
	)
	return p
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// fill lets `demo` make its data, and stops it again.
func (p *program) fill(t *testing.T) {
	t.Helper()
	p.start(t, "demo")()
}

// credential makes a credential; a server that starts later knows it at once.
func (p *program) credential(t *testing.T, name string, scopes ...string) credential {
	t.Helper()
	var flags []string
	for _, scope := range scopes {
		flags = append(flags, "--scope", scope)
	}
	return p.pairWith(t, name, flags...)
}

func (p *program) pairWith(t *testing.T, name string, flags ...string) credential {
	t.Helper()
	var made credential
	args := append([]string{"credentials", "create", "--json", "--name", name}, flags...)
	if err := json.Unmarshal(p.command(t, args...), &made); err != nil {
		t.Fatalf("credentials create --json: %v", err)
	}
	return made
}

// command runs a command to its end.
func (p *program) command(t *testing.T, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), p.binary, args...)
	command.Env = p.env
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, problems.String())
	}
	return out
}

// start runs a command that serves until it is ready, and gives the way to stop it, which the end of the test does too.
func (p *program) start(t *testing.T, command string) (stop func()) {
	t.Helper()
	var said bytes.Buffer
	server := exec.Command(p.binary, command)
	server.Env = p.env
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = server.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			_ = server.Process.Kill()
			<-ended
			t.Errorf("%s did not stop within 30 seconds", command)
		}
	}
	t.Cleanup(stop)

	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			stopped = true
			t.Fatalf("%s ended: %v\n%s", command, err, withoutSecrets(said.String()))
		default:
		}
		if response, err := http.Get("http://" + p.address + "/readyz"); err == nil {
			_ = response.Body.Close()
			if response.StatusCode < 300 {
				return stop
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not ready after two minutes", command)
		}
	}
}

// withoutSecrets leaves out the lines in which demo prints its credentials.
func withoutSecrets(said string) string {
	var kept []string
	for line := range strings.Lines(said) {
		if !strings.Contains(strings.ToLower(line), "secret") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
