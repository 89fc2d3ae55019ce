package graphqlhttp

import (
	"testing"

	"example.org/backoffice/limits"
)

func TestAnErrorOfADocumentHasThePlaceThatGraphQLJSGives(t *testing.T) {
	t.Parallel()
	d := &documents{schema: contract(), limits: limits.Defaults()}
	for text, column := range map[string]int{
		`{users(filter:{"x"}){totalCount}}`:         16,
		`{users(filter:{"""x"""}){totalCount}}`:     16,
		`{users(zz:1){totalCount}}`:                 8,
		`{viewer @skip {name}}`:                     9,
		`{viewer @include(zz: 1, if: true) {name}}`: 18,
	} {
		_, errs := d.prepare(text, limits.Defaults())
		if len(errs) != 1 || len(errs[0].Locations) != 1 || errs[0].Locations[0].Column != column {
			t.Errorf("%s: %v, not column %d", text, errs, column)
		}
	}
}
