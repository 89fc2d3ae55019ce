package cli

import (
	"strings"
	"testing"
)

func TestServersAreToldByTheChangeLogToForgetWhatTheyKeep(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "import", "../testdata/office")
	s.must(t, "cache", "drop")
	if log := s.must(t, "changes", "list", "--format", "csv"); !strings.Contains(log, "cache drop") {
		t.Errorf("the log does not tell:\n%s", log)
	}
}
