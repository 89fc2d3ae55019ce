package files

import (
	"errors"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
)

// here fails when the folder is no longer where it was opened, as on an unmounted disk, and reopens it when it is back
// as another one: restored from a backup, or mounted again. Its owner mark must be the same as before.
func (f *Folder) here() error {
	if f.dir == "" {
		return nil
	}
	held := f.at()
	known, err := held.Stat(".")
	if err != nil {
		return gone(err)
	}
	found, err := os.Stat(f.dir)
	if err != nil {
		return gone(err)
	}
	if os.SameFile(known, found) {
		return nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return gone(err)
	}
	mark, err := root.ReadFile(marker)
	if owner := f.owner.Load(); err != nil || owner == nil || *owner != string(mark) {
		return errors.Join(gone(errors.New("it was replaced by another one")), root.Close())
	}
	if !f.root.CompareAndSwap(held, root) { // another goroutine was first
		return root.Close()
	}
	return nil // readers of the old one continue: it is closed when nothing refers to it
}

func gone(cause error) error {
	return &backoffice.Error{
		Kind: backoffice.Unavailable, Message: "stored files are not available",
		Cause: fmt.Errorf("the folder of stored files is gone; mount its disk, or put it back: %w", cause),
	}
}
