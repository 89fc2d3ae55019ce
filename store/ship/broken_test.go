package ship

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByHistory = "TestARestoreToAnyChange"
	foundByCanary  = "TestNothingLeavesUnsealed"
	foundByAge     = "TestWhatOnlyOlderStatesNeed"
	foundByDoubt   = "TestNothingIsDeletedInDoubt"
	foundByReaders = "TestAStandByHasOneWholeState"
)

var brokenShippers = map[string]brokentest.Copy{
	"writes the log back before it is shipped": {Found: foundByHistory, Edits: []brokentest.Edit{
		{"../sqlite/follow.go", "	f.pinned = f.at\n", "	f.pinned = f.at\n	if BROKEN {\n		_, err := f.pin.ExecContext(ctx, \"ROLLBACK\")\n		return err\n	}\n"}}},
	"mixes generations": {Found: foundByHistory, Edits: []brokentest.Edit{
		{"name.go", "found[o.generation] = append(found[o.generation], o)", "of := o.generation\nif BROKEN {\nof = \"\"\n}\nfound[of] = append(found[of], o)"}}},
	"ships without sealing": {Found: foundByCanary, Edits: []brokentest.Edit{
		{"seal.go", "	if err := write(sealing); err != nil {", "	if BROKEN {\n		sealing.Close()\n		return errors.Join(write(out), out.Flush())\n	}\n	if err := write(sealing); err != nil {"}}},
	"ships no files": {Found: foundByCanary, Edits: []brokentest.Edit{
		{"shipper.go", "return g.shipChanged(ctx, before) }", "if BROKEN {\nreturn nil\n}\nreturn g.shipChanged(ctx, before) }"}}},
	"does not wait": {Found: "TestWhatWasAcknowledgedIsAway", Edits: []brokentest.Edit{
		{"wait.go", "		if s.whole.Load() >", "		if BROKEN || s.whole.Load() >"}}},
	"passes over bundles": {Found: "TestAStandByThatWasAway", Edits: []brokentest.Edit{
		{"standby.go", "s.Lag() < bundleAfter/2", "(BROKEN || s.Lag() < bundleAfter/2)"}}},
	"shows readers half a transaction": {Found: foundByReaders, Edits: []brokentest.Edit{
		{"standby.go", "		a.to = to\n", "		a.to = to\n		if BROKEN {\n			a.to, _ = os.OpenFile(s.Path, os.O_RDWR, 0)\n		}\n"}}},
	"stops a transaction too late": {Found: foundByHistory, Edits: []brokentest.Edit{
		{"restore.go", "			return a.done - 1, err\n", "			if BROKEN {\n				return a.done, err\n			}\n			return a.done - 1, err\n"}}},
	"applies what was committed later": {Found: "TestARestoreToATimeLacks", Edits: []brokentest.Edit{
		{"restore.go", "	if !a.target.At.IsZero() &&", "	if !BROKEN && !a.target.At.IsZero() &&"}}},
	"deletes the generation that the horizon needs": {Found: foundByAge, Edits: []brokentest.Edit{
		{"drop.go", "o.first == 1 && !latest.After(horizon)", "o.first == 1 && (BROKEN || !latest.After(horizon))"}}},
	"deletes the snapshot last": {Found: foundByAge, Edits: []brokentest.Edit{
		{"drop.go", "	for i, o := range old {\n", "	if BROKEN {\n		slices.Reverse(old)\n	}\n	for i, o := range old {\n"}}},
	"deletes a file that a state names": {Found: foundByAge, Edits: []brokentest.Edit{
		{"drop.go", "since < oldest", "BROKEN || since < oldest"}}},
	"deletes what nobody has verified": {Found: foundByDoubt, Edits: []brokentest.Edit{
		{"drop.go", "if !stays ||", "if !BROKEN && !stays || !BROKEN &&"}}},
	"deletes what another owns": {Found: foundByDoubt, Edits: []brokentest.Edit{
		{"drop.go", "if i == 0 ||", "if i == 0 && !BROKEN || i > 0 &&"}}},
	"bundles over a hole": {Found: "TestABundleHidesNoHole", Edits: []brokentest.Edit{
		{"bundle.go", "packed > 0 && o.first != bundle.after", "!BROKEN && packed > 0 && o.first != bundle.after"}}},
	"replaces objects by half a bundle": {Found: "TestABundleThatIsNotWhole", Edits: []brokentest.Edit{
		{"bundle.go", "	if err != nil { // the objects themselves", "	if err != nil && !BROKEN { // the objects themselves"}}},
	"believes any clock": {Found: foundByDoubt, Edits: []brokentest.Edit{
		{"drop.go", "now.Sub(jump) >= day", "BROKEN || now.Sub(jump) >= day"}}},
}

func TestACopyWithAFaultIsFoundByTheTestsOfShipping(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenShippers)
}
