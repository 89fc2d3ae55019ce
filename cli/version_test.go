package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"testing"
)

func TestTheVersionIsPrintedAsAFactALineOrAsAnObjectAndMakesNoStore(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	steps, err := fs.Glob(os.DirFS("../store/migrations/sqlite"), "*.sql")
	if err != nil || len(steps) == 0 {
		t.Fatal(steps, err)
	}
	want := fmt.Sprintf("version %s\ncommit %s\nschema %d\n", built().Version, built().Commit, len(steps))
	if printed := s.must(t, "version"); printed != want {
		t.Errorf("%q, not %q", printed, want)
	}
	var said struct {
		Version, Commit string
		Schema          int
	}
	if err := json.Unmarshal([]byte(s.must(t, "version", "--json")), &said); err != nil ||
		said.Version != built().Version || said.Commit != built().Commit || said.Schema != len(steps) {
		t.Errorf("%+v %v", said, err)
	}
	if made, err := os.ReadDir(s.dir); err != nil || len(made) > 0 {
		t.Errorf("it made %v %v", made, err)
	}
}

func TestTheLogNamesTheCommitOnce(t *testing.T) {
	t.Parallel()
	const commit = "1d7b819aa2bd43be9dd1a05f6f47ad19e8cc7a07"
	for version, want := range map[string]string{
		"v1.2.3":                               "v1.2.3 " + commit,
		"v0.0.0-20261122201500-1d7b819aa2bd":   "v0.0.0-20261122201500-1d7b819aa2bd",
		"v1.2.4-0.20261122201500-1d7b819aa2bd": "v1.2.4-0.20261122201500-1d7b819aa2bd",
	} {
		info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: commit}}}
		info.Main.Version = version
		if b := buildOf(info); b.String() != want || b.Commit != commit {
			t.Errorf("%s: %q of %+v", version, b.String(), b)
		}
	}
	if b := buildOf(&debug.BuildInfo{}); b.Commit != "unknown" || b.String() != "" {
		t.Errorf("without a repository: %+v", b)
	}
}
