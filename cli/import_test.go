package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestImportTellsWhatItDidAndWhichLinesAreBad(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	out := s.must(t, "import", "../testdata/office")
	if !strings.Contains(out, "customers.ndjson: 7 created, 0 updated, 0 deleted, 0 unchanged\n") {
		t.Errorf("it tells\n%s", out)
	}
	if out = s.must(t, "import", "../testdata/office"); !strings.Contains(out, "customers.ndjson: 0 created, 0 updated, 0 deleted, 7 unchanged\n") {
		t.Errorf("the second time it tells\n%s", out)
	}
	code, out, err := s.run(t, "import", s.folder(t, "labels.ndjson", "{\"_id\":\"a\"}\n{\"_id\":\"b\",\"name\":\"b\"}\n{\n"))
	lines := strings.Split(strings.TrimSpace(err), "\n")
	if code != exitFailure || out != "" || len(lines) != 3 || !strings.HasPrefix(lines[0], "labels.ndjson:1: name: ") || !strings.HasPrefix(lines[1], "labels.ndjson:3: ") {
		t.Errorf("bad lines end with %d, %q and\n%s", code, out, err)
	}
}

func TestImportLoadsWhatIsRightAndPutsTheRestAside(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	folder := s.folder(t, "labels.ndjson", "{\"_id\":\"a\"}\n{\"_id\":\"b\",\"name\":\"b\"}\n{\n{\"_id\":\"c\",\"name\":\"c\",\"color\":\"red\"}\n")
	before := s.must(t, "changes", "list")
	code, out, err := s.run(t, "import", folder, "--dry-run", "--repair", "color")
	want := "labels.ndjson: 2 created, 0 updated, 0 deleted, 0 unchanged, 2 rejected, 1 repaired\n"
	if code != exitPartial || !strings.HasPrefix(out, want) || !strings.Contains(out, "\n  1 rejected: name: ") || !strings.Contains(err, "labels.ndjson:3: ") || !strings.Contains(err, "labels.ndjson:4: color: ") {
		t.Errorf("a dry run ends with %d,\n%s\n%s", code, out, err)
	}
	if s.must(t, "changes", "list") != before {
		t.Error("a dry run changed something")
	}
	rejects := filepath.Join(t.TempDir(), "rejects")
	code, out, err = s.run(t, "import", folder, "--rejects", rejects, "--repair", "color")
	if code != exitPartial || !strings.HasPrefix(out, want) || strings.Contains(err, "labels.ndjson:3: ") {
		t.Errorf("an import with rejects ends with %d,\n%s\n%s", code, out, err)
	}
	if text, err := os.ReadFile(filepath.Join(rejects, "labels.ndjson")); err != nil || string(text) != "{\"_id\":\"a\"}\n{\n" {
		t.Errorf("the rejects are %q: %v", text, err)
	}
	if code, _, err := s.run(t, "import", folder, "--rejects", rejects); code != exitFailure || !strings.Contains(err, "not empty") {
		t.Errorf("the rejects of two imports in one folder: %d, %s", code, err)
	}
	if out := s.must(t, "import", s.folder(t, "labels.ndjson", "{\"_id\":\"c\",\"color\":\"red\",\"name\":\"d\"}\n"), "--repair", "color"); !strings.HasPrefix(out, "labels.ndjson: 0 created, 1 updated, 0 deleted, 0 unchanged, 1 repaired") {
		t.Errorf("repaired lines alone end with\n%s", out)
	}
}

