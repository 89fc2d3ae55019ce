package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"

	"example.org/backoffice/files/s3test"
	"example.org/backoffice/store/sqlite/sqlitetest"
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
	sqlitetest.Execute(t, s.path("backoffice.db"), "DELETE FROM consultations; DELETE FROM consultation_heads")
	s.must(t, "consultations", "verify") // the register alone does not show it
	code, out, _ := s.run(t, "consultations", "verify", "--receipts", receipts)
	if code != exitFailure || !strings.Contains(out, "emptied") {
		t.Errorf("%d %s", code, out)
	}
}

func TestReceiptsAreKeptInABucketAndVerifiedFromIt(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	server := s3test.Start(t, "register")
	receipts := server.URL("office")
	export := func(name string) (int, string, string) {
		t.Helper()
		return s.run(t, "export", filepath.Join(t.TempDir(), name), "--registration-numbers", "--purpose", "a test", "--receipts", receipts)
	}
	for _, name := range []string{"one", "two"} {
		if code, _, err := export(name); code != 0 {
			t.Fatalf("%d %s", code, err)
		}
	}
	if out := s.must(t, "consultations", "verify", "--receipts", receipts); !strings.Contains(out, "2 receipts") {
		t.Errorf("%s", out)
	}

	server.Fail(true)
	code, out, err := export("three")
	t.Logf("an export while the bucket fails: %d %s %s", code, out, err)
	if code == 0 || strings.Contains(out+err, "127.0.0.1") {
		t.Errorf("an export while the bucket fails ends with %d, %s %s", code, out, err)
	}
	code, out, err = s.run(t, "consultations", "verify", "--receipts", receipts)
	t.Logf("verify while the bucket fails: %d %s %s", code, out, err)
	if code == 0 || strings.Contains(out+err, "127.0.0.1") || strings.Contains(out, "2 receipts") {
		t.Errorf("verify while the bucket fails ends with %d, %s %s", code, out, err)
	}

	server.Fail(false)
	if code, _, err := export("four"); code != 0 {
		t.Fatalf("%d %s", code, err)
	}
	if out := s.must(t, "consultations", "verify", "--receipts", receipts); !strings.Contains(out, " receipts") {
		t.Errorf("%s", out)
	}
	// A receipt in the middle is taken away.
	list, failure := server.Backend.ListBucket("register", nil, gofakes3.ListBucketPage{})
	if failure != nil || len(list.Contents) < 3 {
		t.Fatal(list, failure)
	}
	if _, err := server.Backend.DeleteObject("register", list.Contents[1].Key); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := s.run(t, "consultations", "verify", "--receipts", receipts); code != exitFailure || !strings.Contains(out, "the previous receipt is missing") {
		t.Errorf("without a receipt: %d %s", code, out)
	}
	sqlitetest.Execute(t, s.path("backoffice.db"), "DELETE FROM consultations; DELETE FROM consultation_heads")
	if code, out, _ := s.run(t, "consultations", "verify", "--receipts", receipts); code != exitFailure || !strings.Contains(out, "emptied") {
		t.Errorf("an emptied register: %d %s", code, out)
	}
}
