//go:build unix

package importexport

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestANamedPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	pipe := func(folder, name string) string {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		must(t, syscall.Mkfifo(filepath.Join(folder, name), 0o600))
		return folder
	}
	for said, folder := range map[string]string{
		"customers.ndjson is not a file": pipe(t.TempDir(), "customers.ndjson"),
		"is not a folder":                filepath.Join(pipe(t.TempDir(), "folder"), "folder"),
	} {
		if _, err := h.load(t.Context(), folder); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("the error is %v, not that it %s", err, said)
		}
	}
	got := reports(t, h, pipe(only(t, "documents.ndjson", `{"_id":"document-1","file":"files/pipe.pdf"}`), "files/pipe.pdf"))
	if len(got) != 1 || got[0] != "documents.ndjson:1: file: not a file" {
		t.Errorf("it is reported as %q", got)
	}
}
