package cli

import (
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestHelpIsACommandToo(t *testing.T) {
	t.Parallel()
	asked := func(args ...string) string {
		t.Helper()
		var out, said strings.Builder
		if code := run(t.Context(), args, &out, &said); code != exitDone || said.Len() > 0 {
			t.Fatalf("%q ends with %d: %s", args, code, said.String())
		}
		return out.String()
	}
	for _, of := range [][]string{nil, {"credentials"}, {"credentials", "create"}} {
		if got, want := asked(append([]string{"help"}, of...)...), asked(append(of, "--help")...); got != want {
			t.Errorf("help %q: %s", of, got)
		}
	}
	for alias, command := range map[string][]string{"creds list": {"credentials", "list"}, "keys list": {"keys", "status"}} {
		if got, want := asked(append(strings.Fields(alias), "--help")...), asked(append(command, "--help")...); got != want {
			t.Errorf("%s: %s", alias, got)
		}
	}
	var out, said strings.Builder
	if code := run(t.Context(), []string{"help", "nothing"}, &out, &said); code != exitUsage || !strings.Contains(said.String(), "unexpected argument nothing") {
		t.Errorf("%d %s %s", code, out.String(), said.String())
	}
}

func TestOneOfAThingIsNotSeveral(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := backoffice.Plural(n, "entry", "entries"); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	if out := s.must(t, "consultations", "verify"); !strings.Contains(out, ": 0 entries in 0 chains.") {
		t.Error(out)
	}
	s.must(t, "import", s.folder(t, "labels.ndjson", `{"_id":"one","name":"One"}`))
	if out := s.must(t, "export", t.TempDir()+"/export"); !strings.Contains(out, "labels.ndjson: 4 records, 0 files") || !strings.Contains(out, "1 file\n") {
		t.Error(out)
	}
}
