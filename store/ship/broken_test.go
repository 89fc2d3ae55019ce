package ship

import (
	"testing"

	"example.org/backoffice/backoffice/brokentest"
)

const (
	foundByHistory = "TestARestoreToAnyChange"
	foundByCanary  = "TestNothingLeavesUnsealed"
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
	"stops a transaction too late": {Found: foundByHistory, Edits: []brokentest.Edit{
		{"restore.go", "			return a.done - 1, nil\n", "			if BROKEN {\n				return a.done, nil\n			}\n			return a.done - 1, nil\n"}}},
}

func TestACopyWithAFaultIsFoundByTheTestsOfShipping(t *testing.T) {
	t.Parallel()
	brokentest.FindWhenAsked(t, brokenShippers)
}
