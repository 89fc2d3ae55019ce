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
	// Vault is needed for registration numbers alone.
	Vault *privacy.Vault
	// Progress, if there is one, is told from time to time how far a file has come.
	Progress func(Progress)
}

// Dumped counts the records of one file.
type Dumped struct {
	File    string
	Records int
	Stored  int // stored files that were copied
}

// Operator is in the register of consultations for what was done on the command line.
var Operator = &backoffice.Principal{ClientID: "operator", Name: "operator, on the command line", Scopes: backoffice.AllScopes}

// snapshotter is a store whose reads can all see one moment.
type snapshotter interface {
	Snapshot(ctx context.Context, do func(ctx context.Context, reads backoffice.Readers) error) error
}

type exporting struct {
	*Exporter
	folder  *os.Root
	reads   backoffice.Readers
	numbers bool // write the registration numbers
}

// Export writes all records and their files to a folder that does not exist yet, or is empty; when it fails nothing is
// left there. Import of the folder gives the same data back. A purpose is the stated one for writing the registration
// numbers too, which the register records for each customer before any is written; without one (nil) their keys are
// left out.
func (e *Exporter) Export(ctx context.Context, folder string, purpose *string) (all []Dumped, err error) {
	partial, remove, err := files.NewFolder(folder)
	if err != nil {
		return nil, err
	}
	defer remove() // it has its name by then, or is of no use
	root, err := os.OpenRoot(partial)
	if err != nil {
		return nil, cannotWrite(folder, err)
	}
	defer func() { _ = root.Close() }()
	ex := &exporting{Exporter: e, folder: root, numbers: purpose != nil}
	if ex.numbers {
		if ctx, err = privacy.AsExport(e.Vault.WithLedger(ctx, Operator, purpose)); err != nil {
			return nil, err
		}
	}
	err = atOneMoment(ctx, e.Store, func(ctx context.Context, reads backoffice.Readers) error {
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
	if err := os.Rename(partial, folder); err != nil {
		return nil, cannotWrite(folder, err)
	}
	return all, nil
}

// atOneMoment reads from a snapshot where the store can make one. Where it cannot, records that are written meanwhile
// may be in one file and not in another.
func atOneMoment(ctx context.Context, store backoffice.Store, do func(context.Context, backoffice.Readers) error) error {
	if store, can := store.(snapshotter); can {
		return store.Snapshot(ctx, do)
	}
	return do(ctx, store)
}

func cannotWrite(what string, err error) error { return fmt.Errorf("cannot write %s: %w", what, err) }
