package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestSettingsThatMakeNoSenseStartNoServer(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for _, c := range [][2]string{
		{"--listen=", "--listen must be an address with a port"}, {"--listen=:", "--listen must be an address with a port"}, {"--listen=127.0.0.1", "--listen must be an address with a port"},
		{"--limit-cost=-1", "--limit-cost must be 1 or more"}, {"--limit-aliases=-5", "--limit-aliases must be 0 or more"}, {"--limit-body=0", "--limit-body must be 1 or more"},
		{"--limit-time=-1s", "--limit-time must be a time such as 10s, and longer than 0"}, {"--limit-statement=-1s", "--limit-statement must be a time such as 5s"},
	} {
		if code, out, err := s.run(t, "serve", "--listen=127.0.0.1:0", "--metrics=", c[0]); code != exitFailure || out != "" || !strings.Contains(err, c[1]) {
			t.Errorf("with %s it ends with %d, %q, %q", c[0], code, out, err)
		}
	}
}

func TestWhatIsFoundBeforeAServerServesIsInItsLogAsAllElse(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	if err := os.Chmod(s.path("keyset.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		level string
		found bool
	}{{"info", true}, {"error", false}} {
		server := s.start(t, exec.Command("env"), "--log-format=json", "--log-level="+c.level)
		if err := server.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range server.lines {
			if line = strings.TrimSpace(line); strings.Contains(line, "can read the keyset file") {
				found = true
				if !json.Valid([]byte(line)) {
					t.Errorf("it is told as %q", line)
				}
			}
		}
		if found != c.found {
			t.Errorf("at the level %s it is told: %t", c.level, found)
		}
	}
}
