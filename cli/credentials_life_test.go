package cli

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/backoffice/auth"
)

// row is the only credential as credentials list shows it.
func (s *shell) row(t *testing.T) (row map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.must(t, "credentials", "list", "--format=jsonl")), &row); err != nil {
		t.Fatal(err)
	}
	return row
}

func TestACredentialEndsAfterAYearUnlessItsMakerSaysOtherwise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags []string
		want  time.Duration // 0: never
	}{{nil, 365 * 24 * time.Hour}, {[]string{"--no-expiry"}, 0}, {[]string{"--expires", time.Now().UTC().Add(100 * time.Hour).Format(time.RFC3339)}, 100 * time.Hour}} {
		s := newShell(t)
		s.must(t, "migrate")
		out := s.must(t, append([]string{"credentials", "create", "--name", "portal"}, c.flags...)...)
		end, _ := s.row(t)["expiresAt"].(string)
		if c.want == 0 {
			if end != "" || !strings.Contains(out, "never expires") {
				t.Errorf("%v: it ends at %s: %s", c.flags, end, out)
			}
			continue
		}
		at, err := time.Parse(time.RFC3339, end)
		if left := time.Until(at); err != nil || left > c.want || left < c.want-time.Hour || !strings.Contains(out, end) {
			t.Errorf("%v: it ends at %s (%v): %s", c.flags, end, err, out)
		}
	}
}

func TestAnEndThatIsNearIsListedAndCanBeMoved(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	soon := time.Now().UTC().Add(13*24*time.Hour - time.Hour).Format(time.RFC3339)
	made := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--expires", soon))
	if row := s.row(t); row["warning"] != "expires in 13 days" {
		t.Errorf("it is listed as %v", row)
	}
	s.must(t, "credentials", "extend", made.ClientID)
	if row := s.row(t); row["warning"] != nil || row["expiresAt"] == soon {
		t.Errorf("with another year it is listed as %v", row)
	}
	s.must(t, "credentials", "extend", made.ClientID, "--no-expiry")
	if row := s.row(t); row["expiresAt"] != nil {
		t.Errorf("without an end it is listed as %v", row)
	}
	for why, args := range map[string][]string{
		"must be in the future":            {made.ClientID, "--expires", "2020-01-01"},
		"must be a date":                   {made.ClientID, "--expires", "soon"},
		"--expires and --no-expiry can't":  {made.ClientID, "--expires", "2999-01-01", "--no-expiry"},
		"no credential has this client id": {"nobody"},
	} {
		if code, _, err := s.run(t, append([]string{"credentials", "extend"}, args...)...); code == exitDone || !strings.Contains(err, why) {
			t.Errorf("%s: %d %s", why, code, err)
		}
	}
	s.must(t, "credentials", "revoke", made.ClientID)
	if code, _, err := s.run(t, "credentials", "extend", made.ClientID); code != exitFailure || !strings.Contains(err, "revoked or expired") {
		t.Errorf("a revoked credential: %d %s", code, err)
	}
}

// asked asks a server something as a credential and returns the status.
func (s *started) asked(t *testing.T, by credential) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.address+"/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(auth.ClientIDHeader, by.ClientID)
	r.Header.Set(auth.ClientSecretHeader, by.ClientSecret)
	r.Header.Set("X-Forwarded-For", "192.0.2.1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestAServerHoldsCredentialsToTheirNetworksAndRemembersTheDayOfTheirUse(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	create := func(network string) credential {
		return pairOf(t, s.must(t, "credentials", "create", "--json", "--name", network, "--from-network", network, "--from-network", "2001:db8::/32"))
	}
	near, far := create("127.0.0.0/8"), create("192.0.2.0/24")
	for _, c := range []struct {
		flags []string
		serve credential
		other credential
	}{{nil, near, far}, {[]string{"--trusted-proxy=127.0.0.1"}, far, near}} {
		server := s.start(t, exec.Command("env"), c.flags...)
		if got := server.asked(t, c.serve); got != 200 {
			t.Errorf("%v: inside: %d", c.flags, got)
		}
		if got := server.asked(t, c.other); got != 401 {
			t.Errorf("%v: outside: %d", c.flags, got)
		}
		if err := server.command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-server.ended
		for line := range strings.Lines(s.must(t, "credentials", "list", "--format=jsonl")) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			used := row["clientId"] == c.serve.ClientID || c.flags != nil // by the second server both were
			if today := time.Now().UTC().Format(time.DateOnly); used != (row["lastUsedAt"] == today) {
				t.Errorf("%v: %v was used last on %v", c.flags, row["name"], row["lastUsedAt"])
			}
		}
	}
	if code, _, err := s.run(t, "credentials", "create", "--name", "x", "--from-network", "10.0.0.1/8"); code == exitDone || !strings.Contains(err, "--from-network: a network must be an address") {
		t.Errorf("%d %s", code, err)
	}
}
