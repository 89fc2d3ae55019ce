package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
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
	if code, _, err := s.run(t, "consultations", "report", customer, "--output", path); code != exitFailure || err != "backoffice: the file "+path+" already exists: remove it, or pass another name\n" {
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
	if code, _, said := s.run(t, append(report, filepath.Join(t.TempDir(), "alone.pdf"))...); code != exitDone || !strings.Contains(said, "not checked against receipts") {
		t.Errorf("not compared: %d %s", code, said)
	}
	if out := s.must(t, "check", receipts); !strings.Contains(out, "compared with 2 receipts") {
		t.Errorf("check: %s", out)
	}
	sqlitetest.Execute(t, s.path("backoffice.db"), "DELETE FROM consultations; DELETE FROM consultation_heads")
	if code, out, said := s.run(t, "consultations", "report", all[1][5], receipts); code != exitFailure || out != "" || !strings.Contains(said, "tampered") {
		t.Errorf("of an emptied register: %d %s %s", code, out, said)
	}
	if code, out, said := s.run(t, "check", receipts); code != exitFailure || !strings.Contains(out+said, " found") {
		t.Errorf("check of an emptied register: %d %s %s", code, out, said)
	}
}

// consultedTwice is an office whose customer els was exported for two purposes, in two moments apart.
func consultedTwice(t *testing.T, s *shell) {
	t.Helper()
	s.must(t, "import", "../testdata/office")
	for _, purpose := range []string{"a first audit", "a second audit"} {
		s.must(t, "export", filepath.Join(t.TempDir(), "export"), "--registration-numbers", "--purpose", purpose)
		time.Sleep(2 * time.Millisecond)
	}
}

func (s *shell) rows(t *testing.T, args ...string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(s.must(t, append(args, "--format", "csv")...))).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all[1:]
}

func TestConsultationsAreFoundByTimeAndByACustomersCodeOrName(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	consultedTwice(t, s)
	all := s.rows(t, "consultations", "list")
	for _, row := range all {
		if !strings.HasPrefix(row[2], administrator()) {
			t.Errorf("who exported is %q", row[2])
		}
	}
	els := s.rows(t, "consultations", "list", "--customer", "els")
	if len(all) != 4 || len(els) != 2 {
		t.Fatalf("%v and %v", all, els)
	}
	second := els[1][0]
	for _, called := range []string{"P-001", "Els Van Damme", " els van damme "} {
		if found := s.rows(t, "consultations", "list", "--customer", called); len(found) != 2 {
			t.Errorf("of %q: %v", called, found)
		}
		if found := s.rows(t, "consultations", "list", "--customer", called, "--since", second); len(found) != 1 || found[0][6] != "a second audit" {
			t.Errorf("of %q since: %v", called, found)
		}
		if report := s.must(t, "consultations", "report", called); report != s.must(t, "consultations", "report", "els") {
			t.Errorf("the report of %q: %s", called, report)
		}
	}
	since, until := s.rows(t, "consultations", "list", "--since", second), s.rows(t, "consultations", "list", "--until", second)
	if len(since) == 0 || len(until) == 0 || len(since)+len(until) != len(all) {
		t.Errorf("since %v, until %v", since, until)
	}
	tomorrow := time.Now().UTC().Add(24 * time.Hour).Format(time.DateOnly)
	if later := s.rows(t, "consultations", "list", "--since", tomorrow); len(later) > 0 {
		t.Errorf("since tomorrow: %v", later)
	}
	if code, _, said := s.run(t, "consultations", "list", "--since", "yesterday"); code != exitUsage || !strings.Contains(said, "--since must be a date") {
		t.Errorf("%d %s", code, said)
	}
	if code, _, said := s.run(t, "consultations", "report", "Van Damme"); code != exitFailure || !strings.Contains(said, "no customer has this identifier, code or name") {
		t.Errorf("of a part of a name: %d %s", code, said)
	}
}

func TestOfSeveralCustomersOfANameNoneIsReported(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	consultedTwice(t, s)
	s.must(t, "import", s.folder(t, "customers.ndjson", `{"_id":"els-2","type":"Private Person","firstName":"ÉLS","lastName":"van damme","scopes":[],"customerCode":"els"}`))
	code, out, said := s.run(t, "consultations", "report", "Els Van Damme")
	if code != exitFailure || out != "" || !strings.Contains(said, "2 customers have this name") || !strings.Contains(said, "els (P-001)") || !strings.Contains(said, "els-2 (els)") {
		t.Errorf("%d %s %s", code, out, said)
	}
	if s.must(t, "consultations", "report", "P-001") != s.must(t, "consultations", "report", "els") { // an identifier before a code
		t.Error("another's code is taken for an identifier")
	}
}

func TestASummaryNamesWhoConsultedAndRefusesARegisterThatWasChanged(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	consultedTwice(t, s)
	settings := gateway.Settings{Database: "sqlite:" + s.path("backoffice.db"), Files: "file:" + s.path("files"), Keyset: s.path("keyset.json")}
	b, err := settings.OpenExisting(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reader := &backoffice.Principal{ClientID: "portal", Name: "The portal", Scopes: backoffice.AllScopes}
	ctx := b.Vault.WithLedger(t.Context(), reader, nil)
	err = b.Keys.Confirmed(ctx, []backoffice.PrivacyField{backoffice.RegistrationNumber}, "els") // a search that found her
	if err := errors.Join(err, backoffice.CommitLedger(ctx), b.Close()); err != nil {
		t.Fatal(err)
	}
	month := time.Now().UTC().Format("2006-01")
	got := map[string]string{}
	for _, row := range s.rows(t, "consultations", "summary") {
		got[row[1]] = strings.Join([]string{row[0], row[2], row[5], row[6], row[7], row[8]}, " ")
	}
	want := map[string]string{"The portal": month + " portal 0 1 0 1", administrator() + ", on the command line": month + " operator 0 0 4 2"}
	for name, counts := range want {
		if got[name] != counts || len(got) != 2 {
			t.Errorf("%s: %q, want %q of %v", name, got[name], counts, got)
		}
	}
	if none := s.rows(t, "consultations", "summary", "--until", "2020-01-01"); len(none) > 0 {
		t.Errorf("%v", none)
	}
	sqlitetest.Execute(t, s.path("backoffice.db"), "UPDATE consultations SET client_name = 'another' WHERE client_id = 'portal'")
	if code, out, said := s.run(t, "consultations", "summary"); code != exitFailure || out != "" || !strings.Contains(said, "tampered") {
		t.Errorf("%d %s %s", code, out, said)
	}
}
