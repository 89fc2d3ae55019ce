package transfer

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"

	"example.org/backoffice/backoffice"
)

const (
	chunkRows  = 1000    // lines that travel to the store together
	chunkBytes = 4 << 20 // of their text, about
	knownRefs  = 20_000  // identifiers whose noun is remembered
)

// loading is one reading of one file, inside a transaction.
type loading[T any, C comparable] struct {
	*noun[T, C]
	im     *importing
	tx     backoffice.Tx
	rows   backoffice.Writer[*T, C]
	now    backoffice.Instant
	lines  *lines
	size   int64
	seen   map[uint64]int // a keyed hash of each identifier so far → its line
	seed   maphash.Seed
	refs   map[string]backoffice.Noun
	bad    badLines
	loaded Loaded
	all    []*entry[T]           // the lines of the chunk
	put    []string              // keys of the files that this reading has stored
	names  map[fieldSet][]string // of changed fields, for the change log

	careful   int  // from this line on one row at a time, each looked up before it is written
	clashedAt int  // the first line of the chunk that the store has refused
	broken    bool // the transaction may be of no more use, so reading stops
	out       []byte
}

// errClash ends a reading whose chunk the store has refused; the next one finds the line.
var errClash = errors.New("the store refuses a row of this chunk")

// load reads the noun's file in one transaction. fs.ErrNotExist when there is none.
func (n *noun[T, C]) load(ctx context.Context, im *importing) (Loaded, error) {
	file, err := im.folder.Open(n.file)
	if err != nil {
		return Loaded{}, cannotRead(n.file, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return Loaded{}, cannotRead(n.file, err)
	}
	if !info.Mode().IsRegular() {
		return Loaded{}, fmt.Errorf("%s is not a file", n.file)
	}
	careful := 0
	for {
		var last *loading[T, C]
		var failed error
		err := im.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
			if last != nil {
				last.dropFiles(ctx) // this transaction is run again
			}
			last = &loading[T, C]{
				noun: n, im: im, tx: tx, rows: n.writer(tx), now: backoffice.InstantOf(im.now), size: info.Size(),
				seen: map[uint64]int{}, seed: maphash.MakeSeed(), refs: map[string]backoffice.Noun{},
				names: map[fieldSet][]string{}, careful: careful, loaded: Loaded{File: n.file},
			}
			failed = last.read(ctx, file)
			return failed
		})
		switch {
		case err == nil:
			return last.loaded, nil
		case failed == nil: // whether it was committed is not known, so the files stay; a sweep takes them if not
			return Loaded{}, fmt.Errorf("%s: %w", n.file, err)
		}
		last.dropFiles(ctx)
		var bad *BadFile
		switch {
		case errors.Is(failed, errClash) && careful == 0:
			careful = last.clashedAt
		case errors.As(failed, &bad):
			return Loaded{}, bad
		default:
			return Loaded{}, fmt.Errorf("%s: nothing of it was loaded: %w", n.file, err)
		}
	}
}

// dropFiles removes what a reading stored whose transaction came to nothing. What it cannot remove, a sweep takes later.
func (l *loading[T, C]) dropFiles(ctx context.Context) {
	if len(l.put) > 0 {
		_ = l.im.Files.Delete(context.WithoutCancel(ctx), l.put...)
	}
}

// read reads the file from its start to its end, or until enough lines are bad.
func (l *loading[T, C]) read(ctx context.Context, file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return cannotRead(l.file, err)
	}
	l.lines = newLines(file)
	var entries []*entry[T]
	bytes := 0
	for !l.bad.full() && !l.broken {
		text, err := l.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			if err := l.chunk(ctx, entries); err != nil {
				return err
			}
			return l.bad.of(l.file, l.broken)
		case errors.Is(err, errLongLine):
			l.bad.add(l.lines.number, Fault{Why: err.Error()})
			continue
		case err != nil:
			return cannotRead(l.file, err)
		}
		e := l.parse(text)
		if len(e.faults) > 0 {
			l.bad.add(e.line, e.faults...)
			continue
		}
		entries, bytes = append(entries, e), bytes+len(text)
		slow := l.careful > 0 && e.line >= l.careful
		if (len(entries) >= chunkRows || bytes >= chunkBytes || slow) && !l.atOnce {
			if err := l.chunk(ctx, entries); err != nil {
				return err
			}
			entries, bytes = entries[:0], 0
		}
	}
	if err := l.chunk(ctx, entries); err != nil && !l.broken {
		return err
	}
	return l.bad.of(l.file, true)
}

func cannotRead(file string, err error) error { return fmt.Errorf("cannot read %s: %w", file, err) }

// chunk brings the store in step with some lines.
func (l *loading[T, C]) chunk(ctx context.Context, all []*entry[T]) error {
	if len(all) == 0 {
		return nil
	}
	l.all = all
	if err := l.merge(ctx, all); err != nil {
		return err
	}
	for _, step := range []func(context.Context, []*entry[T]) error{l.resolve, l.attach, l.settled} {
		entries, _ := l.sound(all)
		if err := step(ctx, entries); err != nil {
			return err
		}
	}
	if _, deleted := l.sound(all); l.keep != nil && len(deleted) > 0 {
		if err := l.keep(ctx, l, deleted); err != nil {
			return err
		}
	}
	for _, e := range all {
		if len(e.faults) > 0 {
			l.bad.add(e.line, e.faults...)
		} else if e.deleted && e.old == nil {
			l.loaded.Unchanged++
		}
	}
	entries, deleted := l.sound(all)
	if err := l.deleteRows(ctx, deleted); err != nil {
		return err
	}
	if err := l.writeRows(ctx, entries); err != nil {
		return err
	}
	if l.im.Progress != nil {
		l.im.Progress(Progress{File: l.file, Records: l.loaded.Lines(), Done: l.lines.read, Size: l.size})
	}
	return ctx.Err()
}

// sound picks the lines without a fault: those that make or change a row, and those that delete one that is there.
func (l *loading[T, C]) sound(all []*entry[T]) (entries, deleted []*entry[T]) {
	for _, e := range all {
		switch {
		case len(e.faults) > 0:
		case !e.deleted:
			entries = append(entries, e)
		case e.old != nil:
			deleted = append(deleted, e)
		}
	}
	return entries, deleted
}

// settled works out what follows from other records, and checks the rows.
func (l *loading[T, C]) settled(ctx context.Context, entries []*entry[T]) error {
	if l.settle != nil {
		if err := l.settle(ctx, l, entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if len(e.faults) == 0 {
			e.faults = faultsOf(l.noun.check(e.row))
		}
	}
	return nil
}
