package limits

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// costOfUnindexed is what each part of a filter, and each order, costs for which the store reads every row.
const costOfUnindexed = 500

var (
	unindexedFilters = []string{"not", "transcripts", "relations", "customVariable"}
	unindexedOrders  = []string{"RELEVANCE", "RELATION_COUNT", "OPEN_TRANSCRIPT_COUNT", "CUSTOMER_NAME"}
)

// unindexedIn is how many such parts a field's filter and order have.
func unindexedIn(field *ast.Field) amount {
	filter, order := argument(field, "filter"), argument(field, "orderBy")
	if filter == nil && order == nil {
		return amount{}
	}
	return amountOf(hasVariable(filter) || hasVariable(order), func(variables map[string]any) (n int) {
		if filter != nil {
			value, _ := filter.Value(variables) // one that cannot be read is refused
			n = unindexedTerms(value)
		}
		if order != nil {
			value, _ := order.Value(variables)
			if by, ok := value.(map[string]any); ok {
				if name, ok := by["field"].(string); ok && slices.Contains(unindexedOrders, name) {
					n++
				}
			}
		}
		return n
	})
}

func unindexedTerms(value any) (n int) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n = plus(n, unindexedTerms(item))
		}
	case map[string]any:
		for name, part := range value {
			if part == nil {
				continue
			}
			if slices.Contains(unindexedFilters, name) || name == "searchMode" && part == "FUZZY" {
				n = plus(n, 1)
			}
			n = plus(n, unindexedTerms(part))
		}
	}
	return n
}
