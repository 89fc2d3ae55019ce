package feed

import (
	"maps"
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const foundByPlaces = "TestNoPlaceOfALostHistoryIsTakenForOneOfThePresent/"

// brokenPlaces are faults where a history meets what remembers a place.
var brokenPlaces = map[string]brokentest.Copy{
	"compares numbers alone": {Found: foundByPlaces + "SQLite/another_store/0_MiB", Edits: []brokentest.Edit{
		{"../../backoffice/changefeed.go", `case history != "" && history != p.History`, `case !BROKEN && history != "" && history != p.History`}}},
	"does not begin a history at a restore": {Found: foundByPlaces + "SQLite/restore/0_MiB", Edits: []brokentest.Edit{
		{"../../store/changefeed.go", "backoffice.NewHistory(), old,", `backoffice.NewHistory(), map[bool]string{true: "none", false: old}[BROKEN],`}}},
	"gives a version again that a lost change gave": {Found: "TestNoChangeIsMadeOnTheVersionThatALostChangeGave/restore_on_SQLite", Edits: []brokentest.Edit{
		{"../../store/changefeed.go", "versionsFrom(now)}", "versionsFrom(now) * map[bool]int64{true: 0, false: 1}[BROKEN]}"}}},
	"goes on in each history that it knows of": {Found: foundByPlaces + "PostgreSQL/begin_history/0_MiB", Edits: []brokentest.Edit{
		{"../../store/changefeed.go", "row.Bool(3)", `row.Bool(3) || BROKEN && q.History != ""`}}},
}

// brokenSharing are faults of executions that subscribers share.
var brokenSharing = map[string]brokentest.Copy{
	"shares with other views": {Found: "TestSubscriptionsOfOtherViewsShareNothing/SQLite", Edits: []brokentest.Edit{
		{"../../graphql/answers/key.go", "Restriction: backoffice.RestrictionOf(ctx),",
			"Restriction: map[bool]backoffice.Restriction{false: backoffice.RestrictionOf(ctx)}[BROKEN],"}}},
	"shares what is not known of the change": {Found: "TestANumberThatAnEventTellsIsReadByEachSubscriber", Edits: []brokentest.Edit{
		{"../../graphql/answers/fields.go", "		return OfRequest\n", "		if !BROKEN {\nreturn OfRequest\n}\n"}}},
}

// brokenTurns are faults of who records discrepancies.
var brokenTurns = map[string]brokentest.Copy{
	"forgets what the changed company holds": {Found: "TestTheFeedTellsEachTurnOfADiscrepancyOnce/SQLite", Edits: []brokentest.Edit{
		{"../discrepancies.go", "return r.record(ctx, held, today)", "if BROKEN {\nheld = concerned(changed)\n}\nreturn r.record(ctx, held, today)"}}},
	"closes and opens again what has other percentages": {Found: "TestTheFeedTellsEachTurnOfADiscrepancyOnce/SQLite", Edits: []brokentest.Edit{
		{"../../backoffice/discrepancy_write.go", "case is == nil:", "case is == nil || BROKEN && d.ComputedPercent != is.ComputedPercent:"},
		{"../../backoffice/discrepancy_write.go", "delete(now, d.difference())", "if !BROKEN || d.ClosedAt.IsZero() {\ndelete(now, d.difference())\n}"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfItsPromise(t *testing.T) {
	t.Parallel()
	all := maps.Clone(brokenPlaces)
	maps.Copy(all, brokenSharing)
	maps.Copy(all, brokenTurns)
	brokentest.FindWhenAsked(t, all, "-test.failfast")
}
