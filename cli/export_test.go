package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnExportIsImportedIntoAnotherStore(t *testing.T) {
	t.Parallel()
	first, second := newShell(t), newShell(t)
	first.must(t, "import", "../testdata/office")
	folder := filepath.Join(first.dir, "export")
	first.must(t, "export", folder, "--registration-numbers", "--purpose", "moving house")
	second.must(t, "import", folder)
	again := filepath.Join(second.dir, "export")
	second.must(t, "export", again, "--registration-numbers", "--purpose", "moving house")
	for _, name := range []string{"customers.ndjson", "transcripts.ndjson", "documents.ndjson"} {
		a, _ := os.ReadFile(filepath.Join(folder, name))
		b, _ := os.ReadFile(filepath.Join(again, name))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
	}
	listed := first.must(t, "consultations", "list", "--format", "jsonl")
	if strings.Count(listed, "\n") != 2 || strings.Count(listed, `"customer":"`) != 2 || !strings.Contains(listed, `"operation":"EXPORT"`) || !strings.Contains(listed, `"purpose":"moving house"`) {
		t.Errorf("the register has\n%s", listed)
	}
	if out := first.must(t, "consultations", "verify"); !strings.Contains(out, "2 entries") {
		t.Errorf("verify tells %q", out)
	}
}
