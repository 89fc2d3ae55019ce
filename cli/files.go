package cli

import (
	"context"
	"errors"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
)

type filesCommand struct {
	List    filesListCommand    `cmd:"" help:"List quarantined files, which no record uses."`
	Restore filesRestoreCommand `cmd:"" help:"Restore quarantined files."`
	Sweep   filesSweepCommand   `cmd:"" help:"Quarantine files that no record uses. Servers do it themselves when there are few."`
}

type filesListCommand struct{ formatFlag }

func (c *filesListCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	return c.list(t.out, []string{"key", "since"}, func(add adder) error {
		return files.Quarantined(ctx, b.Store, b.Files, func(key string, since backoffice.Instant) error {
			return add(key, given(since))
		})
	})
}

type filesRestoreCommand struct {
	Keys []string `arg:"" optional:"" name:"key" help:"The keys of files to restore, from list."`
	All  bool     `help:"Restore all."`
}

func (c *filesRestoreCommand) Validate() error {
	if c.All == (len(c.Keys) > 0) {
		return errors.New("pass the keys of files, or --all")
	}
	return nil
}

func (c *filesRestoreCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	count, err := files.Restore(ctx, b.Store, b.Files, c.Keys...)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "Restored %s. Those that no record uses stay for 30 days.\n",
		backoffice.Plural(count, "file", "files")))
}

type filesSweepCommand struct {
	Yes bool `help:"Quarantine any number of files. Without it, at most 100 files and 2 %."`
}

func (c *filesSweepCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	swept, err := files.Sweep(ctx, b.Store, b.Files, c.Yes)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "%d files: %d quarantined for 30 days, %d restored because a record uses them, "+
		"%d deleted after their 30 days\n", swept.Seen, swept.Quarantined, swept.BroughtBack, swept.Deleted))
}
