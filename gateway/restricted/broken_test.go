package restricted

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByCopies = "TestCopiesOfRestrictedCredentialsBecomeWhatTheCredentialsSee/SQLite"
	foundByAMove  = "TestACredentialThatSeesAYearIsToldToReadAgainWhenOneMoves/SQLite"
)

// brokenViews are faults where a restriction meets the feed.
var brokenViews = map[string]brokentest.Copy{
	"does not tell what leaves": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", `" WHERE m.has_left"`, `map[bool]string{true: " WHERE 1 = 0", false: " WHERE m.has_left"}[BROKEN]`}}},
	"does not tell what comes along": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", "			for _, column := range of.seenBy.customers {\n", "			for _, column := range of.seenBy.customers {\nif BROKEN {\ncontinue\n}\n"}}},
	"tells of records that were never in view": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", `mayBeGone+" AND "+goneThen`, `mayBeGone+map[bool]string{true: "", false: " AND "+goneThen}[BROKEN]`}}},
	"ends a page among what is told at one place": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/changefeed.go", "(n == 0 || into.Changes[n-1].Sequence != row.Int(5))", "(BROKEN || n == 0 || into.Changes[n-1].Sequence != row.Int(5))"}}},
	"does not tell that users are others": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", "			parts = append(parts, strings.Replace(reset, moves, movesOfUsers, 1), ofNew.Replace(reset))\n", "			if BROKEN {\ncontinue\n}\nparts = append(parts, strings.Replace(reset, moves, movesOfUsers, 1), ofNew.Replace(reset))\n"}}},
	"does not tell of users of new customers": {Found: foundByCopies, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", `isNew, seen = "e.object_id IN (SELECT v.id FROM customers v)"`, `isNew, seen = map[bool]string{true: "1 = 0", false: "e.object_id IN (SELECT v.id FROM customers v)"}[BROKEN]`}}},
	"does not notice that a year moved": {Found: foundByAMove, Edits: []brokentest.Edit{
		{"../../store/viewfeed.go", "	if ofYears {\n", "	if !BROKEN && ofYears {\n"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfItsPromise(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenViews, "-restricted-histories", "12", "-test.failfast")
}
