package cli

import (
	"bytes"
	"encoding/pem"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/privacy/kms/kmstest"
)

// program runs a command as a process of its own, with more in its environment.
func (s *shell) program(t *testing.T, environment []string, args ...string) (code int, said string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, append(s.settings(), args...)...)
	command.Env = append(append(os.Environ(), "TEST_BACKOFFICE_PROGRAM=1"), environment...)
	out, err := command.CombinedOutput()
	if err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), string(out)
}

// vaultAt is what a program's environment needs to ask an engine.
func vaultAt(t *testing.T, engine *kmstest.Transit) (environment []string) {
	t.Helper()
	trusted := filepath.Join(t.TempDir(), "vault.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: engine.Certificate().Raw})
	if err := os.WriteFile(trusted, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"VAULT_TOKEN=" + engine.Token, "VAULT_CACERT=" + trusted, "VAULT_MAX_RETRIES=0"}
}

func TestAKeysetFileIsWrappedByAKeyOfVaultWhileAServerRunsAndKeysTurnInIt(t *testing.T) {
	t.Parallel()
	engine := kmstest.New(t)
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	path := s.path("keyset.json")
	plain, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	vault := vaultAt(t, engine)
	of := "--keyset-kms=" + engine.URI("office")
	does := func(args ...string) string {
		t.Helper()
		code, said := s.program(t, vault, append([]string{of}, args...)...)
		if code != exitDone {
			t.Fatalf("%q ends with %d: %s", args, code, said)
		}
		return said
	}
	before := s.export(t)

	server := s.start(t, exec.Command("env", vault...), of)
	if code, said := s.program(t, vault, of, "doctor"); code == exitUsage || !strings.Contains(said, "keys wrap") {
		t.Errorf("doctor does not tell of a file that is not wrapped: %d %s", code, said)
	}
	if said := does("keys", "wrap"); !strings.Contains(said, "is wrapped") {
		t.Errorf("wrap: %s", said)
	}
	if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte("keyData")) || !bytes.Contains(plain, []byte("keyData")) {
		t.Errorf("the file has keys as they are: %v", err)
	}
	if code, _, err := s.run(t, "keys", "status"); code != exitFailure || !strings.Contains(err, "--keyset-kms") {
		t.Errorf("without the flag: %d %s", code, err)
	}
	asked := engine.Asked.Load()
	does("keys", "rotate") // waits until the server has read the new key
	if engine.Asked.Load() < asked+3 {
		t.Error("the server has not asked for the key that wraps")
	}
	does("keys", "reseal")
	if code, said := s.program(t, vault, of, "doctor"); strings.Contains(said, "keys wrap") || !strings.Contains(said, "keyset") {
		t.Errorf("doctor: %d %s", code, said)
	}

	engine.Sealed.Store(true)
	if code, said := s.program(t, vault, of, "keys", "status"); code != exitFailure || !strings.Contains(said, "sealed") || strings.Contains(said, engine.Token) {
		t.Errorf("while Vault is sealed: %d %s", code, said)
	}
	if code, said := s.program(t, vault, of, "doctor"); code != exitFailure || !strings.Contains(said, "lets this server decrypt") {
		t.Errorf("doctor while Vault is sealed: %d %s", code, said)
	}
	if ready, err := http.Get("http://" + server.address + "/readyz"); err != nil || ready.StatusCode != http.StatusOK || ready.Body.Close() != nil {
		t.Errorf("a server that has the keys does not go on: %v %v", ready, err)
	}
	engine.Sealed.Store(false)

	does("keys", "wrap", "--by", engine.URI("other"))
	if code, said := s.program(t, vault, of, "keys", "status"); code != exitFailure || !strings.Contains(said, "cannot unwrap") {
		t.Errorf("with the key of before: %d %s", code, said)
	}
	of = "--keyset-kms=" + engine.URI("other")
	does("keys", "unwrap")
	if _, said := s.program(t, nil, "keys", "unwrap"); said != path+" is not wrapped; nothing was changed.\n" {
		t.Errorf("to unwrap again says %q", said)
	}
	if s.export(t) != before {
		t.Error("the records are not what they were")
	}
	if code, said := s.program(t, nil, "keys", "wrap"); code != exitFailure || !strings.Contains(said, "--by URI") {
		t.Errorf("wrap by nothing: %d %s", code, said)
	}
}

func TestTheShippingKeysetIsWrappedAndUnwrappedWithTheKeyset(t *testing.T) {
	t.Parallel()
	engine := kmstest.New(t)
	s, place := shipping(t)
	s.ships(t, place).stop(t) // which makes its keyset, in clear
	vault := vaultAt(t, engine)
	by := func(key string) string { return "--keyset-kms=" + engine.URI(key) }
	does := func(of string, args ...string) string {
		t.Helper()
		code, said := s.program(t, vault, append(args, of)...)
		if code != exitDone {
			t.Fatalf("%q ends with %d: %s", args, code, said)
		}
		return said
	}
	shipped := func(of string) {
		t.Helper()
		does(of, "ship", "verify", "--ship="+place)
	}
	if _, said := s.program(t, vault, by("office"), "doctor"); strings.Count(said, "run backoffice keys wrap") != 2 {
		t.Errorf("doctor does not tell of both files: %s", said)
	}
	if said := does(by("office"), "keys", "wrap"); strings.Count(said, "is wrapped") != 2 {
		t.Errorf("wrap: %s", said)
	}
	shipped(by("office"))
	if _, said := s.program(t, vault, by("office"), "doctor"); strings.Contains(said, "keys wrap") || !strings.Contains(said, "shipping keyset") {
		t.Errorf("doctor: %s", said)
	}
	main, err := os.ReadFile(s.path("keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	wrap := []string{"keys", "wrap", "--by", engine.URI("other")}
	does(by("office"), wrap...)
	if err := os.WriteFile(s.path("keyset.json"), main, 0o600); err != nil { // as if it had been killed in between
		t.Fatal(err)
	}
	does(by("office"), wrap...)
	shipped(by("other"))
	if said := does(by("other"), "keys", "unwrap"); strings.Count(said, "no longer wrapped") != 2 {
		t.Errorf("unwrap: %s", said)
	}
	shipped("--keyset-kms=")
}
