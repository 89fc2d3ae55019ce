package importexport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsImportedAtABoundIsExportedAndImportedAgain(t *testing.T) {
	t.Parallel()
	for engine, fresh := range map[string]func(testing.TB) *env{"SQLite": newEnv, "PostgreSQL": newPostgresEnv} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			first, second := fresh(t), fresh(t)
			first.mustLoad(t, only(t, "customers.ndjson", `{"_id":"v","type":"Company","name":"V","version":2000000000}`,
				`{"_id":"old","type":"Company","name":"O","createdAt":"0001-01-01T00:00:00.000Z","updatedAt":"0001-01-01T01:00:00.000+01:00"}`,
				`{"_id":"new","type":"Company","name":"N","createdAt":"9999-12-31T23:59:59.999Z","updatedAt":"9999-12-31T23:59:59.999999Z"}`))
			first.mustLoad(t, only(t, "customers.ndjson", `{"_id":"v","type":"Company","name":"W"}`))
			exported := first.dump(t, true)
			if text := textOf(t, exported)["customers.ndjson"]; !strings.Contains(text, `"version":1}`) {
				t.Errorf("after the largest version comes %s", text)
			}
			second.mustLoad(t, exported)
			if diff := cmp.Diff(textOf(t, exported), textOf(t, second.dump(t, true))); diff != "" {
				t.Errorf("the second export differs (-first +second):\n%s", diff)
			}
			for _, instant := range []string{"9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+14:00"} {
				if _, err := first.load(t.Context(), only(t, "customers.ndjson", `{"_id":"x","type":"Company","name":"X","createdAt":"`+instant+`"}`)); err == nil {
					t.Errorf("%s was imported", instant)
				}
			}
		})
	}
}
