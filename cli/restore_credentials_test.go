package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestARestoreKeepsRevokedWhatWasRevokedSinceAndNamesSecretsThatAreValidAgain(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	leaked, _ := s.credential(t, "settings.write")
	rotated, _ := s.credential(t, "settings.write")
	kept, _ := s.credential(t, "settings.write")
	backup := filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	if _, _, said := s.run(t, "restore", backup); said != "" {
		t.Errorf("when nothing ended since, it says %q", said)
	}
	s.must(t, "credentials", "revoke", leaked)
	s.must(t, "credentials", "rotate", rotated, "--overlap", "0s")
	s.crash(t) // so that some of this may be in the log alone
	log, err := os.ReadFile(s.path("backoffice.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	code, out, said := s.run(t, "restore", backup)
	if code != exitDone || !strings.Contains(out, "If webhooks were removed since") {
		t.Fatalf("it ends with %d, %q, %q", code, out, said)
	}
	if !strings.Contains(said, leaked+" was revoked since, and stays revoked") || !strings.Contains(said, "run: backoffice credentials rotate "+rotated+" --overlap 0s") || strings.Contains(said, kept) {
		t.Errorf("it says %q", said)
	}
	for line := range strings.Lines(s.must(t, "credentials", "list", "--format", "csv")) {
		if is := strings.Contains(line, ",revoked,"); is != strings.HasPrefix(line, leaked) {
			t.Errorf("the restored store has %q", line)
		}
	}
	replaced, _ := filepath.Glob(s.path("backoffice.db.replaced-*-wal"))
	if len(replaced) != 1 {
		t.Fatalf("beside the replaced databases there are %q", replaced)
	}
	if now, err := os.ReadFile(replaced[0]); err != nil || !bytes.Equal(now, log) {
		t.Errorf("the log of the replaced store is not as it was (%v)", err)
	}
}

func TestARestoreAfterOneThatWasInterruptedKeepsRevokedWhatWas(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	leaked, _ := s.credential(t, "settings.write")
	backup := filepath.Join(s.dir, "backup")
	s.must(t, "backup", backup)
	s.must(t, "credentials", "revoke", leaked)
	if err := os.Rename(s.path("backoffice.db"), s.path("backoffice.db.replaced-20260101T000000Z")); err != nil {
		t.Fatal(err)
	}
	if code, out, said := s.run(t, "restore", backup); code != exitDone || !strings.Contains(said, leaked+" was revoked since") {
		t.Errorf("it ends with %d, %q, %q", code, out, said)
	}
}

func TestARestoreOverADamagedStoreTellsThatCredentialsMayBeValidAgain(t *testing.T) {
	t.Parallel()
	s, backup := backedUp(t)
	if err := os.WriteFile(s.path("backoffice.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, said := s.run(t, "restore", backup); code != exitDone || !strings.Contains(said, "may be valid again") {
		t.Errorf("it ends with %d and says %q", code, said)
	}
}
