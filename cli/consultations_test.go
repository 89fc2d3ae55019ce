package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestVerifyTakesTheReceiptsThatCommandsWrite(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	receipts := t.TempDir()
	export := func(name string) {
		t.Helper()
		s.must(t, "export", filepath.Join(t.TempDir(), name), "--registration-numbers", "--purpose", "a test", "--receipts", receipts)
	}
	export("one")
	export("two")
	if out := s.must(t, "consultations", "verify", "--receipts", receipts); !strings.Contains(out, "2 receipts") {
		t.Errorf("%s", out)
	}
	executeSQL(t, s.path("backoffice.db"), "DELETE FROM consultations; DELETE FROM consultation_heads")
	s.must(t, "consultations", "verify") // the register alone does not show it
	code, out, _ := s.run(t, "consultations", "verify", "--receipts", receipts)
	if code != exitFailure || !strings.Contains(out, "emptied") {
		t.Errorf("%d %s", code, out)
	}
}
