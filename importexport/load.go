package importexport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	chunkRows  = 1000    // lines sent to the store together
	chunkBytes = 4 << 20 // of their text, about
	knownRefs  = 20_000  // identifiers whose noun is remembered
	attempts   = 3       // of a file whose records others change between staging and applying
)

// loading is one reading of lines of one file. A file is read twice. Staging, which blocks no writer of the store,
// checks every line and notes those that change something. Only these are applied, in the one transaction of the file.
type loading[T any, C comparable] struct {
	*noun[T, C]
	im           *importing
	in           backoffice.NounReader // for rules across nouns: a snapshot, or a transaction
	rows         backoffice.Reader[*T, C]
	tx           backoffice.Tx            // nil while staging
	writer       backoffice.Writer[*T, C] // the same
	now          backoffice.Instant
	versionsFrom int // see backoffice.Tx
	refs         map[string]backoffice.Noun
	bad          badLines
	loaded       Loaded
	all          []*entry[T] // the lines of the chunk
	claims       claims
	source       source
	known        *known
	stored       *storedFiles          // during staging
	parked       map[string]*T         // rows before they gave up their unique value
	names        map[fieldSet][]string // of changed fields, for the change log
	out          []byte
}

func (n *noun[T, C]) newLoading(
	im *importing, s *staged, in backoffice.NounReader, rows backoffice.Reader[*T, C],
) *loading[T, C] {
	return &loading[T, C]{
		noun: n, im: im, in: in, rows: rows, now: backoffice.InstantOf(time.Now()), refs: map[string]backoffice.Noun{},
		names: map[fieldSet][]string{}, loaded: Loaded{File: s.name},
		claims: claims{seed: maphash.MakeSeed(), first: map[uint64][]backoffice.Period{}, leaving: map[uint64]bool{}},
		stored: &s.stored, known: &s.known, source: s.source, bad: badLines{all: im.rejecting()},
	}
}

var (
	// errContested ends an attempt in which the store rejected a row; the next one first resolves unique values.
	errContested = errors.New("the store rejected a row")
	// errStale means that the staged lines no longer fit the store.
	errStale   = errors.New("a record changed after its line was read")
	errChanged = errors.New("the file changed while it was imported; import the folder again")
)

// loadFrom loads a source's lines: all of them or, unless in portions, nothing.
func (n *noun[T, C]) loadFrom(ctx context.Context, im *importing, src source) (Loaded, error) {
	var before Loaded // in portions of earlier attempts: those lines are unchanged by now
	for attempt := 1; ; attempt++ {
		loaded, err := n.loadOnce(ctx, im, src)
		if stale := errors.Is(err, errStale); !stale || attempt == attempts {
			loaded.Add(before)
			if done := loaded.Created + loaded.Updated + loaded.Deleted; stale && done > 0 {
				err = fmt.Errorf("%s: %w", src.name, err)
			} else if stale {
				err = src.notLoaded(err)
			}
			return loaded, err
		}
		loaded.Unchanged = -loaded.Created - loaded.Updated - loaded.Deleted
		before.Add(loaded)
	}
}

func (n *noun[T, C]) loadOnce(ctx context.Context, im *importing, src source) (_ Loaded, err error) {
	s := &staged{source: src, seed: maphash.MakeSeed(), stored: storedFiles{im: im, put: map[string]bool{}}}
	s.known.nouns = map[backoffice.Noun]map[string][]candidate{}
	defer func() { s.stored.close(ctx, err) }()
	var bad *BadFile
	if err := n.stage(ctx, im, s); errors.As(err, &bad) {
		return Loaded{}, bad
	} else if err != nil {
		return Loaded{}, src.notLoaded(err)
	}
	loaded, known, err := n.apply(ctx, im, s)
	switch {
	case err == nil:
		im.rejected.add(s.rejected)
		s.stored.drop(ctx, s.lines)
		return loaded, nil
	case im.rejecting() && errors.As(err, &bad): // the next attempt rejects the lines that are bad now
		return s.soFar, errStale
	case errors.Is(err, errStale):
		return s.soFar, err
	case !known: // it may have been committed
		return Loaded{}, fmt.Errorf("%s: %w", src.name, err)
	case errors.As(err, &bad):
		return Loaded{}, bad
	}
	return Loaded{}, src.notLoaded(err)
}

func (s source) notLoaded(err error) error {
	return fmt.Errorf("%s: nothing of it was loaded: %w", s.name, err)
}

func cannotRead(file string, err error) error { return fmt.Errorf("cannot read %s: %w", file, err) }

// judge finds the faults of lines, and the rows that they make.
func (l *loading[T, C]) judge(ctx context.Context, all []*entry[T]) error {
	l.all = all
	if err := l.merge(ctx, all); err != nil {
		return err
	}
	for _, step := range []func(context.Context, []*entry[T]) error{l.resolve, l.attach, l.derived} {
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
	return nil
}

func (l *loading[T, C]) told(all []*entry[T]) {
	for _, e := range all {
		if len(e.faults) > 0 {
			l.bad.add(e.at, cmp.Or(e.known, e.id), e.faults...)
		}
	}
}

// sound picks the lines without a fault: those that make or change a row, and those that delete an existing one.
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

// derived sets values that depend on other records, and checks the rows.
func (l *loading[T, C]) derived(ctx context.Context, entries []*entry[T]) error {
	if l.derive != nil {
		if err := l.derive(ctx, l, entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if len(e.faults) == 0 {
			l.check(e)
		}
	}
	return nil
}
