package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/importexport"
	"example.org/backoffice/store/sqlite"
)

// portionLines is the most lines in one transaction of the embedded store, which has one writer at a time.
const portionLines = 1000

type importCommand struct {
	Path    string   `arg:"" predictor:"path" help:"The folder with the NDJSON or CSV files; see docs/import.md."`
	Rejects string   `placeholder:"FOLDER" predictor:"path" help:"Load what is right, and put each line that is not into this folder, with the reasons in reasons.csv. Exit code 3 when there are any."`
	Repair  []string `placeholder:"FIELD,…" help:"Load lines of which one of these fields is wrong without it, and list them."`
	Mapping string   `placeholder:"FILE" predictor:"path" help:"JSON that names the fields for columns of CSV files that have other names: {\"customers\":{\"Klantnaam\":\"name\"}}."`
	DryRun  bool     `help:"Write nothing, and tell what would be created, updated, deleted and rejected."`
}

// rejectedLines is the error of an import that loaded all lines but these.
type rejectedLines struct {
	lines int
	dry   bool
}

func (e *rejectedLines) Error() string {
	if e.dry {
		return fmt.Sprintf("lines that would be rejected: %d", e.lines)
	}
	return fmt.Sprintf("lines that were rejected: %d; all others were loaded", e.lines)
}

// Run loads the files in order and prints their results; for the first bad file, its bad lines and why.
func (c *importCommand) Run(ctx context.Context, s *settings, t terminal) (err error) {
	var mapping map[string]map[string]string
	if c.Mapping != "" {
		text, err := os.ReadFile(c.Mapping)
		if err == nil {
			mapping, err = importexport.ParseMapping(text)
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", c.Mapping, err)
		}
	}
	h, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	bar := newProgress(t.err, true)
	importer := &importexport.Importer{
		Store: h.Store, Files: h.Files, Keys: h.Keys,
		Rejects: c.Rejects, Repair: c.Repair, DryRun: c.DryRun, Mapping: mapping,
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
	live, embedded := h.Store.(*sqlite.Store)
	if embedded {
		importer.Portion = portionLines
	}
	if embedded && c.DryRun {
		copied, remove, err := copyOf(ctx, live)
		if err != nil {
			return err
		}
		defer remove()
		importer.Store = copied
	}
	all, err := importer.Import(ctx, c.Path)
	bar.end()
	rejected := 0
	for i := range all {
		c.tell(&all[i], t)
		rejected += all[i].Rejected
	}
	if bad, ok := errors.AsType[*importexport.BadFile](err); ok {
		for _, report := range bad.Reports() {
			fmt.Fprintln(t.err, report)
		}
		return fmt.Errorf("%w; fix them and import the folder again, what was loaded already stays as it is", bad)
	}
	if err == nil && rejected > 0 {
		return &rejectedLines{rejected, c.DryRun}
	}
	return err
}

func (c *importCommand) tell(loaded *importexport.Loaded, t terminal) {
	fmt.Fprintf(t.out, "%s: %d created, %d updated, %d deleted, %d unchanged",
		loaded.File, loaded.Created, loaded.Updated, loaded.Deleted, loaded.Unchanged)
	if loaded.Rejected > 0 {
		fmt.Fprintf(t.out, ", %d rejected", loaded.Rejected)
	}
	if len(loaded.Repaired) > 0 {
		fmt.Fprintf(t.out, ", %d repaired", len(loaded.Repaired))
	}
	fmt.Fprintln(t.out)
	for _, reason := range loaded.Reasons {
		fmt.Fprintf(t.out, "  %d rejected: %s\n", reason.Lines, reason.Fault)
	}
	if c.Rejects != "" {
		return // they are listed there
	}
	for i := range loaded.Bad {
		fmt.Fprintln(t.err, loaded.Bad[i].Report(loaded.File))
	}
	for i := range loaded.Repaired {
		fmt.Fprintln(t.err, loaded.Repaired[i].Report(loaded.File)+"; left out, and the rest loaded")
	}
}

// copyOf opens a copy of the embedded store, so that a dry run blocks no writer.
func copyOf(ctx context.Context, live *sqlite.Store) (copied backoffice.Store, end func(), err error) {
	folder, remove, err := files.NewTemp()
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(folder, backupDatabase)
	store, err := (*sqlite.Store)(nil), live.Backup(ctx, path)
	if err == nil {
		store, err = sqlite.Open(ctx, "sqlite:"+path, sqlite.Options{})
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return store, func() {
		_ = store.Close()
		remove()
	}, nil
}
