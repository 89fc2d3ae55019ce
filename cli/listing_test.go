package cli

import (
	"testing"
)

func TestACellThatASpreadsheetWouldRunIsInert(t *testing.T) {
	t.Parallel()
	for cell, wanted := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "@x": "'@x", "-1": "'-1", "-": "-", "fine": "fine", "": ""} {
		if got := inert(cell); got != wanted {
			t.Errorf("%q becomes %q", cell, got)
		}
	}
}
