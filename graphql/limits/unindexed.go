package limits

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// costOfUnindexed is the least cost of a filter term or an order for which the store reads every row.
const costOfUnindexed = 500

// The noun whose rows each of them reads; "" for that of the list.
var (
	unindexedFilters = map[string]backoffice.Noun{
		"not": "", "transcripts": backoffice.NounTranscript, "relations": backoffice.NounRelation, "customVariable": "",
		"hasDocument": "", "ownershipDiffers": "", "labelId": "", "overdue": "",
		"missingChecklist": backoffice.NounTranscript, "withoutChecklistId": "",
	}
	unindexedOrders = map[string]backoffice.Noun{
		"RELEVANCE": "", "RELATION_COUNT": backoffice.NounRelation, "OPEN_TRANSCRIPT_COUNT": backoffice.NounTranscript,
		"CUSTOMER_NAME": "",
	}
)

// unindexedIn is the cost of such terms in a field's filter and order, for a page, if there is one, and so many counts.
func unindexedIn(field *ast.Field, parent backoffice.Noun, page amount, counts int) amount {
	filter, order, list := argument(field, "filter"), argument(field, "orderBy"), nounIn(field)
	costs := func(variables map[string]any, rows Rows) int {
		read := func(noun backoffice.Noun, reads, rowsOfOne int) int {
			return max(costOfUnindexed, min(reads*rowsOf(cmp.Or(noun, list), parent, rows)/rowsOfOne, dearestCount))
		}
		ofFilter, ofOrder := rowsUnindexed, rowsOrdered
		if parent != "" { // rows are looked up one by one
			ofFilter, ofOrder = rowsLookedUp, rowsLookedUp
		}
		pages := min(page.of(variables, rows), 1)
		cost := unindexedTerms(filterOf(filter, variables), func(term string, noun backoffice.Noun) int {
			if term == "customVariable" && parent == "" { // a count reads the table along, which counted charges
				return read(noun, pages, rowsOrdered)
			}
			return read(noun, pages+counts, ofFilter)
		})
		if list == backoffice.NounTranscript && parent == "" && comparesTimes(filterOf(filter, variables)) {
			cost = plus(cost, read(list, pages, rowsUnindexed)) // however many times are compared, and counted as above
		}
		name, _ := filterOf(order, variables)["field"].(string)
		if noun, unindexed := unindexedOrders[name]; unindexed {
			cost = plus(cost, read(noun, pages, ofOrder))
		}
		return cost
	}
	if !hasVariable(filter) && !hasVariable(order) && costs(nil, Rows{}) == 0 {
		return amount{}
	}
	return amount{varying: costs}
}

// comparesTimes reports whether a filter of transcripts compares a time that no index has.
func comparesTimes(value any) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, comparesTimes)
	case map[string]any:
		for name, part := range value {
			at := strings.TrimSuffix(strings.TrimSuffix(name, "From"), "To")
			if part != nil && (at != name && at != "updated" || comparesTimes(part)) {
				return true
			}
		}
	}
	return false
}

func unindexedTerms(value any, cost func(term string, of backoffice.Noun) int) (total int) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			total = plus(total, unindexedTerms(item, cost))
		}
	case map[string]any:
		for name, part := range value {
			if part == nil {
				continue
			}
			if noun, unindexed := unindexedFilters[name]; unindexed {
				total = plus(total, cost(name, noun))
			}
			if name == "searchMode" && part == "FUZZY" {
				total = plus(total, cost(name, ""))
			}
			total = plus(total, unindexedTerms(part, cost))
		}
	}
	return total
}
