package limits

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
)

// countedNouns are those whose rows the store's counters count.
var countedNouns = []backoffice.Noun{
	backoffice.NounFinancialYear, backoffice.NounChecklist, backoffice.NounTranscript, backoffice.NounCalculation, backoffice.NounCustomer,
	backoffice.NounRelation, backoffice.NounDocument, backoffice.NounMinfin, backoffice.NounUser, backoffice.NounLabel, backoffice.NounDiscrepancy,
}

// unpriced are what of the schema the lists of prices leave out: filters by an identifier that no index answers by
// itself, and types whose rows are not counted.
func unpriced(t *testing.T) (filters, nouns []string) {
	t.Helper()
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	for name, def := range schema.Types {
		for _, f := range def.Fields {
			switch kind := schema.Types[f.Type.Name()]; {
			case strings.HasSuffix(name, "Filter") && def.Kind == ast.InputObject && f.Type.Name() == "ID":
				if found(f.Name, []any{"a"}, 1_000, each(10)) == 1_000 {
					filters = append(filters, name+"."+f.Name)
				}
			case IsConnection(kind) && kind.Fields.ForName("totalCount") != nil:
				if node := strings.TrimSuffix(kind.Name, "Connection"); !slices.Contains(countedNouns, nounOf(node)) && !slices.Contains(nouns, node) {
					nouns = append(nouns, node)
				}
			}
		}
	}
	slices.Sort(filters)
	slices.Sort(nouns)
	return filters, nouns
}

func TestNoFilterAndNoNounOfTheSchemaIsForgottenInPrices(t *testing.T) {
	// Not parallel: it takes an entry out of a list, and puts it back.
	filters, nouns := unpriced(t)
	if !slices.Equal(filters, []string{"CustomerFilter.labelId", "CustomerFilter.withoutChecklistId", "TranscriptFilter.labelId"}) || !slices.Equal(nouns, []string{"PrivacyAccess"}) { // the register is not counted
		t.Errorf("no price knows the filters %q and the nouns %q", filters, nouns)
	}
	known := references["checklistId"]
	delete(references, "checklistId")
	defer func() { references["checklistId"] = known }()
	if filters, _ := unpriced(t); !slices.Contains(filters, "TranscriptFilter.checklistId") {
		t.Errorf("one that is forgotten is not found among %q", filters)
	}
}
