package cli

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver"
)

func TestADemoOnATakenPortChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.demo(t, func(printed []string) {
		before := s.must(t, "credentials", "list")
		code, out, err := s.run(t, "demo", "--listen="+strings.TrimPrefix(printed[4], "http://"))
		if code != exitFailure || out != "" || !strings.Contains(err, "--listen") {
			t.Errorf("a second demo ends with %d, %q and %q", code, out, err)
		}
		if after := s.must(t, "credentials", "list"); after != before {
			t.Errorf("it changed the credentials:\n%s%s", before, after)
		}
	})
	fresh := newShell(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if code, _, _ := fresh.run(t, "serve", "--listen="+taken.Addr().String()); code != exitFailure {
		t.Errorf("serving on a taken port ends with %d", code)
	}
	if made, _ := os.ReadDir(fresh.dir); len(made) > 0 {
		t.Errorf("it made %v", made)
	}
}

func TestThePrintedAddressCanBeOpened(t *testing.T) {
	t.Parallel()
	plain, secure := &serveCommand{}, &serveCommand{Server: httpserver.Settings{Certificate: "c", Key: "k"}}
	for address, want := range map[string][2]string{
		"127.0.0.1:8080": {"http://127.0.0.1:8080", "https://127.0.0.1:8080"}, "0.0.0.0:8080": {"http://127.0.0.1:8080", "https://127.0.0.1:8080"},
		"[::]:8080": {"http://127.0.0.1:8080", "https://127.0.0.1:8080"}, "192.0.2.1:80": {"http://192.0.2.1:80", "https://192.0.2.1:80"},
	} {
		tcp, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{plain.baseURL(tcp), secure.baseURL(tcp)}; got != want {
			t.Errorf("%s is printed as %v", address, got)
		}
	}
}

func TestSecretsOverANetworkWithoutTLSGiveAWarning(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		var out, errs screen
		listener, err := (&serveCommand{Listen: address, Limits: limits.Defaults(), Server: httpserver.Settings{StopTime: time.Second}}).listen(terminal{&out, &errs})
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
		if warned := strings.HasPrefix(errs.String(), "Warning: "); warned != want {
			t.Errorf("%s: %q", address, errs.String())
		}
	}
}
