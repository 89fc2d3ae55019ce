package cli

import (
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
