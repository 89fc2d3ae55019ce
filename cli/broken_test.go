//go:build unix

package cli

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByKills = "TestWhatAKilledCommandHeldInClear"
	foundByPulls = "TestAKilledImportOfAWorkbookAndAKilledPull"
)

// brokenKills are faults of what a command that is killed leaves.
var brokenKills = map[string]brokentest.Copy{
	"clears no temporary folders":     {Found: foundByKills, Edits: []brokentest.Edit{clearsNothing}},
	"clears nothing of a killed pull": {Found: foundByPulls, Edits: []brokentest.Edit{clearsNothing}},
	"leaves killed backups and exports": {Found: foundByKills, Edits: []brokentest.Edit{
		{"../files/newfolder.go", "	default:\n		clearLeft(", "	case BROKEN:\n		partial, remove, err = newLocked(above, pattern)\n	default:\n		clearLeft("}}},
	"makes dry runs in a folder that nobody clears": {Found: foundByKills, Edits: []brokentest.Edit{
		{"import.go", "	path := filepath.Join(folder, backupDatabase)\n", "	if BROKEN {\n		folder, err = environment.MkdirTemp(\"\", \"dry-run-\")\n	}\n	path := filepath.Join(folder, backupDatabase)\n"}}},
	"pulls into a folder that nobody clears": {Found: foundByPulls, Edits: []brokentest.Edit{
		{"../importexport/mirror/file.go", "	folder, err := os.OpenRoot(path)\n", "	if BROKEN {\n		path, err = environment.MkdirTemp(\"\", \"pull-\")\n	}\n	folder, err := os.OpenRoot(path)\n"}}},
	"keeps the name of a workbook's rows": {Found: foundByPulls, Edits: []brokentest.Edit{
		{"../importexport/encoding.go", "	if err == nil {\n		_ = os.Remove(file.Name())", "	if err == nil && !BROKEN {\n		_ = os.Remove(file.Name())"}}},
}

var clearsNothing = brokentest.Edit{"../files/temp.go", "	ClearTemp()\n	return", "	if !BROKEN {\n		ClearTemp()\n	}\n	return"}

func TestACopyWithAFaultIsFoundByTheTestsOfKills(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenKills)
}

const foundByPromotion = "TestAStandByAnswersAsTheServerRefusesWritesAndIsPromoted"

var brokenPromotions = map[string]brokentest.Copy{
	"promotes without the lease": {Found: foundByPromotion, Edits: []brokentest.Edit{
		{"../gateway/promote.go", "	if errors.Is(err, backoffice.ErrHeld) {", "	if BROKEN {\n		held, release, err = ctx, func() {}, nil\n	}\n	if errors.Is(err, backoffice.ErrHeld) {"}}},
	"fences the server before for seconds only": {Found: foundByPromotion, Edits: []brokentest.Edit{
		{"../gateway/promote.go", "	if err := b.from.Place.Promote(held, p.name); err != nil {", "	if err := b.from.Place.Promote(held, p.name); !BROKEN && err != nil {"},
		{"../store/ship/promote.go", "	err = p.From.Put(ctx, ownerName, ", "	if BROKEN {\n		return nil\n	}\n	err = p.From.Put(ctx, ownerName, "}}},
	"goes on with the history of the server before": {Found: foundByPromotion, Edits: []brokentest.Edit{
		{"../gateway/promote.go", "		err = store.RenewHistory(ctx, \"\", \"promote\", now)", "		if !BROKEN {\n			err = store.RenewHistory(ctx, \"\", \"promote\", now)\n		}"}}},
}

func TestACopyWithAFaultIsFoundByTheTestOfPromotion(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenPromotions)
}
