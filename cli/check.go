package cli

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/sqlite"
)

type checkCommand struct{}

// Run checks the database, its counters, the stored files and their digests, and the register of consultations, and
// prints each problem. It changes nothing, and servers keep running.
func (c *checkCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	problems, counted := 0, 0
	note := func(what string) {
		problems++
		fmt.Fprintln(t.out, what)
	}
	noteAll := func(part string, check func(context.Context) ([]string, error)) error {
		found, err := check(ctx)
		for _, what := range found {
			note(part + ": " + what)
		}
		return err
	}
	if store, embedded := b.Store.(*sqlite.Store); embedded {
		if err := noteAll("database", store.Integrity); err != nil {
			return err
		}
	}
	if store, counts := b.Store.(interface {
		Counters(ctx context.Context) ([]string, error)
	}); counts {
		if err := noteAll("counters", store.Counters); err != nil {
			return err
		}
	}
	bar := newProgress(t.err, false)
	err := backoffice.EachStoredFile(ctx, b.Store, func(file *backoffice.File) error {
		counted++
		bar.at("files", int64(counted), int64(counted))
		wrong, err := verifyFile(ctx, b.Files, file)
		if wrong != "" {
			bar.end()
			note("files: " + wrong)
		}
		return err
	})
	bar.end()
	if err != nil {
		return err
	}
	_, stray, err := (&privacy.KeyRotator{Keys: b.Keys, Store: b.Store}).Status(ctx)
	if err != nil {
		return err
	}
	for thing, count := range stray {
		if count > 0 {
			note(fmt.Sprintf("keyset: %d %s are sealed with none of its keys", count, thing))
		}
	}
	verified, receipts, err := verifyRegister(ctx, b, "", func(p privacy.Problem) { note(fmt.Sprint("register: ", p)) })
	if err != nil {
		return err
	}
	defer printRestores(t.out, verified)
	if problems > 0 {
		return fmt.Errorf("%s found", backoffice.Plural(problems, "problem was", "problems were"))
	}
	return printed(fmt.Fprintf(t.out, "All is whole: the database, its counters, %s and %s of the "+
		"register, compared with %s.\n", backoffice.Plural(counted, "file", "files"),
		backoffice.Plural(verified.Entries, "entry", "entries"), backoffice.Plural(receipts, "receipt", "receipts")))
}
