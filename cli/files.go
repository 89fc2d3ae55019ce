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
	List    filesListCommand    `cmd:"" help:"List the files in quarantine, which no record names."`
	Restore filesRestoreCommand `cmd:"" help:"Bring files back from quarantine."`
	Sweep   filesSweepCommand   `cmd:"" help:"Set aside the files that no record names. A server does so by itself when they are few."`
}

type filesListCommand struct{ formatFlag }

func (c *filesListCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	return c.list(t.out, []string{"key", "since"}, func(add adder) error {
		return files.Quarantined(ctx, b.Store, b.Files, func(key string, since backoffice.Instant) error {
			return add(key, moment(since))
		})
	})
}

type filesRestoreCommand struct {
	Keys []string `arg:"" optional:"" name:"key" help:"What to bring back, as list names it."`
	All  bool     `help:"Bring back all."`
}

func (c *filesRestoreCommand) Validate() error {
	if c.All == (len(c.Keys) > 0) {
		return errors.New("name the files to bring back, or give --all")
	}
	return nil
}

func (c *filesRestoreCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	count, err := files.Restore(ctx, b.Store, b.Files, c.Keys...)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "%s back. Those that no record names stay for 30 days.\n",
		backoffice.Plural(count, "file is", "files are")))
}

type filesSweepCommand struct {
	Yes bool `help:"Set aside however many there are. Without it, no more than 100 files, nor 2 %."`
}

func (c *filesSweepCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	swept, err := files.Sweep(ctx, b.Store, b.Files, c.Yes)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "%d files: %d set aside for 30 days, %d brought back since a record names them, "+
		"%d deleted that were set aside for longer\n", swept.Seen, swept.Quarantined, swept.BroughtBack, swept.Deleted))
}
