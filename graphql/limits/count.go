package limits

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// A cost of 1 is about 20 µs of processor time: this many rows are read in it without an index, or grouped. The first
// rowsForNothing of a noun are free. No count costs more than dearestCount, so one is possible in a store of any size.
const (
	rowsLookedAt    = 20
	rowsPassed      = 200
	rowsPassedBelow = 5 // they may have to be sorted, too
	rowsUnindexed   = 12
	rowsOrdered     = 7
	rowsLookedUp    = 3
	rowsGrouped     = 6
	rowsSorted      = 2 // by turnaround: beyond 75,000 rows this is too dear without a filter
	rowsForNothing  = 1_000
	passedOverFree  = 2_000 // more free rows, of a page
	dearestCount    = 45_000
	foundOfOne      = 3 // records that a deletion would change
	costOfChange    = 8 // of each that it changes
)

// counted is the cost of counting a field's list: 1 and, if counters do not have it, a part of the rows to read.
func counted(field *ast.Field, parent backoffice.Noun, rowsOfOne int) amount {
	noun := nounIn(field)
	return amount{varying: func(variables map[string]any, rows Rows) int {
		terms := termsOf(field, variables)
		if parent == "" && !rows.Uncounted && onlyParts(noun, terms) {
			return 1
		}
		return 1 + min(lookedAt(noun, parent, terms, rows)/rowsOfOne, dearestCount)
	}}
}

// passedOver is the cost of rows that a page's filter may reject, or its order sort.
func passedOver(field *ast.Field, parent backoffice.Noun, page amount) amount {
	noun, order, free := nounIn(field), argument(field, "orderBy"), 0
	if !isFiltered(field) && (noun != backoffice.NounTranscript || !slices.Contains(unsorted, parent)) {
		return amount{}
	}
	if parent == "" {
		free = passedOverFree
	}
	return amount{varying: func(variables map[string]any, rows Rows) int {
		terms := termsOf(field, variables)
		name, _ := filterOf(order, variables)["field"].(string)
		rowsOfOne := rowsOfPage(noun, parent, terms, name)
		if page.of(variables, rows) == 0 || rowsOfOne == 0 {
			return 0
		}
		return min(max(0, lookedAt(noun, parent, terms, rows)-free)/rowsOfOne, dearestCount)
	}}
}

// unsorted are parents whose transcripts no index has in some order: of a user in none, of a checklist by progress.
var unsorted = []backoffice.Noun{backoffice.NounUser, backoffice.NounChecklist}

// rowsOfPage is how many rows are read in a cost of 1, for a page of these terms in this order; 0 for no cost.
func rowsOfPage(noun, parent backoffice.Noun, terms map[string]any, order string) int {
	parts, inOrder := onlyParts(noun, terms), order == "" || order == "ID"
	_, charged := unindexedOrders[order]
	sorted := noun == backoffice.NounTranscript &&
		(parent == backoffice.NounUser || parent == backoffice.NounChecklist && order == "PROGRESS_PERCENTAGE")
	completed, generated := terms["isCompleted"] != nil, terms["documentGenerated"] != nil
	switch {
	case onlyParts("", terms) && !sorted: // an index has all in this order
		return 0
	case parts && charged: // for reading all
		return 0
	case parts && inOrder && parent == "" && completed == generated && completed == (terms["status"] == nil):
		return 0 // an index begins with status, another with both
	case parts && (parent != "" || !inOrder): // read and sorted
		return rowsLookedAt
	case parent != "":
		return rowsPassedBelow
	case generated && !completed: // few have a document
		return rowsLookedAt
	}
	for _, one := range alternatives(terms) {
		of, _ := one.(map[string]any)
		if rowsOfPage(noun, parent, of, order) == rowsLookedAt {
			return rowsLookedAt
		}
	}
	return rowsPassed
}

func isFiltered(field *ast.Field) bool {
	return argument(field, "filter") != nil || argument(field, "asOf") != nil
}

// termsOf are the terms of a list's filter, and its asOf.
func termsOf(field *ast.Field, variables map[string]any) map[string]any {
	terms := filterOf(argument(field, "filter"), variables)
	if day := argument(field, "asOf"); day != nil {
		if value, _ := day.Value(variables); value != nil {
			terms = maps.Clone(terms)
			if terms == nil {
				terms = map[string]any{}
			}
			terms["asOf"] = value
		}
	}
	return terms
}

// filterOf is the value of a filter; nil for an unreadable one, which is rejected elsewhere.
func filterOf(filter *ast.Value, variables map[string]any) map[string]any {
	if filter == nil {
		return nil
	}
	value, _ := filter.Value(variables)
	terms, _ := value.(map[string]any)
	return terms
}

// rowsOf is how many rows of a noun are charged: at the root all but the first, below it those of an average parent.
// Those of a user count twice, because their customers are looked up first.
func rowsOf(noun, parent backoffice.Noun, rows Rows) int {
	if parent == "" {
		return max(0, rows.of(noun)-rowsForNothing)
	}
	all := rows.of(noun) * min(rows.of(parent), 1) // 0 without parents
	if parent == backoffice.NounUser {
		all *= 2
	}
	return all / max(rows.of(parent), 1)
}

// lookedAt is how many rows a filter reads: all of a parent, unless an index finds those of each alternative.
func lookedAt(noun, parent backoffice.Noun, filter map[string]any, rows Rows) int {
	all := rowsOf(noun, parent, rows)
	if parent != "" && filter["any"] == nil {
		return all
	}
	return rowsUnder(filter, all, rows, true)
}

