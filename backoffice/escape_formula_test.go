package backoffice_test

import (
	"testing"

	"example.org/backoffice/backoffice"
)

func TestATextThatASpreadsheetTakesForAFormulaIsInert(t *testing.T) {
	t.Parallel()
	for text, formula := range map[string]bool{
		"=1+1": true, "+32 2 555 12 12": true, "-1": true, "@SUM(A1)": true, "\t=1": true, "＝1+1": true, " =1+1": true,
		"\u200b=1+1": true,
		"\u00a0＋1":   true, "Café = bar": false, "'=1+1": false, "  Café": false, " ": false, "\xff": false, "": false,
	} {
		want := text
		if formula {
			want = "'" + text
		}
		if got := backoffice.EscapeFormula(text); got != want || string(backoffice.EscapeFormula([]byte(text))) != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
