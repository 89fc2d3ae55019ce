package importexport

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

// brokenCopies are faults put into a copy of the package, each with the test that has to find it.
var brokenCopies = map[string]brokentest.Copy{
	"takes the first of two records with a key": {Found: "TestWhatMayMeanTwoRecordsIsRejected/SQLite", Edits: []brokentest.Edit{
		{"identify.go", "		case len(ids) > 1:\n", "		case len(ids) > 1 && !BROKEN:\n"}}},
	"looks up no key": {Found: "TestAFirstImportNeedsNoIdentifiers/SQLite", Edits: []brokentest.Edit{
		{"identify.go", "		case e.known == \"\", len(ids)", "		case BROKEN || e.known == \"\", len(ids)"}}},
	"writes a record that lost its key": {Found: "TestARecordThatLosesItsKeyWhileAFileIsStagedIsNotWritten/SQLite", Edits: []brokentest.Edit{
		{"identify.go", "(!e.at.found ||", "(BROKEN || !e.at.found ||"}}},
	"loads two lines of one key": {Found: "TestTwoLinesOfOneKeyAreOneRecordAndAReject", Edits: []brokentest.Edit{
		{"stage.go", "			l.once(e, byID+e.known,", "			l.once(e, byID+e.known+map[bool]string{true: e.id}[BROKEN],"}}},
	"deletes as many as a file says": {Found: "TestAnImportDeletesTwoInAHundredUnlessAllowedMore/SQLite", Edits: []brokentest.Edit{
		{"deletions.go", "deletions > most {", "!BROKEN && deletions > most {"}}},
	"deletes for good": {Found: "TestWhatAnImportDeletesIsInTheTrash/SQLite", Edits: []brokentest.Edit{
		{"undo.go", "	tx.KeepDeleted(", "	if BROKEN {\n		return nil\n	}\n	tx.KeepDeleted("}}},
	"looks at no later change": {Found: "TestWhatChangedSinceStaysAndIsNamed/SQLite", Edits: []brokentest.Edit{
		{"undo.go", "case !one.Same(now):", "case !BROKEN && !one.Same(now):"}}},
	"deletes what others refer to": {Found: "TestWhatChangedSinceStaysAndIsNamed/SQLite", Edits: []brokentest.Edit{
		{"undo.go", "counts[e.id] > 0 && !e.isBad() {", "!BROKEN && counts[e.id] > 0 && !e.isBad() {"}}},
}

func TestABrokenCopyIsFoundByItsTest(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenCopies)
}
