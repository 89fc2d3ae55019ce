package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// credential is what --json prints.
type credential struct{ ClientID, ClientSecret string }

func pairOf(t *testing.T, out string) (p credential) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil || p.ClientID == "" || p.ClientSecret == "" || strings.Count(out, "\n") != 1 {
		t.Fatalf("%q is not a credential alone: %v", out, err)
	}
	return p
}

func TestCredentialsAreCreatedRotatedRevokedAndListed(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	created := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--scope", "pti.write", "--scope", "privacy.read", "--expires", "2999-01-31"))
	rotated := pairOf(t, s.must(t, "credentials", "rotate", created.ClientID, "--json"))
	if rotated.ClientID != created.ClientID || rotated.ClientSecret == created.ClientSecret {
		t.Error("the rotation gave another credential, or the same secret")
	}
	list := func() map[string]any {
		var row map[string]any
		if err := json.Unmarshal([]byte(s.must(t, "credentials", "list", "--format=jsonl")), &row); err != nil {
			t.Fatal(err)
		}
		return row
	}
	row := list()
	if row["state"] != "live" || row["liveSecrets"] != 2.0 || row["expiresAt"] != "2999-01-31T00:00:00.000Z" || row["name"] != "portal" {
		t.Errorf("it is listed as %v", row)
	}
	s.must(t, "credentials", "rotate", created.ClientID, "--overlap", "0s")
	if row = list(); row["liveSecrets"] != 1.0 {
		t.Errorf("without overlap it is listed as %v", row)
	}
	s.must(t, "credentials", "revoke", created.ClientID)
	if row = list(); row["state"] != "revoked" || row["liveSecrets"] != 0.0 {
		t.Errorf("revoked it is listed as %v", row)
	}
	if code, _, err := s.run(t, "credentials", "rotate", created.ClientID); code != exitFailure || !strings.Contains(err, "revoked or expired") {
		t.Errorf("rotating a revoked credential ends with %d, %s", code, err)
	}
	if code, _, err := s.run(t, "credentials", "revoke", "nobody"); code != exitFailure || !strings.Contains(err, "credentials list") {
		t.Errorf("revoking an unknown credential ends with %d, %s", code, err)
	}
	if table := s.must(t, "credentials", "list"); strings.Contains(table, rotated.ClientSecret) || !strings.HasPrefix(table, "CLIENTID") {
		t.Errorf("the table is\n%s", table)
	}
}

func TestALivingCredentialIsHeldToNetworks(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	credential := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--scope", "pti.write")).ClientID
	out := s.must(t, "credentials", "networks", credential, "--add", "192.0.2.0/24", "--add", "2001:db8::1", "--remove", "198.51.100.0/24")
	if !strings.HasPrefix(out, "Networks: 192.0.2.0/24 2001:db8::1/128\n") {
		t.Errorf("it says %q", out)
	}
	if out := s.must(t, "credentials", "networks", credential, "--remove", "192.0.2.0/24"); !strings.HasPrefix(out, "Networks: 2001:db8::1/128\n") {
		t.Errorf("it says %q", out)
	}
	if list := s.must(t, "credentials", "list", "--format=jsonl"); !strings.Contains(list, `"networks":["2001:db8::1/128"]`) {
		t.Errorf("it is listed as %s", list)
	}
	for why, args := range map[string][]string{
		"from anywhere":    {credential, "--remove", "2001:db8::1"},
		"credentials list": {"nobody", "--add", "192.0.2.0/24"},
		"or look like":     {credential, "--add", "192.0.2.1/24"},
		"pass a network":   {credential},
	} {
		if code, _, err := s.run(t, append([]string{"credentials", "networks"}, args...)...); code == exitDone || !strings.Contains(err, why) {
			t.Errorf("%s ends with %d, %s", why, code, err)
		}
	}
	s.must(t, "credentials", "revoke", credential)
	if code, _, err := s.run(t, "credentials", "networks", credential, "--add", "192.0.2.0/24"); code != exitFailure || !strings.Contains(err, "revoked or expired") {
		t.Errorf("a revoked credential ends with %d, %s", code, err)
	}
}

func TestScopesAreGivenToALivingCredentialAndTakenFromIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	created := pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "portal", "--scope", "pti.write"))
	out := s.must(t, "credentials", "scopes", created.ClientID, "--add", "users.write", "--add", "customers.write", "--remove", "pti.write", "--remove", "minfin.read")
	if !strings.HasPrefix(out, "Scopes: customers.write users.write\n") {
		t.Errorf("it says %q", out)
	}
	if list := s.must(t, "credentials", "list", "--format=jsonl"); !strings.Contains(list, `"scopes":["customers.write","users.write"]`) {
		t.Errorf("it is listed as %s", list)
	}
	for why, args := range map[string][]string{
		"not both":           {created.ClientID, "--add", "pti.write", "--remove", "pti.write"},
		"credentials list":   {"nobody", "--add", "pti.write"},
		"revoked or expired": {pairOf(t, s.must(t, "credentials", "create", "--json", "--name", "gone")).ClientID, "--add", "pti.write"},
	} {
		if why == "revoked or expired" {
			s.must(t, "credentials", "revoke", args[0])
		}
		if code, _, err := s.run(t, append([]string{"credentials", "scopes"}, args...)...); code != exitFailure || !strings.Contains(err, why) {
			t.Errorf("%s ends with %d, %s", why, code, err)
		}
	}
	if out := s.must(t, "credentials", "scopes", created.ClientID, "--remove", "users.write", "--remove", "customers.write"); !strings.HasPrefix(out, "Scopes: none\n") {
		t.Errorf("it says %q", out)
	}
}