// rowsUnder adds up the rows that a filter's alternatives read, out of all. Under not no index helps.
func rowsUnder(filter map[string]any, all int, rows Rows, indexed bool) (looked int) {
	for name, value := range filter {
		if indexed && value != nil {
			all = min(all, found(name, value, all, rows))
		}
	}
	for _, one := range alternatives(filter) {
		terms, _ := one.(map[string]any)
		looked = plus(looked, rowsUnder(terms, all, rows, indexed))
	}
	if not, ok := filter["not"].(map[string]any); ok {
		looked = plus(looked, rowsUnder(not, all, rows, false))
	}
	return max(looked, all)
}

func alternatives(filter map[string]any) []any {
	if one, ok := filter["any"].(map[string]any); ok {
		return []any{one}
	}
	all, _ := filter["any"].([]any)
	return all
}

// onlyParts reports whether a filter has no terms, or only those by which transcripts are counted.
func onlyParts(noun backoffice.Noun, filter map[string]any) bool {
	for name, value := range filter {
		part := noun == backoffice.NounTranscript &&
			slices.Contains([]string{"status", "isCompleted", "documentGenerated"}, name)
		if value != nil && !part {
			return false
		}
	}
	return true
}

var (
	// references are terms whose index finds the rows of one other record: as many as each has on average.
	references = map[string]backoffice.Noun{
		"checklistId": backoffice.NounChecklist, "financialYearId": backoffice.NounFinancialYear,
		"customerId": backoffice.NounCustomer, "responsibleId": backoffice.NounUser,
		"transcriptId": backoffice.NounTranscript, "relatedCustomerId": backoffice.NounCustomer,
	}
	identifying = []string{"email", "customerCode", "kboNumber", "registrationNumber", "spouseRegistrationNumber"}
)

// found is how many of all rows an index finds for one term of a filter; all without an index.
func found(name string, value any, all int, rows Rows) int {
	if of, ok := references[name]; ok {
		return all / max(rows.of(of), 1)
	}
	if ids, ok := value.([]any); ok && name == "ids" {
		return len(ids)
	}
	if slices.Contains(identifying, name) {
		return 1
	}
	return all
}

// joins are the dimensions for which an aggregate reads a second table.
var joins = map[backoffice.Noun][]string{
	backoffice.NounTranscript: {"RESPONSIBLE", "LABEL"}, backoffice.NounCustomer: {"SCOPE"},
}

// groupsOf is the cost of an aggregate: 1 and, for each dimension and each joined table, a part of the rows to read.
func groupsOf(field *ast.Field) amount {
	noun, by, filter := nounIn(field), argument(field, "groupBy"), argument(field, "filter")
	return amount{varying: func(variables map[string]any, rows Rows) int {
		n, looked, sorted := 1, lookedAt(noun, "", filterOf(filter, variables), rows), 0
		if between := argument(field, "turnaround"); between != nil {
			if value, _ := between.Value(variables); value != nil {
				sorted = looked / rowsSorted
			}
		}
		if by == nil { // duplicates, sorted by three columns
			n += 3
		} else {
			value, _ := by.Value(variables)
			dimensions, several := value.([]any)
			if !several {
				dimensions = []any{value}
			}
			n += len(dimensions) - 1
			for _, dimension := range dimensions {
				if name, ok := dimension.(string); ok && slices.Contains(joins[noun], name) {
					n++
				}
			}
		}
		return 1 + sorted + min(times(n, looked/rowsGrouped), dearestCount)
	}}
}

var ofCustomer = []backoffice.Noun{
	backoffice.NounCustomer, backoffice.NounRelation, backoffice.NounTranscript, backoffice.NounCalculation,
	backoffice.NounDocument, backoffice.NounMinfin, backoffice.NounDiscrepancy,
}

// cascades are the noun that a mutation deletes, and then those that are deleted or changed with it.
var cascades = map[string][]backoffice.Noun{
	"deleteCustomer": ofCustomer, "mergeCustomer": ofCustomer, // moving a record costs as much as deleting it
	"deleteUser": {backoffice.NounUser, backoffice.NounCustomer},
}

func cascadeOf(field *ast.Field) amount {
	nouns, dryRun := cascades[strings.TrimSuffix(field.Name, "s")], argument(field, "dryRun")
	if nouns == nil {
		return amount{}
	}
	return amount{varying: func(variables map[string]any, rows Rows) (n int) {
		for _, noun := range nouns[1:] {
			n += rows.of(noun)
		}
		n /= max(rows.of(nouns[0]), 1)
		value, _ := dryRun.Value(variables)
		if dry, _ := value.(bool); dry {
			return n / foundOfOne
		}
		return min(n*costOfChange, dearestCount)
	}}
}

// nounIn is the noun that a connection lists or an aggregate counts.
func nounIn(field *ast.Field) backoffice.Noun {
	return nounOf(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(
		field.Definition.Type.Name(), "Connection"), "sAggregate"), "Duplicates"))
}

// nounOf is the noun of a schema type: CustomerRelation is a relation, FinancialYear a financial year.
func nounOf(name string) backoffice.Noun {
	var words strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
	}
	return backoffice.Noun(strings.TrimPrefix(strings.ToLower(words.String()), "customer "))
}
