package importexport

import (
	"context"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
)

type Exporter struct {
	Store backoffice.Store
	Files backoffice.FileStore
	Vault *privacy.Vault // only needed for registration numbers
	// Progress, if set, is called from time to time with the progress of a file.
	Progress func(Progress)
}

// Dumped counts the records of one file.
type Dumped struct {
	File    string
	Records int
	Stored  int // stored files that were copied
}

// snapshotter is a store with reads from one snapshot.
type snapshotter interface {
	Snapshot(ctx context.Context, do func(ctx context.Context, reads backoffice.Readers) error) error
}

type exporting struct {
	*Exporter
	folder  *os.Root
	reads   backoffice.Readers
	numbers bool // write the registration numbers
}

// Export writes all records and their files to a folder that does not exist yet or is empty. When it fails it leaves
// nothing there. Importing the folder gives the same data back. With a purpose, it writes registration numbers too, and
// the register records the purpose for each customer first. Without one (nil), it leaves their keys out.
func (e *Exporter) Export(ctx context.Context, folder string, purpose *string) (all []Dumped, err error) {
	partial, remove, err := files.NewFolder(folder)
	if err != nil {
		return nil, err
	}
	defer remove() // it was renamed by then, or is useless
	root, err := os.OpenRoot(partial)
	if err != nil {
		return nil, cannotWrite(folder, err)
	}
	defer func() { _ = root.Close() }()
	ex := &exporting{Exporter: e, folder: root, numbers: purpose != nil}
	if ex.numbers {
		if ctx, err = privacy.AsExport(e.Vault.WithLedger(ctx, backoffice.OperatorOf(ctx), purpose)); err != nil {
			return nil, err
		}
	}
	err = inSnapshot(ctx, e.Store, func(ctx context.Context, reads backoffice.Readers) error {
		ex.reads, all = reads, nil
		for _, t := range inOrder() {
			dumped, err := t.dump(ctx, ex)
			if err != nil {
				return err
			}
			all = append(all, dumped)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := files.RenameFolder(partial, folder); err != nil {
		return nil, cannotWrite(folder, err)
	}
	return all, nil
}

// inSnapshot reads from a snapshot if the store can make one. Otherwise some files may have later records than others.
func inSnapshot(ctx context.Context, from backoffice.Store, do func(context.Context, backoffice.Readers) error) error {
	if store, can := from.(snapshotter); can {
		return store.Snapshot(ctx, do)
	}
	return do(ctx, from)
}

func cannotWrite(what string, err error) error { return fmt.Errorf("cannot write %s: %w", what, err) }
