package cache

import (
	"fmt"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
)

// What clients make up must not take more memory than is counted.
func TestALargeQuestionIsCountedAndOneThatIsTooLargeIsNotKept(t *testing.T) {
	t.Parallel()
	cities := func(n int) backoffice.Nested[backoffice.CustomerCriteria] {
		all := make([]backoffice.CustomerCriteria, n)
		for i := range all {
			all[i].City = fmt.Sprint("city ", i)
		}
		return backoffice.NestedOf(all...)
	}
	criteria := func(c backoffice.CustomerCriteria) int {
		return sizeOf(backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: c})
	}
	small, long := criteria(backoffice.CustomerCriteria{City: "gent"}), criteria(backoffice.CustomerCriteria{City: strings.Repeat("x", mostQuestion+1)})
	one, fifty := criteria(backoffice.CustomerCriteria{Any: cities(1)}), criteria(backoffice.CustomerCriteria{Any: cities(50)})
	if small != len("gent") || long <= mostQuestion {
		t.Errorf("texts take %d and %d", small, long)
	}
	if one < 100 || one > mostQuestion || fifty <= mostQuestion {
		t.Errorf("one alternative takes %d, fifty take %d", one, fifty)
	}
	within := sizeOf(askedWithin{backoffice.Restriction{}, backoffice.ListQuery[backoffice.CustomerCriteria]{Criteria: backoffice.CustomerCriteria{City: "gent"}}})
	if within < small || within > mostQuestion {
		t.Errorf("within a restriction it takes %d", within)
	}
}
