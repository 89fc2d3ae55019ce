package importexport

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnImportOfNumbersAloneMovesNothingThatCredentialsWithoutTheScopeSee(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"person","type":"Private Person","firstName":"An","lastName":"Maes"}`))
	seen := one(t, h.store.CustomersWithoutNumbers(), "person")
	all := one(t, h.store.Customers(), "person")
	for i, line := range []string{
		`{"_id":"person","registrationNumber":"85073003328"}`,
		`{"_id":"person","registrationNumber":null,"updatedAt":"2100-01-01T00:00:00Z"}`,
	} {
		h.mustLoad(t, only(t, "customers.ndjson", line))
		if diff := cmp.Diff(seen, one(t, h.store.CustomersWithoutNumbers(), "person")); diff != "" {
			t.Errorf("without the scope one sees (-before +after):\n%s", diff)
		}
		if got := one(t, h.store.Customers(), "person").Version; got != all.Version+i+1 {
			t.Errorf("with the scope one sees version %d", got)
		}
		if log := h.changes(t); !slices.Equal(log[len(log)-1].Fields, []string{"registrationNumber"}) {
			t.Errorf("the log names %q", log[len(log)-1].Fields)
		}
	}
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"person","lastName":"Peeters","registrationNumber":"85073003328"}`))
	if got := one(t, h.store.CustomersWithoutNumbers(), "person").Version; got != seen.Version+1 {
		t.Errorf("of a change of the name too, one without the scope sees version %d", got)
	}
}
