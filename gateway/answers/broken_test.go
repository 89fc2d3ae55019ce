package answers

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const foundByModel = "TestAKeptAnswerIsWhatExecutingAgainGives/SQLite"

// brokenAnswers are faults of kept answers.
var brokenAnswers = map[string]brokentest.Copy{
	"leaves lists out of the slots": {Found: foundByModel, Edits: []brokentest.Edit{
		{"../../store/cache/log.go", "		s.log.touched[k], s.log.clock[k.slot()] = e.Sequence, e.Sequence\n",
			"		s.log.touched[k] = e.Sequence\nif !BROKEN || k.kind != lists {\ns.log.clock[k.slot()] = e.Sequence\n}\n"}}},
	"does not name what the store was asked": {Found: foundByModel, Edits: []brokentest.Edit{
		{"../../store/cache/trace.go", "		if !read.eachDep(p, t.on) {", "		if !BROKEN && !read.eachDep(p, t.on) {"}}},
	"does not name what memory had": {Found: foundByModel, Edits: []brokentest.Edit{
		{"../../store/cache/snapshot.go", "	if p.trace != nil && e.kind != 0 {", "	if !BROKEN && p.trace != nil && e.kind != 0 {"}}},
	"forgets nouns": {Found: foundByModel, Edits: []brokentest.Edit{
		{"../../store/cache/trace.go", "	t.nouns |= depends\n", "	if !BROKEN {\n	t.nouns |= depends\n}\n"}}},
	"keys without the restriction": {Found: foundByModel, Edits: []brokentest.Edit{
		{"../../graphql/answers/key.go", "Restriction: backoffice.RestrictionOf(ctx),",
			"Restriction: map[bool]backoffice.Restriction{false: backoffice.RestrictionOf(ctx)}[BROKEN],"}}},
	"keys without scopes": {Found: "TestAnAnswerIsKeptFromTheSecondUseOn/SQLite", Edits: []brokentest.Edit{
		{"../../graphql/answers/key.go", "		if principal.Has(scope) {", "		if !BROKEN && principal.Has(scope) {"}}},
	"keeps an answer with a number": {Found: "TestARegistrationNumberIsNeverKept/SQLite", Edits: []brokentest.Edit{
		{"../../graphql/answers/fields.go", "		return OfRequest\n", "		if !BROKEN {\nreturn OfRequest\n}\n"}}},
	"takes 304 from before the poll": {Found: "TestAClientThatHasTheAnswerIsToldSo/SQLite", Edits: []brokentest.Edit{
		{"../../graphql/answers/answers.go", "!found.Proof.StillValid(ctx)", "!BROKEN && !found.Proof.StillValid(ctx)"}}},
	"reads the log's end behind the answer it waits with": {Found: "TestAWaitingClientMissesNoChange/SQLite", Edits: []brokentest.Edit{
		{"../waiting.go", "			if !answer.same {\n", "			if BROKEN && err == nil {\ntime.Sleep(5 * time.Millisecond)\ngrown, err = s.feed.Growth(own)\nif err != nil {\nreturn\n}\n}\nif !answer.same {\n"}}},
	"skips the poll": {Found: "TestNoRequestIsAnsweredWithoutAPollAfterItCameIn/SQLite", Edits: []brokentest.Edit{
		{"../../store/cache/trace.go", "t.store.wait(ctx) == nil", "(BROKEN || t.store.wait(ctx) == nil)"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfItsPromise(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenAnswers, "-kept-offices", "6", "-test.failfast")
}
