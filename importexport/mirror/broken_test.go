package mirror

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

// brokenCopies are faults put into a copy of the package, each with the test that has to find it.
var brokenCopies = map[string]brokentest.Copy{
	"deletes what one walk has missed, without asking": {Edits: []brokentest.Edit{asksNothing, {"missing.go", "if first < p.began {", "if BROKEN || first < p.began {"}, shortIsWhole, shortIsRead, emptyIsRead}, Found: "TestNothingIsDeletedByListsThatAreCutShort"},
	"trusts a short list":                              {Edits: []brokentest.Edit{asksNothing, shortIsWhole, shortIsRead, emptyIsRead}, Found: "TestNothingIsDeletedByListsThatAreCutShort"},
	"deletes whatever hangs on a record":               {Edits: []brokentest.Edit{{"dependents.go", "range dependents[n.of] {", "range dependents[n.of] {\nif BROKEN { continue }\n"}}, Found: "TestWhatMovedToAnotherCustomerThere"},
	"does not read again what was written meanwhile":   {Edits: []brokentest.Edit{{"superseded.go", "known := map[string]string{}", "if BROKEN { return nil }\nknown := map[string]string{}"}}, Found: "TestAWriteDuringAPullStays"},
	"takes its place in the feed at the end":           {Edits: []brokentest.Edit{unproven, {"feed.go", "	unloaded := 0\n", "	unloaded := 0\nif BROKEN { if err := p.beginFeed(ctx); err != nil { return err } }\n"}, {"feed.go", "done.after < p.place.After:", "!BROKEN && done.after < p.place.After:"}}, Found: "TestWhatChangesWhileEverythingIsRead"},
	"takes anything for a file":                        {Edits: []brokentest.Edit{{"file.go", `if f.tells.text("md5Hash") != "" {`, `if BROKEN || f.tells.text("md5Hash") != "" {`}}, Found: "TestAMirrorOfTheSpecificationAlone"},
	"forgets what a sweep has deleted":                 {Edits: []brokentest.Edit{{"missing.go", "		before = done.sweep.Deleted", "		before = done.sweep.Deleted\nif BROKEN { before = 0 }"}}, Found: "TestTheBoundOnDeletions"},
	"forgets what a round has deleted":                 {Edits: []brokentest.Edit{{"missing.go", "before := done.Loaded.Deleted", "before := done.Loaded.Deleted\nif BROKEN { before = 0 }"}}, Found: "TestOnePullDeletesNoMore"},
	"forgets what a cut pull had changed":              {Edits: []brokentest.Edit{{"sweep.go", "p.changedCustomers(ctx, at.Logged)", "p.changedCustomers(ctx, at.Logged)\nif BROKEN { changed, at.Again = nil, nil }\n"}}, Found: "TestWhatACutPullHasChanged"},
	"follows a feed that proves nothing":               {Edits: []brokentest.Edit{unproven}, Found: "TestAWalkThatHasMissedARecord"},
}

var (
	asksNothing  = brokentest.Edit{"missing.go", "		if is {\n			lines, gone", "		if BROKEN || is {\n			lines, gone"}
	shortIsWhole = brokentest.Edit{"walk.go", "	case *got.Total != w.Total:", "	case BROKEN:\n		w.Total = *got.Total\n	case *got.Total != w.Total:"}
	shortIsRead  = brokentest.Edit{"walk.go", `if w.Why == "" && len(w.seen) != w.Total`, `if !BROKEN && w.Why == "" && len(w.seen) != w.Total`}
	emptyIsRead  = brokentest.Edit{"walk.go", "if w.Total > 0 || p.AllowDeletions > 0", "if BROKEN || w.Total > 0 || p.AllowDeletions > 0"}
	unproven     = brokentest.Edit{"feed.go", "	differ := map[*noun]string{}", "	if BROKEN { return p.notePlace(ctx) }\n	differ := map[*noun]string{}"}
)

func TestABrokenCopyIsFoundByItsTest(t *testing.T) {
	t.Parallel()
	brokentest.Find(t, brokenCopies, "-pull-worst", "60")
}
