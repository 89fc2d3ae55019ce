package files_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/files"
	"example.org/backoffice/store/sqlite"
)

// pair is a database with the folder that its files are in, and the backups of both.
type pair struct {
	*records
	dir     string // of the files
	backups []backup
}

type backup struct{ database, dir string }

// lives plays what happens to two pairs. The hooks break a rule on purpose.
type lives struct {
	t        *testing.T
	pairs    [2]*pair
	folders  int
	guard    func(files.Store, backoffice.FileRegister) files.Store
	register func(*records) backoffice.FileRegister
}

// happening is one step: what, to which of the pairs, and how much of it.
type happening struct {
	What string
	At   int
	N    int
}

var happenings = rapid.SliceOfN(rapid.Custom(func(r *rapid.T) happening {
	return happening{
		What: rapid.SampledFrom([]string{"import", "import", "import while others sweep", "kill", "start", "start over the other's", "sweep all", "clock", "backup", "restore"}).Draw(r, "what"),
		At:   rapid.IntRange(0, 1).Draw(r, "at"), N: rapid.IntRange(1, 4).Draw(r, "n"),
	}
}), 8, 20)

func newLives(t *testing.T) *lives {
	l := &lives{t: t, guard: func(s files.Store, _ backoffice.FileRegister) files.Store { return s }, register: func(r *records) backoffice.FileRegister { return r }}
	for i := range l.pairs {
		l.pairs[i] = &pair{records: openRecords(t), dir: l.folder()}
		claim(t, l.pairs[i], l.open(l.pairs[i].dir, l.pairs[i]))
	}
	return l
}

func (l *lives) folder() string {
	l.folders++
	return filepath.Join(l.t.TempDir(), fmt.Sprint("files-", l.folders))
}

func (l *lives) open(dir string, of *pair) files.Store {
	return l.guard(unsynced{openFolder(l.t, dir), dir}, of)
}

// start is what a server does when it starts, and every hour.
func (l *lives) start(ctx context.Context, p *pair, dir string, all bool) {
	store, register := l.open(dir, p), l.register(p.records)
	if files.Claim(ctx, register, store) != nil {
		return
	}
	_, _ = files.RemoveForgotten(ctx, register, store)
	_, _ = files.Sweep(ctx, register, store, all)
}

// write imports some files; while meanwhile runs, none of their records is committed.
func (l *lives) write(p *pair, n int, kill bool, meanwhile func(ctx context.Context)) {
	ctx, store := l.t.Context(), l.open(p.dir, p)
	upload, err := backoffice.BeginUpload(ctx, p, store)
	if err != nil {
		l.t.Fatal(err)
	}
	var written []backoffice.File
	for i := range n {
		file, err := upload.Put(ctx, strings.NewReader(fmt.Sprint(i)), "text/plain")
		if err != nil {
			l.t.Fatal(err)
		}
		written = append(written, file)
	}
	if kill {
		upload.Close(ctx, nil)
		return
	}
	err = p.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		if err := p.name(ctx, tx, written...); err != nil {
			return err
		}
		if err := upload.Commit(ctx, tx); err != nil {
			return err
		}
		if meanwhile != nil { // the database is locked: who would write has to give up
			ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
			defer cancel()
			meanwhile(ctx)
		}
		return nil
	})
	upload.Close(ctx, err)
}

