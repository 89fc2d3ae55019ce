package storetest

import (
	"testing"

	"example.org/backoffice/backoffice"
)

// CustomersOfVersion7 are statements that write customers to a store of schema version 7: one that a small write changed, and
// one that a large write did, which began at its visible_at and ended an hour later.
var CustomersOfVersion7 = []string{
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text, visible_at)
		VALUES ('small', 'COMPANY', 'x', 1, 1700000000000, 4, 'x', 'x', 1700000000500)`,
	`INSERT INTO customers (id, type, display_name, created_at, updated_at, version, name_folded, search_text, visible_at)
		VALUES ('large', 'COMPANY', 'x', 1, 1600000000000, 2, 'x', 'x', 1700000001000)`,
	`INSERT INTO late_writes (written_at, visible_at) VALUES (1700000001000, 1700003601000)`,
}

// CheckCustomersOfVersion7 checks that they are what they were to everybody, when the store was brought up to date.
func CheckCustomersOfVersion7(t *testing.T, store backoffice.Store) {
	t.Helper()
	for seen, customers := range map[string]backoffice.Reader[*backoffice.Customer, backoffice.CustomerCriteria]{
		"with": store.Customers(), "without": store.CustomersWithoutNumbers(),
	} {
		small, large := readOne(t, customers, "small"), readOne(t, customers, "large")
		if small.Version != 4 || small.UpdatedAt != 1_700_000_000_000 || large.Version != 2 || large.UpdatedAt != 1_600_000_000_000 {
			t.Errorf("%s the numbers: %+v %+v", seen, small, large)
		}
		for since, want := range map[backoffice.Instant]int{1_700_000_000_500: 2, 1_700_000_000_501: 1, 1_700_003_601_000: 1, 1_700_003_601_001: 0} {
			counts, err := backoffice.ReadCounts(t.Context(), customers, backoffice.Root, backoffice.CustomerCriteria{UpdatedSince: since}, []string{backoffice.NoParent})
			if err != nil || counts[backoffice.NoParent] != want {
				t.Errorf("%s the numbers: %d changed since %d, want %d (%v)", seen, counts[backoffice.NoParent], since, want, err)
			}
		}
	}
}
