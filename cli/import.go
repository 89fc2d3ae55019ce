package cli

import (
	"context"
	"errors"
	"fmt"

	"example.org/backoffice/importexport"
)

// importCommand loads an import folder.
type importCommand struct {
	Path string `arg:"" help:"The folder with the NDJSON files; docs/import.md describes it."`
}

// Run loads the files in their order and tells what each has done; of the first bad one, which lines are bad and why.
func (c *importCommand) Run(ctx context.Context, s *settings, t terminal) error {
	h, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	bar := newProgress(t.err, true)
	importer := &importexport.Importer{
		Store: h.Store, Files: h.Files, Keys: h.Keys,
		Progress: func(p importexport.Progress) {
			if p.Writing {
				p.File += ", writing"
			}
			bar.at(p.File, p.Done, p.Size)
		},
		Waiting: func(r importexport.Running) {
			fmt.Fprintf(t.err, "another import runs (%s); this one begins when it has ended\n", r)
		},
	}
	all, err := importer.Import(ctx, c.Path)
	bar.end()
	for _, loaded := range all {
		fmt.Fprintf(t.out, "%s: %d created, %d updated, %d deleted, %d unchanged\n",
			loaded.File, loaded.Created, loaded.Updated, loaded.Deleted, loaded.Unchanged)
	}
	var bad *importexport.BadFile
	if errors.As(err, &bad) {
		for _, report := range bad.Reports() {
			fmt.Fprintln(t.err, report)
		}
		return fmt.Errorf("%w; fix them and import the folder again, what was loaded already stays as it is", bad)
	}
	return err
}
