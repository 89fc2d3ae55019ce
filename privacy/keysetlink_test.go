package privacy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAKeysetFileThatIsALinkIsReplacedWhereItLeads(t *testing.T) {
	t.Parallel()
	target, link := filepath.Join(t.TempDir(), "keyset.json"), filepath.Join(t.TempDir(), "keyset.json")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("it is no link any more (%v)", err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "new" {
		t.Errorf("the file holds %q (%v)", text, err)
	}
	for _, folder := range []string{filepath.Dir(target), filepath.Dir(link)} {
		if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
			t.Errorf("left is %v (%v)", left, err)
		}
	}
}
