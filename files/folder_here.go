package files

import (
	"errors"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
)

// here fails when the folder is not where it was opened any more, as that of a disk that was unmounted, and opens it
// anew when it has come back as another one: put there from a backup, or mounted again. Whose it is has to be marked
// in it, as it was.
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
		return errors.Join(gone(errors.New("another one is in its place")), root.Close())
	}
	if !f.root.CompareAndSwap(held, root) { // somebody else was first
		return root.Close()
	}
	return nil // who still reads through the old one goes on: it is closed when nothing refers to it
}

func gone(cause error) error {
	return &backoffice.Error{
		Kind: backoffice.Unavailable, Message: "stored files are not available",
		Cause: fmt.Errorf("the folder of stored files is gone; mount its disk, or put it back: %w", cause),
	}
}
