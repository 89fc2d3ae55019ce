package importexport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
)

const (
	portionTime     = 50 * time.Millisecond // for the transaction of a portion, which sizes the next one
	betweenPortions = 30 * time.Millisecond // for others' writes; SQLite polls for the lock more often
	fewestLines     = 10
)

// apply writes what was staged to the store, in portions or in one transaction, where readers see all of the file or
// nothing. known is false for an error after which the store may have some of it.
func (n *noun[T, C]) apply(ctx context.Context, im *importing, s *staged) (loaded Loaded, known bool, err error) {
	s.soFar = Loaded{File: s.name, Unchanged: s.unchanged}
	for _, line := range s.lines {
		s.toWrite += int64(line.length)
	}
	if len(s.lines) == 0 {
		return s.report(s.soFar), true, im.writeRejects(s)
	}
	if im.Portion == 0 || im.dry != nil || s.stored.upload != nil || n.atOnce || s.contested {
		return n.applyLines(ctx, im, s)
	}
	slices.SortStableFunc(s.lines, func(a, b stagedLine) int { return order(!a.deleted) - order(!b.deleted) })
	size := min(im.Portion, 100)
	for first, rest := true, s.lines; len(rest) > 0; first = false {
		s.lines = rest[:min(size, len(rest))]
		rest = rest[len(s.lines):]
		if loaded, known, err = n.applyLines(ctx, im, s); err == nil && len(rest) > 0 {
			known, err = false, backoffice.Sleep(ctx, betweenPortions)
		}
		if err != nil {
			var bad *BadFile
			if errors.As(err, &bad) {
				bad.Partly = !first
			}
			return loaded, known && first, err
		}
		size = min(im.Portion, max(fewestLines, int(portionTime*time.Duration(len(s.lines))/max(s.took, 1))))
	}
	return loaded, true, nil
}

// applyLines applies lines in one transaction. It checks the rules again, against the current store.
func (n *noun[T, C]) applyLines(ctx context.Context, im *importing, s *staged) (loaded Loaded, known bool, err error) {
	contested := s.contested
	number, err := im.number(ctx)
	if err != nil {
		return Loaded{}, true, err
	}
	for {
		var l *applying[T, C]
		var failed error
		var began time.Time
		err := im.write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
			began = time.Now()
			l = &applying[T, C]{loading: n.newLoading(im, s, tx, n.Reader(tx)), staged: s}
			l.tx, l.writer, l.loaded = tx, n.Writer(tx), s.soFar
			if failed = im.keepBefore(ctx, tx, number, l.now); failed == nil {
				l.versionsFrom, failed = tx.VersionsFrom(ctx)
			}
			if failed == nil {
				failed = l.writeAll(ctx, contested)
			}
			if failed == nil {
				failed = s.stored.commit(ctx, tx)
			}
			if failed == nil && s.written == 0 { // before the others are loaded, so that no line gets lost
				failed = im.writeRejects(s)
			}
			return failed
		})
		switch {
		case err == nil:
			s.soFar, s.written, s.took = l.loaded, l.done, time.Since(began)
			return s.report(s.soFar), true, nil
		case errors.Is(failed, errContested) && !contested:
			contested = true
		case failed != nil:
			return Loaded{}, true, failed
		default: // it never began when nothing ran, and may be committed when all did
			return Loaded{}, l == nil, err
		}
	}
}

// applying is the transaction in which a file is applied.
type applying[T any, C comparable] struct {
	*loading[T, C]
	*staged
	contested bool
	done      int64 // bytes of the lines
}

// writeAll applies the staged lines: first the deletions, which free their unique values.
func (l *applying[T, C]) writeAll(ctx context.Context, contested bool) error {
	l.contested, l.done = contested, l.written
	if l.atOnce {
		return l.eachChunk(ctx, func(stagedLine) bool { return true }, l.writeChunk)
	}
	deleted := func(line stagedLine) bool { return line.deleted }
	others := func(line stagedLine) bool { return !line.deleted }
	if err := l.eachChunk(ctx, deleted, l.writeChunk); err != nil {
		return err
	}
	if contested && l.Unique != nil {
		if err := l.eachChunk(ctx, others, l.claimChunk); err != nil {
			return err
		}
		l.decide()
		if err := l.bad.of(l.name, false); err != nil {
			return err
		}
		if err := l.release(ctx); err != nil {
			return err
		}
	}
	return l.eachChunk(ctx, others, l.writeChunk)
}

// eachChunk reads the wanted lines again, a chunk at a time. *BadFile when one is bad by now.
func (l *applying[T, C]) eachChunk(
	ctx context.Context, wanted func(stagedLine) bool, visit func(context.Context, []*entry[T]) error,
) error {
	var entries []*entry[T]
	bytes := 0
	flush := func() error {
		if len(entries) == 0 {
			return nil
		}
		if err := l.identify(ctx, entries); err != nil {
			return err
		}
		if err := l.judge(ctx, entries); err != nil {
			return err
		}
		if err := visit(ctx, entries); err != nil {
			return err
		}
		entries, bytes = entries[:0], 0
		return cmp.Or(l.bad.of(l.name, true), ctx.Err())
	}
	for _, line := range l.lines {
		if !wanted(line) {
			continue
		}
		text, err := l.text(line)
		if err != nil {
			return err
		}
		e := l.again(line, text)
		entries, bytes = append(entries, e), bytes+line.length
		if (len(entries) >= chunkRows || bytes >= chunkBytes) && !l.atOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (l *applying[T, C]) claimChunk(ctx context.Context, all []*entry[T]) error {
	err := l.claim(ctx, all)
	l.told(all)
	return err
}

func (l *applying[T, C]) writeChunk(ctx context.Context, all []*entry[T]) error {
	l.told(all)
	for _, e := range all {
		if len(e.faults) == 0 && e.deleted && e.old == nil {
			l.loaded.Unchanged++
		}
		l.done += int64(e.at.length)
	}
	entries, deleted := l.sound(all)
	if l.im.undo > 0 { // before a deletion erases what is kept of its customer
		if err := l.undid(ctx, all); err != nil {
			return err
		}
	}
	if err := l.deleteRows(ctx, deleted); err != nil {
		return err
	}
	if err := l.writeRows(ctx, entries); err != nil {
		return l.refused(entries, err)
	}
	if l.im.Progress != nil {
		l.im.Progress(Progress{File: l.name, Writing: true, Records: l.loaded.Lines(), Done: l.done, Size: l.toWrite})
	}
	return nil
}

// refused handles rows that the store rejected: others have written since the lines were judged.
func (l *applying[T, C]) refused(entries []*entry[T], err error) error {
	var known *backoffice.Error
	switch {
	case !errors.As(err, &known) || known.Kind != backoffice.Refused:
		return err
	case !l.contested:
		return errContested
	}
	first, last := entries[0].line, entries[len(entries)-1].line
	return fmt.Errorf("the store rejected a row of lines %d to %d: %s", first, last, known.UserErrors[0].Message)
}
