package limits

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// lockTime is longer than any deadline that a library may have left on a connection, and shorter than a request may
// take.
const lockTime = 6 * time.Second

// keptConnection asks through a client that holds on to its connection, and reports whether it was used again.
type keptConnection struct {
	client     *http.Client
	credential [2]string
	url        string
}

func (k keptConnection) ask(t testing.TB, method, path, body string) (status int, answer string, reused bool) {
	t.Helper()
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }})
	r, err := http.NewRequestWithContext(ctx, method, k.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, k.credential[0])
	r.Header.Set(auth.ClientSecretHeader, k.credential[1])
	response, err := k.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), reused
}

// outlast writes while another write holds the store for lockTime, and then asks for more on the same connection.
func (k keptConnection) outlast(t *testing.T, o *gatewaytest.Office) {
	t.Helper()
	held, released := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		_ = o.Store.Write(t.Context(), func(context.Context, backoffice.Tx) error {
			close(held)
			time.Sleep(lockTime)
			return nil
		})
	}()
	<-held
	began := time.Now()
	status, answer, _ := k.ask(t, http.MethodPost, "/settings/labels", `{"name": "slow", "color": "#112233"}`)
	<-released
	if status != http.StatusCreated || time.Since(began) < lockTime-time.Second {
		t.Fatalf("the slow write: %d after %v: %s", status, time.Since(began), answer)
	}
	for range 3 {
		status, answer, reused := k.ask(t, http.MethodGet, "/settings/labels", "")
		if status != http.StatusOK || !reused {
			t.Errorf("after the slow write: %d, on the same connection: %v: %s", status, reused, answer)
		}
	}
}

func TestAConnectionOutlivesASlowWrite(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	server := httptest.NewServer(o.Handler)
	t.Cleanup(server.Close)
	keptConnection{server.Client(), o.Credential(t, backoffice.AllScopes...), server.URL}.outlast(t, o)
}

func TestAConnectionThatAProxyKeepsOutlivesASlowWrite(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(o.Handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	credential := o.Credential(t, backoffice.AllScopes...)
	keptConnection{server.Client(), credential, startNginx(t, server.Listener.Addr().String())}.outlast(t, o)
	server.Close()
	if opened := opened.Load(); opened != 1 {
		t.Errorf("nginx opened %d connections", opened)
	}
}

// startNginx runs a real nginx that keeps its connection to a server, and returns its own address.
func startNginx(t testing.TB, upstream string) (url string) {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // not in everyone's path
	}
	dir := t.TempDir()
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := reserved.Addr().String()
	reserved.Close()
	settings := fmt.Sprintf(`
daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	upstream backoffice { server %[2]s; keepalive 1; }
	server {
		listen %[3]s;
		location / { proxy_pass http://backoffice; proxy_http_version 1.1; proxy_set_header Connection ""; }
	}
}`, dir, upstream, address)
	path := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "-p", dir, "-c", path)
	var said strings.Builder
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatalf("%v; make deps installs nginx", err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if connection, err := net.Dial("tcp", address); err == nil {
			connection.Close()
			return "http://" + address
		}
		if time.Now().After(until) {
			_ = command.Process.Kill()
			_ = command.Wait()
			t.Fatalf("nginx does not start: %s", said.String())
		}
	}
}
