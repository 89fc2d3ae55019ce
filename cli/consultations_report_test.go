package cli

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/backoffice/store/sqlite/sqlitetest"
)

func TestTheReportOfACustomerHasEveryEntryUnderItAndNoOthers(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	for _, purpose := range []string{"a first audit", "=a second audit"} {
		s.must(t, "export", filepath.Join(t.TempDir(), "export"), "--registration-numbers", "--purpose", purpose)
	}
	all, err := csv.NewReader(strings.NewReader(s.must(t, "consultations", "list", "--format", "csv"))).ReadAll()
	if err != nil || len(all) < 5 {
		t.Fatal(all, err)
	}
	customer := all[1][5]
	out := s.must(t, "consultations", "report", customer)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var want [][]string
	for _, row := range all[1:] {
		if row[5] == customer {
			want = append(want, append(row[:5:5], row[6:]...))
		}
	}
	if len(want) != 2 || len(rows) != 3 || strings.Join(rows[1], "|") != strings.Join(want[0], "|") || rows[2][5] != "'=a second audit" {
		t.Errorf("%s\nwant %v", out, want)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "report.csv")
	s.must(t, "consultations", "report", customer, "--output", path)
	if written, err := os.ReadFile(path); err != nil || string(written) != out {
		t.Errorf("%s %v", written, err)
	}
	for _, language := range []string{"dutch", "french", "german", "english"} {
		path := filepath.Join(folder, language+".pdf")
		s.must(t, "consultations", "report", customer, "--format", "pdf", "--output", path, "--language", language)
		if written, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(written, []byte("%PDF-")) {
			t.Errorf("%s: %.20s %v", language, written, err)
		}
	}
	if code, _, err := s.run(t, "consultations", "report", customer, "--output", path); code != exitFailure || err != "backoffice: the file "+path+" exists, and is left as it is: name another one, or remove it first\n" {
		t.Errorf("over a file that is there: %d %s", code, err)
	}
	if code, _, _ := s.run(t, "consultations", "report", customer, "--format", "pdf"); code != exitUsage {
		t.Errorf("a PDF without a path: %d", code)
	}
	if code, _, err := s.run(t, "consultations", "report", "nobody"); code != exitFailure || !strings.Contains(err, "no customer") {
		t.Errorf("of nobody: %d %s", code, err)
	}

	sqlitetest.Execute(t, s.path("backoffice.db"), "DELETE FROM customers WHERE id = '"+customer+"'")
	if again := s.must(t, "consultations", "report", customer); again != out {
		t.Errorf("of a customer that is there no more:\n%s", again)
	}
	sqlitetest.Execute(t, s.path("backoffice.db"), "UPDATE consultations SET purpose = 'another' WHERE customer_id = '"+customer+"'")
	if code, out, err := s.run(t, "consultations", "report", customer); code != exitFailure || out != "" || !strings.Contains(err, "tampered") {
		t.Errorf("of a register that was changed: %d %s %s", code, out, err)
	}
}

func TestAReportIsRefusedWhenReceiptsShowThatTheRegisterWasPutBack(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	receipts := "--receipts=" + t.TempDir()
	for _, purpose := range []string{"a first audit", "a second audit"} {
		s.must(t, "export", filepath.Join(t.TempDir(), "export"), "--registration-numbers", "--purpose", purpose, receipts)
	}
	all, err := csv.NewReader(strings.NewReader(s.must(t, "consultations", "list", "--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	report := []string{"consultations", "report", all[1][5], "--format", "pdf", "--output"}
	compared := filepath.Join(t.TempDir(), "compared.pdf")
	if code, _, said := s.run(t, append(report, compared, receipts)...); code != exitDone || strings.Contains(said, "no receipts") {
		t.Errorf("compared: %d %s", code, said)
	}
	if code, _, said := s.run(t, append(report, filepath.Join(t.TempDir(), "alone.pdf"))...); code != exitDone || !strings.Contains(said, "compared with no receipts") {
		t.Errorf("not compared: %d %s", code, said)
	}
	if out := s.must(t, "check", receipts); !strings.Contains(out, "compared with 2 receipts") {
		t.Errorf("check: %s", out)
	}
	sqlitetest.Execute(t, s.path("backoffice.db"), "DELETE FROM consultations; DELETE FROM consultation_heads")
	if code, out, said := s.run(t, "consultations", "report", all[1][5], receipts); code != exitFailure || out != "" || !strings.Contains(said, "tampered") {
		t.Errorf("of an emptied register: %d %s %s", code, out, said)
	}
	if code, out, said := s.run(t, "check", receipts); code != exitFailure || !strings.Contains(out+said, "problems were found") {
		t.Errorf("check of an emptied register: %d %s %s", code, out, said)
	}
}
