package sqlite_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/store/storetest"
)

// The price knows by name which pages of transcripts no index has in their order. The plans know it, too: such a page
// is sorted, or reads rows for a column that its index has not. A customer's few transcripts cost nothing either way.
func TestAPageOfTranscriptsCostsItsRowsExactlyIfNoIndexHasThemInOrder(t *testing.T) {
	t.Parallel()
	opened, db := filledWithPlans(t)
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	cost := func(operation string, transcripts int) int {
		document, wrong := gqlparser.LoadQuery(schema, operation)
		if wrong != nil {
			t.Fatal(wrong)
		}
		rows := limits.Rows{Of: func(noun backoffice.Noun) int {
			if noun == backoffice.NounTranscript {
				return transcripts
			}
			return 10
		}}
		return limits.Defaults().Price(schema, document.Operations[0]).Cost(nil, rows)
	}
	type criteria = backoffice.TranscriptCriteria
	terms := []struct {
		text, column string
		criteria     criteria
	}{
		{"", "", criteria{}},
		{"status: [SENT]", "status=?", criteria{Status: 2}},
		{"isCompleted: true", "is_completed=?", criteria{IsCompleted: backoffice.Yes}},
		{"documentGenerated: true", "document_generated=?", criteria{DocumentGenerated: backoffice.Yes}},
		{"isCompleted: true, documentGenerated: true", "is_completed=? AND document_generated=?",
			criteria{IsCompleted: backoffice.Yes, DocumentGenerated: backoffice.Yes}},
	}
	for parent, above := range map[backoffice.Parent]string{
		backoffice.Root: "{ %s }", backoffice.OfUser: `{ user(id: "b") { %s } }`,
		backoffice.OfChecklist:     `{ checklist(id: "b") { %s } }`,
		backoffice.OfFinancialYear: `{ financialYear(id: "b") { %s } }`,
	} {
		for _, order := range []backoffice.OrderField{"ID", "UPDATED_AT", "PROGRESS_PERCENTAGE"} {
			for _, by := range terms {
				sorted := (&backoffice.ListOrder{Field: order}).Order()
				recorder := &storetest.Recorder{}
				list := backoffice.ListQuery[criteria]{
					Parent: parent, Criteria: by.criteria, Order: sorted, Window: backoffice.Window{Limit: 50},
				}
				transcripts := opened.Through(recorder.On).Transcripts()
				if _, err := backoffice.ReadPages(t.Context(), transcripts, list, []string{"b"}, 0); err != nil {
					t.Fatal(err)
				}
				var plan string
				for text, args := range recorder.Statements() {
					plan += strings.Join(planOf(t, db, text, args), "\n")
				}
				read := strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") || !strings.Contains(plan, by.column)
				if parent == backoffice.Root && order == "ID" && by.column == "status=?" {
					read = false // sorts entries of an index and keeps the first: a millisecond for 50,000
				}
				operation := fmt.Sprintf(above, fmt.Sprintf(
					"transcripts(first: 1, filter: {%s}, orderBy: {field: %s}) { nodes { id } }", by.text, order))
				if small, large := cost(operation, 1_000), cost(operation, 1_000_000); large > small != read {
					t.Errorf("%s costs %d, and %d of more rows:\n%s", operation, small, large, plan)
				}
			}
		}
	}
}
