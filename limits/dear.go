package limits

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// costOfDear is what each part of a filter, and each order, costs that no index answers: the store reads every row for
// it, or those that hang on every row.
const costOfDear = 500

var (
	dearFilters = []string{"not", "transcripts", "relations", "customVariable"}
	dearOrders  = []string{"RELEVANCE", "RELATION_COUNT", "OPEN_TRANSCRIPT_COUNT", "CUSTOMER_NAME"}
)

// dearIn is how many such parts a field's filter and order have.
func dearIn(field *ast.Field) amount {
	filter, order := argument(field, "filter"), argument(field, "orderBy")
	if filter == nil && order == nil {
		return amount{}
	}
	return amountOf(hasVariable(filter) || hasVariable(order), func(variables map[string]any) (n int) {
		if filter != nil {
			value, _ := filter.Value(variables) // one that cannot be read is refused
			n = dearInFilter(value)
		}
		if order != nil {
			value, _ := order.Value(variables)
			if by, ok := value.(map[string]any); ok {
				if name, ok := by["field"].(string); ok && slices.Contains(dearOrders, name) {
					n++
				}
			}
		}
		return n
	})
}

func dearInFilter(value any) (n int) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n = plus(n, dearInFilter(item))
		}
	case map[string]any:
		for name, part := range value {
			if part == nil {
				continue
			}
			if slices.Contains(dearFilters, name) || name == "searchMode" && part == "FUZZY" {
				n = plus(n, 1)
			}
			n = plus(n, dearInFilter(part))
		}
	}
	return n
}

// joins are the dimensions for which an aggregate reads another table along with its own.
var joins = map[string][]string{"TranscriptsAggregate": {"RESPONSIBLE", "LANGUAGE"}, "CustomersAggregate": {"SCOPE"}}

// groupsOf is how many counts an aggregate is: one for each filter, and one for each table that its dimensions join.
func groupsOf(field *ast.Field) amount {
	by, filter := argument(field, "groupBy"), argument(field, "filter")
	joined := joins[field.Definition.Type.Name()]
	return amountOf(hasVariable(by) || hasVariable(filter), func(variables map[string]any) int {
		n := 1
		if filter != nil {
			value, _ := filter.Value(variables) // one that cannot be read is refused
			n = max(1, partsOf(value))
		}
		if by == nil {
			return n
		}
		value, _ := by.Value(variables)
		dimensions, several := value.([]any)
		if !several {
			dimensions = []any{value}
		}
		for _, dimension := range dimensions {
			if name, ok := dimension.(string); ok && slices.Contains(joined, name) {
				n++
			}
		}
		return n
	})
}
