package cli

import (
	"os"
	"path/filepath"
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