// happen plays one step.
func (l *lives) happen(h happening) {
	p, other := l.pairs[h.At], l.pairs[1-h.At]
	ctx := l.t.Context()
	switch h.What {
	case "import":
		l.write(p, 5*h.N, false, nil)
	case "import while others sweep":
		l.write(p, h.N, false, func(ctx context.Context) {
			l.start(ctx, p, p.dir, true)
			l.start(ctx, other, p.dir, true)
		})
	case "kill":
		l.write(p, h.N, true, nil)
	case "start":
		l.start(ctx, p, p.dir, false)
	case "start over the other's":
		l.start(ctx, p, other.dir, h.N > 2)
	case "sweep all":
		l.start(ctx, p, p.dir, true)
	case "clock":
		p.later(l.t, []time.Duration{-time.Hour, time.Hour, 24 * time.Hour, backoffice.QuarantinePeriod + time.Hour}[h.N-1])
		past := time.Now().Add(-48 * time.Hour)
		_ = filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, _ error) error { return os.Chtimes(path, past, past) })
	case "backup":
		b := backup{filepath.Join(l.t.TempDir(), "backup.db"), l.folder()}
		if err := p.Backup(ctx, b.database); err != nil {
			l.t.Fatal(err)
		}
		if err := os.CopyFS(b.dir, os.DirFS(p.dir)); err != nil {
			l.t.Fatal(err)
		}
		p.backups = append(p.backups, b)
	case "restore":
		if len(p.backups) == 0 {
			return
		}
		b := p.backups[h.N%len(p.backups)]
		database := filepath.Join(l.t.TempDir(), "restored.db")
		copyTo(l.t, database, b.database)
		restored, err := sqlite.Open(ctx, "sqlite:"+database, sqlite.Options{Readers: 1})
		if err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { _ = restored.Close() })
		_ = p.Close()
		p.records = &records{Store: restored, path: database, named: p.named}
		p.dir = l.folder()
		if err := os.CopyFS(p.dir, os.DirFS(b.dir)); err != nil {
			l.t.Fatal(err)
		}
	}
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(target, source); err != nil {
		t.Fatal(err)
	}
	if err := target.Close(); err != nil {
		t.Fatal(err)
	}
}

// lost counts the files that a record of either database names and that are not where they belong.
func (l *lives) lost() (count int) {
	for _, p := range l.pairs {
		pages, err := backoffice.ReadPages(l.t.Context(), p.Documents(), backoffice.ListQuery[backoffice.DocumentCriteria]{Window: backoffice.Window{Limit: 5000}}, []string{backoffice.NoParent}, 0)
		if err != nil {
			l.t.Fatal(err)
		}
		var keys []string
		for _, document := range pages[backoffice.NoParent].Items {
			keys = append(keys, document.File.Key)
		}
		missing, err := openFolder(l.t, p.dir).Missing(l.t.Context(), keys)
		if err != nil {
			l.t.Fatal(err)
		}
		count += len(missing)
	}
	return count
}

// play plays a sequence and returns after which step a file was lost, "" when none was.
func (l *lives) play(sequence []happening) string {
	for i, h := range sequence {
		l.happen(h)
		if lost := l.lost(); lost > 0 {
			return fmt.Sprintf("%d files were lost by step %d of %+v", lost, i, sequence[:i+1])
		}
	}
	return ""
}

const sequences = 20

func TestNoFileThatARecordNamesIsEverLost(t *testing.T) {
	t.Parallel()
	for seed := range sequences {
		if lost := newLives(t).play(happenings.Example(seed)); lost != "" {
			t.Fatal(lost)
		}
	}
}

// anyones is a files store that lets every database pass for its owner.
type anyones struct {
	files.Store
	register backoffice.FileRegister
}

func (a anyones) Owner(ctx context.Context) (string, error) { return a.register.Fingerprint(ctx) }

// forgetful is a register that knows of no uploads.
type forgetful struct{ *records }

func (f forgetful) OrphanFiles(ctx context.Context, keys []string) (orphans []string, err error) {
	known, err := f.KnownFiles(ctx, keys)
	for _, key := range keys {
		if !known[key] {
			orphans = append(orphans, key)
		}
	}
	return orphans, err
}

func (f forgetful) QuarantineFiles(ctx context.Context, keys []string) ([]string, error) {
	return f.OrphanFiles(ctx, keys)
}

func TestALostFileIsNoticed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*lives){
		"a sweep of files that are another's": func(l *lives) {
			l.guard = func(s files.Store, r backoffice.FileRegister) files.Store { return anyones{s, r} }
		},
		"a sweep that knows no uploads": func(l *lives) {
			l.register = func(r *records) backoffice.FileRegister { return forgetful{r} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range sequences {
				l := newLives(t)
				spoil(l)
				if l.play(happenings.Example(seed)) != "" {
					return
				}
			}
			t.Error("it was not noticed")
		})
	}
}
