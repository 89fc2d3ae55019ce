package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/store/sqlite"
)

type trashCommand struct {
	List    trashListCommand    `cmd:"" help:"List deleted records that can be restored (serve --trash), latest first."`
	Restore trashRestoreCommand `cmd:"" help:"Restore deleted records, and the records that were deleted with them."`
	Empty   trashEmptyCommand   `cmd:"" help:"Erase deleted records permanently, before their time is up."`
}

type trashListCommand struct{ formatFlag }

func (c *trashListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	columns := []string{"id", "noun", "name", "deletedAt", "until", "clientId", "records", "files"}
	var rows [][]any // all before any is printed: a pager would hold up the statement
	err := store.EachTrashed(ctx, func(d *backoffice.Trashed) error {
		rows = append(rows, []any{d.ID, string(d.Noun), given(d.Name()), given(d.At), given(d.Until),
			given(d.ClientID), d.Rows(), len(d.FileKeys())})
		return nil
	})
	if err != nil {
		return err
	}
	return listAll(c.formatFlag, t.out, columns, rows, func(row []any) []any { return row })
}

type trashRestoreCommand struct {
	IDs []string `arg:"" name:"id" help:"What to restore, from list. Relations between these customers are restored too."`
}

func (c *trashRestoreCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	restored, err := b.Service().RestoreTrashed(ctx, c.IDs...)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(t.out, "Restored %s.\n",
		backoffice.Plural(restored.Rows, "record", "records")); err == nil && len(restored.Left) > 0 {
		_, err = fmt.Fprintf(t.out, "These relations stay in the trash until their other customer is restored: %s\n",
			strings.Join(restored.Left, ", "))
	}
	return err
}

type trashEmptyCommand struct {
	IDs []string `arg:"" optional:"" name:"id" help:"What to erase, from list."`
	All bool     `help:"Erase everything in the trash."`
}

func (c *trashEmptyCommand) Validate() error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("pass the identifiers to erase, or --all")
	}
	return nil
}

func (c *trashEmptyCommand) Run(ctx context.Context, s *settings, b *gateway.Backend, t terminal) error {
	ids := c.IDs
	if c.All {
		err := b.Store.EachTrashed(ctx, func(d *backoffice.Trashed) error { ids = append(ids, d.ID); return nil })
		if err != nil {
			return err
		}
	}
	erased, err := b.Service().EmptyTrash(ctx, ids...)
	if err != nil {
		return err
	}
	if len(erased) == 0 && !c.All {
		return errors.New("none of these is in the trash")
	}
	if unknown := len(backoffice.Unique(ids)) - len(erased); unknown > 0 && !c.All {
		fmt.Fprintf(t.err, "%s not in the trash.\n",
			backoffice.Plural(unknown, "of these was", "of these were"))
	}
	compactErased(ctx, b, t)
	return printed(fmt.Fprintf(t.out, "Erased %s permanently.\n%s",
		backoffice.Plural(len(erased), "deletion", "deletions"), s.ShippedOfErased(time.Now())))
}

// compactErased compacts an embedded store after a command that erased: no server may be running.
func compactErased(ctx context.Context, b *gateway.Backend, t terminal) {
	embedded, ok := b.Store.(*sqlite.Store)
	if !ok {
		return
	}
	if _, large, err := embedded.CompactErased(ctx); large || err != nil { // a server writes
		fmt.Fprintln(t.err, "Traces remain in the database's file until you run backoffice compact.")
	}
}
