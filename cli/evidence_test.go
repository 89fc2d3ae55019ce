package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
)

// packOf writes an empty pack that is signed by the shell's key, and returns its path.
func (s *shell) packOf(t *testing.T) string {
	t.Helper()
	stored, err := files.Open(t.Context(), "file:"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	keys, err := privacy.KeysetFile{Path: filepath.Join(s.dir, "data", "keyset.json")}.Load()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := keys.Signer()
	if err != nil {
		t.Fatal(err)
	}
	draft, err := evidence.NewDraft()
	if err != nil {
		t.Fatal(err)
	}
	defer draft.Close()
	var pack bytes.Buffer
	if err := draft.Send(t.Context(), &pack, stored, evidence.Manifest{CustomerID: "acme", To: "2026-03-31"}, signer.Public, signer); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pack.zip")
	if err := os.WriteFile(path, pack.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAPackIsVerifiedByTheKeyThatKeysSigningShows(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	public := s.must(t, "keys", "signing")
	if again := s.must(t, "keys", "signing"); again != public || !strings.HasPrefix(public, "-----BEGIN PUBLIC KEY-----\n") {
		t.Errorf("%s, then %s", public, again)
	}
	pack, key := s.packOf(t), filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(key, []byte(public), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.must(t, "evidence", "verify", pack, "--key", key); !strings.Contains(out, "matches its signature: 2 entries of customer \"acme\"") || strings.Contains(out, "compare") {
		t.Error(out)
	}
	if out := s.must(t, "evidence", "verify", pack); !strings.Contains(out, "compare it with the firm's") {
		t.Error(out)
	}
	if other := s.must(t, "keys", "signing", "--replace"); other == public || os.WriteFile(key, []byte(other), 0o600) != nil {
		t.Error("the key was not replaced")
	}
	if code, out, err := s.run(t, "evidence", "verify", pack, "--key", key); code != exitFailure || !strings.Contains(out, "not signed by this key") || !strings.Contains(err, "does not match its signature") {
		t.Errorf("by another key: %d %s %s", code, out, err)
	}
	text, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	for name, changed := range map[string][]byte{"cut off": text[:len(text)-1], "no zip": []byte("PK"), "a byte": bytes.Replace(text, []byte(evidence.PageName), []byte("Verify.html"), 2)} {
		if err := os.WriteFile(pack, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, err := s.run(t, "evidence", "verify", pack); code != exitFailure || err == "" {
			t.Errorf("%s: %d %s", name, code, err)
		}
	}
	if code, _, err := s.run(t, "evidence", "verify", pack, "--key", pack); code != exitFailure || !strings.Contains(err, "public key") {
		t.Errorf("%d %s", code, err)
	}
}

func TestASampleIsPickedBySeedAndHasAPackOfEach(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	folder := filepath.Join(t.TempDir(), "packs")
	if code, _, err := s.run(t, "evidence", "--sample", "2", "--seed", "1", "--out", folder); code != exitFailure || !strings.Contains(err, "keys signing") {
		t.Errorf("without a signing key: %d %s", code, err)
	}
	s.must(t, "keys", "signing")
	all := s.must(t, "evidence", "--sample", "1000", "--seed", "1", "--format", "csv")
	first := s.must(t, "evidence", "--sample", "2", "--seed", "1", "--format", "csv", "--out", folder, "--purpose", "an inspection")
	if !strings.HasPrefix(all, first) || strings.Count(first, "\n") != 3 || strings.Count(all, "\n") < 6 {
		t.Errorf("%s is not the beginning of %s", first, all)
	}
	other := false
	for seed := range 5 {
		other = other || s.must(t, "evidence", "--sample", "1000", "--seed", strconv.Itoa(seed+2), "--format", "csv") != all
	}
	if !other {
		t.Error("every seed picks the same")
	}
	packs, err := filepath.Glob(filepath.Join(folder, "*.zip"))
	if err != nil || len(packs) != 2 {
		t.Fatal(packs, err)
	}
	for _, pack := range packs {
		if out := s.must(t, "evidence", "verify", pack); !strings.Contains(out, "matches its signature") {
			t.Error(out)
		}
	}
	for _, wrong := range [][]string{{"--sample", "0", "--seed", "1"}, {"--seed", "1"}, {"--sample", "3"}, {"--sample", "3", "--seed", "1", "--purpose", "850730033 28"}} {
		if code, _, _ := s.run(t, append([]string{"evidence"}, wrong...)...); code != exitUsage {
			t.Errorf("%q ends with %d", wrong, code)
		}
	}
}
