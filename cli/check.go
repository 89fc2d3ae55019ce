package cli

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
	"example.org/backoffice/privacy"
)

// checkCommand looks whether what is stored is whole.
type checkCommand struct{}

// integral is a store whose file can be checked.
type integral interface {
	Integrity(ctx context.Context) ([]string, error)
}

// counting is a store that keeps counts of its rows.
type counting interface {
	Counters(ctx context.Context) ([]string, error)
}

// Run checks the database, its counters, the stored files and their digests, and the register of consultations, and prints
// each problem. It changes nothing, and servers go on meanwhile.
func (c *checkCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	problems, counted := 0, 0
	tell := func(what string) {
		problems++
		fmt.Fprintln(t.out, what)
	}
	if store, can := b.Store.(integral); can {
		found, err := store.Integrity(ctx)
		if err != nil {
			return err
		}
		for _, what := range found {
			tell("database: " + what)
		}
	}
	if store, can := b.Store.(counting); can {
		found, err := store.Counters(ctx)
		if err != nil {
			return err
		}
		for _, what := range found {
			tell("counters: " + what)
		}
	}
	bar := newProgress(t.err, false)
	err := eachStoredFile(ctx, b.Store, func(file *backoffice.File) error {
		counted++
		bar.at("files", int64(counted), int64(counted))
		what, err := files.Verify(ctx, b.Files, *file)
		if err == nil && what != "" {
			bar.end()
			tell(fmt.Sprintf("files: the file of the %s %s %s", file.Owner.Kind, file.Owner.ID, what))
		}
		return err
	})
	bar.end()
	if err != nil {
		return err
	}
	verified, err := b.Keys.Verify(ctx, b.Store, "", func(p privacy.Problem) { tell(fmt.Sprint("register: ", p)) })
	if err != nil {
		return err
	}
	if problems > 0 {
		return fmt.Errorf("%d problems were found", problems)
	}
	_, err = fmt.Fprintf(t.out, "All is whole: the database, its counters, %d files and %d entries of the register.\n", counted, verified.Entries)
	return err
}
