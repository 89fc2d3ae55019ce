package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes a folder beside the wanted one, to be renamed when it is whole; only its owner may read it. It fails
// when the wanted one is there and not empty.
func NewFolder(wanted string) (partial string, err error) {
	there, err := os.ReadDir(wanted)
	if len(there) > 0 {
		return "", fmt.Errorf("the folder %s is not empty; name one that does not exist", wanted)
	}
	above := filepath.Dir(filepath.Clean(wanted))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(above, 0o700)
	}
	if err == nil {
		partial, err = os.MkdirTemp(above, "."+filepath.Base(wanted)+"-*.partial")
	}
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", wanted, err)
	}
	return partial, nil
}
