package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type trashCommand struct {
	List    trashListCommand    `cmd:"" help:"List what was deleted and can be brought back (serve --trash), the latest first."`
	Restore trashRestoreCommand `cmd:"" help:"Bring back what was deleted, with all that went with it."`
	Empty   trashEmptyCommand   `cmd:"" help:"Erase for good what was deleted, before its time is over."`
}

type trashListCommand struct{ formatFlag }

func (c *trashListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	columns := []string{"id", "noun", "name", "deletedAt", "until", "clientId", "records", "files"}
	return c.list(t.out, columns, func(add adder) error {
		return store.EachTrashed(ctx, func(d *backoffice.Trashed) error {
			return add(d.ID, string(d.Noun), textOf(d.Name()), moment(d.At), moment(d.Until), textOf(d.ClientID),
				d.Rows(), len(d.FileKeys()))
		})
	})
}

type trashRestoreCommand struct {
	IDs []string `arg:"" name:"id" help:"What to bring back, as list names it. Customers that had relations with each other come back together."`
}

func (c *trashRestoreCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	restored, err := b.Service().RestoreTrashed(ctx, c.IDs...)
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(t.out, "%s back.\n",
		backoffice.Plural(restored.Rows, "record is", "records are")); err == nil && len(restored.Left) > 0 {
		_, err = fmt.Fprintf(t.out, "These relations stay in the trash, and come back with their other customer: %s\n",
			strings.Join(restored.Left, ", "))
	}
	return err
}

type trashEmptyCommand struct {
	IDs []string `arg:"" optional:"" name:"id" help:"What to erase, as list names it."`
	All bool     `help:"Erase all that is in the trash."`
}

func (c *trashEmptyCommand) Validate() error {
	if c.All == (len(c.IDs) > 0) {
		return errors.New("name what to erase for good, or give --all")
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
	if unknown := len(backoffice.Unique(ids)) - len(erased); unknown > 0 && !c.All {
		fmt.Fprintf(t.err, "%s not in the trash.\n",
			backoffice.Plural(unknown, "of these was", "of these were"))
	}
	return printed(fmt.Fprintf(t.out, "%s for good.\n%s",
		backoffice.Plural(len(erased), "deletion is", "deletions are"), s.ShippedOfErased(time.Now())))
}

func textOf(text string) any {
	if text == "" {
		return nil
	}
	return text
}
