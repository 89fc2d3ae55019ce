package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/gateway"
	"example.org/backoffice/importexport"
	"example.org/backoffice/store/sqlite"
)

// portionLines is the most lines in one transaction of the embedded store, which has one writer at a time.
const portionLines = 1000

type importCommand struct {
	Path     string   `arg:"" optional:"" predictor:"path" help:"A folder of NDJSON files or spreadsheets, or one file; see docs/import.md."`
	Rejects  string   `placeholder:"FOLDER" predictor:"path" help:"Load the valid lines, and write the others to this folder, with the reasons in reasons.csv. Exit code 3 if there are any."`
	Repair   []string `placeholder:"FIELD,…" help:"If one of these fields is invalid, load the line without it, and list the line."`
	Mapping  string   `placeholder:"FILE" predictor:"path" help:"A JSON file that maps spreadsheet columns to fields, and words to values: {\"customers\":{\"Klantnaam\":\"name\",\"type\":{\"*\":\"Company\"}}}."`
	Key      string   `placeholder:"FIELD" help:"The field that identifies records without _id: customerCode or kboNumber for customers, email for users."`
	Language string   `enum:"nl,fr,de,en," default:"" placeholder:"LANGUAGE" help:"The language of words in spreadsheets: nl, fr, de or en. Without it, words must mean one thing in all four."`
	Propose  bool     `help:"Write a mapping for one spreadsheet, next to it, for you to review."`

	AllowDeletions        int   `placeholder:"COUNT" help:"Delete up to COUNT records of a noun, even if that is more than 2 %."`
	Undo                  int64 `placeholder:"NUMBER" help:"Undo the import with this sequence number in the change log."`
	gateway.TrashSettings `embed:""`

	DryRun bool `help:"Write nothing; print what would be created, updated, deleted and rejected."`
}

// languages are those of words in spreadsheets.
var languages = map[string]backoffice.LabelLanguage{
	"nl": backoffice.LabelDutch, "fr": backoffice.LabelFrench,
	"de": backoffice.LabelGerman, "en": backoffice.LabelEnglish,
}

// Validate checks that the command has something to load, or an import to undo.
func (c *importCommand) Validate() error {
	switch {
	case c.AllowDeletions < 0 || c.Undo < 0:
		return errors.New("--allow-deletions and --undo must be 0 or more")
	case (c.Path == "") == (c.Undo == 0):
		return errors.New("pass a folder or a file, or --undo NUMBER")
	case c.Propose && (c.Undo > 0 || c.DryRun):
		return errors.New("--propose writes a mapping and imports nothing: pass it without --undo and --dry-run")
	case c.Undo > 0 && c.Rejects != "":
		return errors.New("--rejects does not apply to --undo, which prints what it does not undo")
	}
	return nil
}

// Run loads the files in order and prints their results; for the first bad file, its bad lines and why.
func (c *importCommand) Run(ctx context.Context, s *settings, t terminal) (err error) {
	if c.Propose {
		return c.propose(t)
	}
	var mapping map[string]importexport.Mapping
	if c.Mapping != "" {
		text, err := os.ReadFile(c.Mapping)
		if err == nil {
			mapping, err = importexport.ParseMapping(text)
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", c.Mapping, err)
		}
	}
	open := s.Open
	if c.Undo > 0 {
		open = s.OpenExisting
	}
	h, err := open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	bar := newProgress(t.err, true)
	importer := &importexport.Importer{
		Store: h.Store, Files: h.Files, Keys: h.Keys,
		Rejects: c.Rejects, Repair: c.Repair, DryRun: c.DryRun, Mapping: mapping,
		AllowDeletions: c.AllowDeletions, Trash: time.Duration(c.Keep),
		Key: c.Key, Language: languages[c.Language],
		Progress: func(p importexport.Progress) {
			if p.Writing {
				p.File += ", writing"
			}
			bar.at(p.File, p.Done, p.Size)
		},
		Waiting: func(r importexport.Running) {
			fmt.Fprintf(t.err, "another import is running (%s); this one starts when it ends\n", r)
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
	all, err := c.load(ctx, importer, t)
	bar.end()
	if err == nil && !c.DryRun {
		compactErased(ctx, h, t)
	}
	rejected := 0
	for i := range all {
		c.print(&all[i], t)
		rejected += all[i].Rejected
	}
	if bad, ok := errors.AsType[*importexport.BadFile](err); ok {
		for _, report := range bad.Reports() {
			fmt.Fprintln(t.err, report)
		}
		return fmt.Errorf("%w; fix them and import the folder again; what is already loaded stays unchanged", bad)
	}
	switch {
	case err != nil || rejected == 0:
		return err
	case c.Undo > 0:
		return partial(fmt.Sprintf("records that were not undone: %d", rejected))
	case c.DryRun:
		return partial(fmt.Sprintf("lines that would be rejected: %d", rejected))
	}
	return partial(fmt.Sprintf("lines that were rejected: %d; all others were loaded", rejected))
}

// load loads the folder, or undoes an import.
func (c *importCommand) load(ctx context.Context, importer *importexport.Importer, t terminal) (
	all []importexport.Loaded, err error) {
	if c.Undo > 0 {
		return importer.Undo(ctx, c.Undo)
	}
	importer.Numbered = func(number int64) {
		until := time.Now().Add(importer.Trash).UTC().Format(time.DateOnly)
		const told = "import %d: undo it with backoffice import --undo %[1]d --trash %s until %s\n"
		fmt.Fprintf(t.err, told, number, c.Keep, until)
	}
	return importer.Import(ctx, c.Path)
}

// propose writes a mapping for the spreadsheet into a new file next to it.
func (c *importCommand) propose(t terminal) error {
	proposal, err := importexport.Propose(c.Path, languages[c.Language])
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(c.Path, filepath.Ext(c.Path)) + ".mapping.json"
	err = writeFile(name, false, func(to io.Writer) error { return printed(to.Write(proposal.Mapping)) })
	if err != nil {
		return fmt.Errorf("cannot write the mapping: %w", err)
	}
	for _, note := range proposal.Notes {
		fmt.Fprintln(t.err, note)
	}
	language := ""
	if c.Language != "" {
		language = " --language " + c.Language
	}
	return printed(fmt.Fprintf(t.out, "Review %[1]q, then run:\n"+
		"backoffice import %[2]q --mapping %[1]q --key %[4]s%[3]s --dry-run\n", name, c.Path, language, proposal.Key))
}

func (c *importCommand) print(loaded *importexport.Loaded, t terminal) {
	fmt.Fprintf(t.out, "%s: %s\n", loaded.File, loaded.Summary())
	for _, note := range loaded.Notes {
		fmt.Fprintf(t.out, "  %s\n", note)
	}
	for _, reason := range loaded.Reasons {
		fmt.Fprintf(t.out, "  %d rejected: %s\n", reason.Lines, reason.Fault)
	}
	if c.Rejects != "" {
		return // they are listed there
	}
	for i := range loaded.Bad {
		if c.Undo > 0 {
			fmt.Fprintf(t.err, "%s: %s not undone: %s\n", loaded.File, loaded.Bad[i].Record, loaded.Bad[i].Faults[0])
			continue
		}
		fmt.Fprintln(t.err, loaded.Bad[i].Report(loaded.File))
	}
	for i := range loaded.Repaired {
		fmt.Fprintln(t.err, loaded.Repaired[i].Report(loaded.File)+"; loaded without it")
	}
}

// copyOf opens a copy of the embedded store, so a dry run blocks no writer.
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