func TestAStrangeFileIsProposedForAndLoadedByItsKey(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", s.folder(t, "labels.ndjson", "{\"_id\":\"a\",\"name\":\"a\"}\n"))
	folder := s.folder(t, "klanten.csv", "Klantenlijst\nKlantnr;Naam;Ondernemingsnr;Nota\n1;Een;0200.065.765;x\n2;Twee;0403.170.701;\n")
	file := filepath.Join(folder, "klanten.csv")
	mapping := filepath.Join(folder, "klanten.mapping.json")
	out := s.must(t, "import", file, "--propose")
	if !strings.Contains(out, "--mapping \""+mapping+"\" --key customerCode --dry-run") {
		t.Errorf("it says\n%s", out)
	}
	if code, _, err := s.run(t, "import", file, "--propose"); code != exitFailure || !strings.Contains(err, "cannot write the mapping") {
		t.Errorf("a second proposal: %d, %s", code, err)
	}
	load := []string{"import", file, "--mapping", mapping, "--key", "customerCode"}
	german := filepath.Join(s.folder(t, "kunden.csv", "Kundennr;Name;Rechtsform\n1;Eins;GmbH\n"), "kunden.csv")
	if _, out, told := s.run(t, "import", german, "--propose", "--language", "de"); strings.Contains(told, "Rechtsform") || !strings.Contains(out, "--language de --dry-run") {
		t.Errorf("in German it says\n%s%s", out, told)
	}
	coded := filepath.Join(s.folder(t, "klanten.csv", "Naam;Ondernemingsnr\nEen;0200.065.765\n"), "klanten.csv")
	if out := s.must(t, "import", coded, "--propose"); !strings.Contains(out, "--key kboNumber --dry-run") {
		t.Errorf("without codes it says\n%s", out)
	}
	before := s.must(t, "changes", "list")
	created := "klanten.csv: 2 created, 0 updated, 0 deleted, 0 unchanged\n  without 1 row above the header\n"
	if out := s.must(t, append(load, "--dry-run")...); out != created || s.must(t, "changes", "list") != before {
		t.Errorf("a dry run says\n%s", out)
	}
	if out := s.must(t, load...); out != created {
		t.Errorf("the first import says\n%s", out)
	}
	if err := os.WriteFile(file, []byte("Klantnr;Naam\n2;Zwei\n3;Drie\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	with := s.folder(t, "m.json", `{"customers":{"Klantnr":"customerCode","Naam":"name","type":{"*":"Company"}}}`)
	load[3] = filepath.Join(with, "m.json")
	if out := s.must(t, load...); out != "klanten.csv: 1 created, 1 updated, 0 deleted, 0 unchanged\n" {
		t.Errorf("the second import says\n%s", out)
	}
	code, _, err := s.run(t, append(load[:4:4], "--key", "registrationNumber")...)
	if code != exitFailure || !strings.Contains(err, "registration numbers are no keys") {
		t.Errorf("a number as key: %d, %s", code, err)
	}
}

func TestAnImportDeletesIntoTheTrashAndAsManyAsAllowed(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	folder := s.folder(t, "customers.ndjson", "{\"_id\":\"acme\",\"_deleted\":true}\n{\"_id\":\"cafe\",\"_deleted\":true}\n")
	for _, dry := range [][]string{{"--dry-run"}, nil} {
		code, _, err := s.run(t, append([]string{"import", folder}, dry...)...)
		if code != exitFailure || !strings.Contains(err, "it deletes 2 of 7 records, and at most 1 are deleted at a time; pass --allow-deletions 2") {
			t.Errorf("%q ends with %d: %s", dry, code, err)
		}
	}
	if out := s.must(t, "import", folder, "--allow-deletions", "2", "--trash", "30d"); out != "customers.ndjson: 0 created, 0 updated, 2 deleted, 0 unchanged\n" {
		t.Errorf("it says\n%s", out)
	}
	if out := s.must(t, "trash", "list"); strings.Count(out, "customer") < 2 {
		t.Errorf("in the trash is\n%s", out)
	}
}

func TestAnImportIsTakenBackByItsNumber(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	folder := s.folder(t, "customers.ndjson", "{\"_id\":\"acme\",\"name\":\"Wrong\"}\n{\"_id\":\"cafe\",\"name\":\"Wrong\"}\n{\"_id\":\"new\",\"type\":\"Company\"}\n")
	_, _, told := s.run(t, "import", folder, "--trash", "30d")
	var number int
	if _, err := fmt.Sscanf(told, "import %d: undo it with backoffice import --undo", &number); err != nil {
		t.Fatalf("it says %q", told)
	}
	said, _, _ := strings.Cut(told, " until ")
	undo := strings.Fields(strings.SplitAfter(said, "backoffice ")[1])
	if !slices.Contains(undo, "--trash") { // else what it created is erased
		t.Fatalf("it says %q", told)
	}
	if log := s.must(t, "changes", "list", "--administration"); !strings.Contains(log, fmt.Sprint(number)) {
		t.Errorf("the change log lacks %d:\n%s", number, log)
	}
	s.must(t, "import", s.folder(t, "customers.ndjson", "{\"_id\":\"cafe\",\"name\":\"Right\"}\n"))
	before := s.must(t, "changes", "list")
	for _, dry := range [][]string{{"--dry-run"}, nil} {
		code, out, err := s.run(t, append(undo, dry...)...)
		if code != exitPartial || !strings.HasPrefix(out, "customers.ndjson: 0 created, 1 updated, 1 deleted, 0 unchanged, 1 rejected\n") ||
			!strings.Contains(err, "customers.ndjson: cafe not undone: it was changed since\n") || !strings.Contains(err, "records that were not undone: 1") {
			t.Errorf("%q ends with %d,\n%s\n%s", dry, code, out, err)
		}
		if changed := s.must(t, "changes", "list") != before; changed != (dry == nil) {
			t.Errorf("%q changes something: %t", dry, changed)
		}
	}
	if out := s.must(t, "trash", "list"); !strings.Contains(out, "new") {
		t.Errorf("in the trash is\n%s", out)
	}
	for _, wrong := range [][]string{{"import"}, {"import", folder, "--undo", "1"}, {"import", "--undo", "-1"}} {
		if code, _, _ := s.run(t, wrong...); code == exitDone {
			t.Errorf("%q works", wrong)
		}
	}
	if code, _, err := s.run(t, "import", "--undo", "1"); code != exitFailure || !strings.Contains(err, "nothing is kept of an import 1") {
		t.Errorf("a number of nothing: %d, %s", code, err)
	}
}
