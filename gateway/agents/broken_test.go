package agents

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByNumbers = "TestNumbersAreDisclosedOnlyWhereBothAllowItAndEachIsEntered"
	foundByRights  = "TestEachKindOfCallerIsShownWhatItMayRunAndIsAnsweredAsByGraphQL/SQLite_without_a_cache"
	foundByWalk    = "TestAListIsReadToItsEndAsTheAnswersSay/SQLite"
)

// broken are faults of the endpoint for agents.
var broken = map[string]brokentest.Copy{
	"discloses numbers by every tool": {Found: foundByNumbers, Edits: []brokentest.Edit{
		{"../agents.go", "if !numbers && by.Has(backoffice.PrivacyRead) {", "if !BROKEN && !numbers && by.Has(backoffice.PrivacyRead) {"}}},
	"enters disclosures for no purpose": {Found: foundByNumbers, Edits: []brokentest.Edit{
		{"../agents.go", "	return s.backend.Vault.WithLedger(ctx, by, new(backoffice.ToolPurpose+tool))", "	if BROKEN {\n		return s.backend.Vault.WithLedger(ctx, by, nil)\n	}\n	return s.backend.Vault.WithLedger(ctx, by, new(backoffice.ToolPurpose+tool))"}}},
	"shows tools to those who lack a scope": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../../backoffice/tool.go", "	return !slices.ContainsFunc(d.Scopes,", "	return BROKEN || !slices.ContainsFunc(d.Scopes,"}}},
	"runs what is not shown": {Found: foundByRights, Edits: []brokentest.Edit{
		{"../../graphql/agents/tools.go", "if !found || !documents[at].MayRun(by) || !h.mayCall(documents[at], by) {", "if !found || !BROKEN && (!documents[at].MayRun(by) || !h.mayCall(documents[at], by)) {"}}},
	"gives the cursor of a row that is not shown": {Found: foundByWalk, Edits: []brokentest.Edit{
		{"../../graphql/agents/call.go", "again != nil { // so that", "again != nil && !BROKEN { // so that"}}},
	"cuts nothing": {Found: "TestRandomDocumentsAreAnsweredWithinTheBound", Edits: []brokentest.Edit{
		{"../../graphql/agents/call.go", "r.config.Answer - notesRoom; len(data) > most {", "r.config.Answer - notesRoom; !BROKEN && len(data) > most {"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfItsPromise(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, broken, "-test.failfast")
}
