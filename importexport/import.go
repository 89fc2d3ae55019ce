package importexport

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

type Importer struct {
	Store backoffice.Store
	Files backoffice.FileStore
	Keys  *privacy.Keyset
	// Rejects, if set, is a folder that does not exist yet or is empty. Lines that cannot be loaded are written there
	// unchanged, with their reasons and files, and all others are loaded.
	Rejects string
	// Repair are fields, by their names in the folder, to leave out of a line when they are invalid.
	Repair []string
	// Mapping is how columns and values of spreadsheets become fields, by the file's name without its extension.
	Mapping map[string]Mapping
	// Key, if set, finds records without an _id by what people know of them: see Keys.
	Key string
	// Language is that of an office's words in spreadsheets, "" for all that mean one thing in every language.
	Language backoffice.LabelLanguage
	// AllowDeletions is how many records of a noun an import may delete: see MostDeletions.
	AllowDeletions int
	// Trash, if not 0, is how long deleted customers and relations can be restored.
	Trash time.Duration
	// Numbered, if set, is called with the number of an import that Undo can take back, before it changes anything.
	Numbered func(number int64)
	// DryRun does everything in a transaction that is not committed, for the counts alone. Bad lines are counted and do
	// not stop it. It blocks other writers as long as it runs; copy the embedded store instead.
	DryRun bool
	// Portion, if not 0, is the most lines without attachments to write at a time; fewer when they take long. Others
	// write in between, and readers see part of a file. After an interruption the next import continues.
	Portion int
	// Action is its name in the change log, "" for import. ClientID is the client that asked for it, "" for none.
	Action, ClientID string
	// Progress, if set, is called from time to time with the progress of a file.
	Progress func(Progress)
	// Waiting, if set, is called once with another import that this one waits for.
	Waiting func(Running)
}

type Progress struct {
	File    string
	Writing bool // the changes are being written
	Records int
	Done    int64 // bytes of the file, or records when exporting
	Size    int64
}

// Loaded counts the results of one file's lines.
type Loaded struct {
	File      string
	Created   int
	Updated   int
	Deleted   int
	Unchanged int // the store had it already, or it was deleted before
	Rejected  int
	Reasons   []Reason
	Bad       []BadLine // the first MaxBadLines of the rejected lines
	Repaired  []BadLine // lines loaded without their invalid fields
	Notes     []string  // how the file was read, where that is not as it seems
}

func (l Loaded) Lines() int { return l.Created + l.Updated + l.Deleted + l.Unchanged + l.Rejected }

// Summary lists the counts, those of rejected and repaired lines only if there are any.
func (l *Loaded) Summary() string {
	text := fmt.Sprintf("%d created, %d updated, %d deleted, %d unchanged",
		l.Created, l.Updated, l.Deleted, l.Unchanged)
	if l.Rejected > 0 {
		text += fmt.Sprintf(", %d rejected", l.Rejected)
	}
	if len(l.Repaired) > 0 {
		text += fmt.Sprintf(", %d repaired", len(l.Repaired))
	}
	return text
}

// Add adds the results of more of the same lines, except for its notes.
func (l *Loaded) Add(more Loaded) {
	l.Created, l.Updated, l.Deleted = l.Created+more.Created, l.Updated+more.Updated, l.Deleted+more.Deleted
	l.Unchanged, l.Rejected = l.Unchanged+more.Unchanged, l.Rejected+more.Rejected
	l.Bad, l.Repaired = append(l.Bad, more.Bad...), append(l.Repaired, more.Repaired...)
	counts := map[Fault]int{}
	for _, reason := range slices.Concat(l.Reasons, more.Reasons) {
		counts[reason.Fault] += reason.Lines
	}
	l.Reasons = reasonsOf(counts)
}

type importing struct {
	*Importer
	folder   *os.Root
	files    map[string]string // their names, by what they have: customers
	sources  []opened
	now      time.Time
	repairs  map[string]bool
	rejects  *Rejects      // nil when there is no folder for them
	rejected rejectedIDs   // so far
	stream   bool          // lines come from a Stream
	dry      backoffice.Tx // the transaction of a dry run
	noted    int64         // the number of its act in the change log, once it has one
	undo     int64         // the number of the import to take back
}

// Import loads the files of a folder, or one file, in order, each in its own transaction, and stops at the first that
// cannot be loaded. It first waits for any running import to end. It returns what was loaded, even with an error: a
// *BadFile when a file has bad lines, else one of the folder or the store. Importing the same again changes nothing.
func (i *Importer) Import(ctx context.Context, folder string) (all []Loaded, err error) {
	root, files, err := i.open(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	im, err := i.importing(root)
	if err != nil {
		return nil, err
	}
	im.files = files
	if i.Rejects != "" {
		if im.rejects, err = NewRejects(i.Rejects); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, im.rejects.Close()) }()
	}
	if !i.DryRun {
		end, err := i.turn(ctx)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	defer im.closeAll()
	if err := im.openAll(); err != nil {
		return nil, err
	}
	if i.DryRun {
		return im.rehearse(ctx)
	}
	return im.loadAll(ctx)
}

func (i *Importer) importing(folder *os.Root) (im *importing, err error) {
	rejected := rejectedIDs{seed: maphash.MakeSeed(), sums: map[uint64]struct{}{}}
	im = &importing{Importer: i, folder: folder, now: time.Now(), rejected: rejected}
	if err := checkKey(i.Key); err != nil {
		return nil, err
	}
	im.repairs, err = repairable(i.Repair)
	return im, err
}

// opened is a table with the file of its lines.
type opened struct {
	table
	source source
}

// openAll opens every file, to find unreadable files and unknown columns before anything is loaded.
func (im *importing) openAll() error {
	for _, t := range inOrder() {
		src, err := t.open(im)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		im.sources = append(im.sources, opened{t, src})
	}
	return nil
}

func (im *importing) closeAll() {
	for _, o := range im.sources {
		o.source.close()
	}
}

func (im *importing) loadAll(ctx context.Context) (all []Loaded, err error) {
	for _, o := range im.sources {
		loaded, err := o.loadFrom(ctx, im, o.source)
		if err != nil {
			return all, err
		}
		all = append(all, loaded)
	}
	return all, nil
}
