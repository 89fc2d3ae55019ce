package mirror

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// brokenCopies are faults put into a copy of the package, each with the test that has to find it.
var brokenCopies = map[string]struct {
	edits []edit
	found string
}{
	"deletes what one walk has missed, without asking": {[]edit{asksNothing, {"missing.go", "if first < p.began {", "if BROKEN || first < p.began {"}, shortIsWhole, shortIsRead, emptyIsRead}, "TestNothingIsDeletedByListsThatAreCutShort"},
	"trusts a short list":                              {[]edit{asksNothing, shortIsWhole, shortIsRead, emptyIsRead}, "TestNothingIsDeletedByListsThatAreCutShort"},
	"deletes whatever hangs on a record":               {[]edit{{"dependents.go", "range dependents[n.of] {", "range dependents[n.of] {\nif BROKEN { continue }\n"}}, "TestWhatMovedToAnotherCustomerThere"},
	"does not read again what was written meanwhile":   {[]edit{{"superseded.go", "known := map[string]string{}", "if BROKEN { return nil }\nknown := map[string]string{}"}}, "TestAWriteDuringAPullStays"},
	"takes its place in the feed at the end":           {[]edit{unproven, {"feed.go", "	unloaded := 0\n", "	unloaded := 0\nif BROKEN { if err := p.beginFeed(ctx); err != nil { return err } }\n"}, {"feed.go", "done.after < p.place.After:", "!BROKEN && done.after < p.place.After:"}}, "TestWhatChangesWhileEverythingIsRead"},
	"takes anything for a file":                        {[]edit{{"file.go", `if f.tells.text("md5Hash") != "" {`, `if BROKEN || f.tells.text("md5Hash") != "" {`}}, "TestAMirrorOfTheSpecificationAlone"},
	"forgets what a sweep has deleted":                 {[]edit{{"missing.go", "	if done.sweep != nil {\n		missing,", "	if !BROKEN && done.sweep != nil {\n		missing,"}}, "TestTheBoundOnDeletions"},
	"forgets what a cut pull had changed":              {[]edit{{"sweep.go", "p.changedCustomers(ctx, at.Logged)", "p.changedCustomers(ctx, at.Logged)\nif BROKEN { changed, at.Again = nil, nil }\n"}}, "TestWhatACutPullHasChanged"},
	"follows a feed that proves nothing":               {[]edit{unproven}, "TestAWalkThatHasMissedARecord"},
}

// edit replaces a text of a file; BROKEN is true in the copy that has it.
type edit struct{ file, old, new string }

var (
	asksNothing  = edit{"missing.go", "		if is {\n			lines, gone", "		if BROKEN || is {\n			lines, gone"}
	shortIsWhole = edit{"walk.go", "	case *got.Total != w.Total:", "	case BROKEN:\n		w.Total = *got.Total\n	case *got.Total != w.Total:"}
	shortIsRead  = edit{"walk.go", `if w.Why == "" && len(w.seen) != w.Total`, `if !BROKEN && w.Why == "" && len(w.seen) != w.Total`}
	emptyIsRead  = edit{"walk.go", "if w.Total > 0 || p.AllowDeletions > 0", "if BROKEN || w.Total > 0 || p.AllowDeletions > 0"}
	unproven     = edit{"feed.go", "	differ := map[*noun]string{}", "	if BROKEN { return p.notePlace(ctx) }\n	differ := map[*noun]string{}"}
)

// TestABrokenCopyIsFoundByItsTest builds one copy with all faults, of which the environment chooses one.
func TestABrokenCopyIsFoundByItsTest(t *testing.T) {
	t.Parallel()
	if os.Getenv("BACKOFFICE_BROKEN") != "" {
		t.Skip("this is a broken copy")
	}
	here, err := os.Getwd()
	must(t, err)
	sources, asks := map[string]string{}, map[edit]string{}
	for name, broken := range brokenCopies {
		for _, e := range broken.edits {
			asks[e] += `|| environment.Getenv("BACKOFFICE_BROKEN") == "` + name + `"`
		}
	}
	for e, ask := range asks {
		if sources[e.file] == "" {
			text, err := os.ReadFile(e.file)
			must(t, err)
			sources[e.file] = strings.Replace(string(text), "import (", "import (\nenvironment \"os\"\n", 1)
		}
		if strings.Count(sources[e.file], e.old) != 1 {
			t.Fatalf("%s does not have %q once", e.file, e.old)
		}
		sources[e.file] = strings.Replace(sources[e.file], e.old, strings.ReplaceAll(e.new, "BROKEN", "(false "+ask+")"), 1)
	}
	folder, replaced := t.TempDir(), map[string]string{}
	for file, text := range sources {
		replaced[filepath.Join(here, file)] = filepath.Join(folder, file)
		must(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "overlay"), overlay, 0o600))
	binary := filepath.Join(folder, "mirror.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "-overlay", filepath.Join(folder, "overlay"), ".").CombinedOutput(); err != nil {
		t.Fatalf("the copy does not build: %s", out)
	}
	for name, broken := range brokenCopies {
		command := exec.CommandContext(t.Context(), binary, "-test.run", "^"+broken.found, "-pull-worst", "60")
		command.Env = append(os.Environ(), "BACKOFFICE_BROKEN="+name)
		if out, err := command.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: "+broken.found) {
			t.Errorf("a copy that %s is not found: %v\n%s", name, err, out)
		}
	}
}
