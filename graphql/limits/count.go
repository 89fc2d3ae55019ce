package limits

import (
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// rowsOfOne is how many rows are counted, and changesOfOne how many are changed, for a cost of 1.
const (
	rowsOfOne    = 1_000
	changesOfOne = 100
	countsOfOne  = 25 // as many counts are a group: each row is sorted, and looked up in what is joined
)

// counted is what counting a field's list costs: 1 when the store's counters tell it, else 1 and a thousandth of the
// rows to look at, for each alternative of its filter. Below the root those are the rows of an average parent.
func counted(field *ast.Field, parent backoffice.Noun) amount {
	return countedIn(field, parent, strings.TrimSuffix(field.Definition.Type.Name(), "Connection"), true)
}

func countedIn(field *ast.Field, parent backoffice.Noun, node string, counters bool) amount {
	filter, noun := argument(field, "filter"), nounOf(node)
	return amount{varying: func(variables map[string]any, rows Rows) int {
		var terms map[string]any
		if filter != nil {
			value, _ := filter.Value(variables) // one that cannot be read is refused
			terms, _ = value.(map[string]any)
		}
		if counters && parent == "" && hasCounters(noun, terms) {
			return 1
		}
		all := rows.of(noun)
		if parent != "" {
			all = all * min(rows.of(parent), 1) / max(rows.of(parent), 1) // none where there are no parents
		}
		return countUnder(terms, all, rows, true)
	}}
}

// countUnder adds the alternatives of a filter up, under which there are so many rows. Under not no index helps.
func countUnder(filter map[string]any, all int, rows Rows, indexed bool) (cost int) {
	for name, value := range filter {
		if indexed && value != nil {
			all = min(all, found(name, value, all, rows))
		}
	}
	alternatives, _ := filter["any"].([]any)
	if one, ok := filter["any"].(map[string]any); ok {
		alternatives = []any{one}
	}
	for _, one := range alternatives {
		terms, _ := one.(map[string]any)
		cost = plus(cost, countUnder(terms, all, rows, indexed))
	}
	if not, ok := filter["not"].(map[string]any); ok {
		cost = plus(cost, countUnder(not, all, rows, false))
	}
	return max(cost, 1+all/rowsOfOne)
}

// hasCounters reports whether a filter asks for nothing, or for the parts by which transcripts are counted.
func hasCounters(noun backoffice.Noun, filter map[string]any) bool {
	for name, value := range filter {
		part := noun == backoffice.NounTranscript && slices.Contains([]string{"status", "isCompleted", "documentGenerated"}, name)
		if value != nil && !part {
			return false
		}
	}
	return true
}

var (
	// references are the filters by which an index finds the rows of one other record: as many as each has on average.
	references = map[string]backoffice.Noun{
		"checklistId": backoffice.NounChecklist, "financialYearId": backoffice.NounFinancialYear,
		"customerId": backoffice.NounCustomer, "responsibleId": backoffice.NounUser, "transcriptId": backoffice.NounTranscript,
		"relatedCustomerId": backoffice.NounCustomer,
	}
	identifying = []string{"email", "customerCode", "kboNumber", "registrationNumber", "spouseRegistrationNumber"}
)

// found is how many of all rows an index finds for one member of a filter; all of them when none does.
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

// joins are the dimensions for which an aggregate reads another table along with its own.
var joins = map[string][]string{"Transcript": {"RESPONSIBLE", "LANGUAGE"}, "Customer": {"SCOPE"}}

// groupsOf is what an aggregate costs: 1 and countsOfOne times the rows of a count, once more for each table it joins.
func groupsOf(field *ast.Field) amount {
	node := strings.TrimSuffix(field.Definition.Type.Name(), "sAggregate")
	by, rows := argument(field, "groupBy"), countedIn(field, "", node, false)
	return amount{varying: func(variables map[string]any, of Rows) int {
		n := 1
		if by != nil {
			value, _ := by.Value(variables)
			dimensions, several := value.([]any)
			if !several {
				dimensions = []any{value}
			}
			for _, dimension := range dimensions {
				if name, ok := dimension.(string); ok && slices.Contains(joins[node], name) {
					n++
				}
			}
		}
		return times(n, 1+times(countsOfOne, rows.of(variables, of)-1))
	}}
}

// cascades are what goes or changes with the one record that a mutation deletes.
var cascades = map[string][]backoffice.Noun{
	"deleteCustomer": {
		backoffice.NounCustomer, backoffice.NounRelation, backoffice.NounTranscript, backoffice.NounCalculation,
		backoffice.NounDocument, backoffice.NounMinfin,
	},
	"deleteUser": {backoffice.NounUser, backoffice.NounCustomer},
}

// cascadeOf is a hundredth of what an average record takes with it.
func cascadeOf(field *ast.Field) amount {
	nouns := cascades[strings.TrimSuffix(field.Name, "s")]
	if nouns == nil {
		return amount{}
	}
	return amount{varying: func(_ map[string]any, rows Rows) (n int) {
		for _, noun := range nouns[1:] {
			n += rows.of(noun)
		}
		return n / max(rows.of(nouns[0]), 1) / changesOfOne
	}}
}

// nounOf is the noun of a type of the schema: CustomerRelation is a relation, FinancialYear a financial year.
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
