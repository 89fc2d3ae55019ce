package export

import (
	"net/http"
	"testing"
)

func TestWhoTakesAnythingGetsJSONLines(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]Format{
		"": JSONL, "*/*": JSONL, "application/*;q=0.1": JSONL, "text/csv": CSV, "text/csv;q=0.2, */*": CSV, "application/jsonl;q=0.1, text/csv;q=0.9": CSV,
		mediaOf[XLSX]: XLSX, "application/json": "", "*/*;q=0": "", "text/html": "", "text/csv;q=0": "",
	} {
		header := http.Header{}
		if accept != "" {
			header.Set("Accept", accept)
		}
		got, err := negotiate(header)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is answered with %q, %v", accept, got, err)
		}
	}
}
