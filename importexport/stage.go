package importexport

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"os"

	"example.org/backoffice/backoffice"
)

// staged is a file whose lines were all judged, with where those are that change something. It holds no text of a line.
type staged struct {
	file      *os.File
	seed      maphash.Seed
	lines     []stagedLine
	unchanged int
	contested bool // values that only one record may have pass from one to another
	stored    storedFiles
}

// stagedLine is where a line stands in its file.
type stagedLine struct {
	number  int
	offset  int64
	length  int
	sum     uint64 // a keyed hash of its text
	deleted bool
	file    *backoffice.File // that the record is to have, nil when the line names none
}

// text reads a line again.
func (s *staged) text(line stagedLine) ([]byte, error) {
	text := make([]byte, line.length)
	if _, err := s.file.ReadAt(text, line.offset); err != nil || maphash.Bytes(s.seed, text) != line.sum {
		return nil, errChanged
	}
	return text, nil
}

// staging is the reading in which a file is staged.
type staging[T any, C comparable] struct {
	*loading[T, C]
	*staged
	lines *lines
	size  int64
	seen  map[uint64]int // a keyed hash of each identifier so far → its line
}

// stage judges all lines of a file against the store as it is at one moment, and stores the files that they name. It
// keeps no writer waiting. *BadFile when there are bad lines.
func (n *noun[T, C]) stage(ctx context.Context, im *importing, s *staged) error {
	info, err := s.file.Stat()
	if err != nil {
		return cannotRead(n.file, err)
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return cannotRead(n.file, err)
	}
	return atOneMoment(ctx, im.Store, func(ctx context.Context, reads backoffice.Readers) error {
		l := &staging[T, C]{
			loading: n.newLoading(im, s, recordsOf(reads), n.reader(reads)), staged: s,
			lines: newLines(s.file), size: info.Size(), seen: map[uint64]int{},
		}
		return l.readAll(ctx)
	})
}

// readAll reads the file from its start to its end, or until enough lines are bad.
func (l *staging[T, C]) readAll(ctx context.Context) error {
	var entries []*entry[T]
	bytes := 0
	for !l.bad.full() {
		text, err := l.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			if err := l.chunk(ctx, entries); err != nil {
				return err
			}
			l.staged.contested = l.decide()
			return l.bad.of(l.noun.file, false)
		case errors.Is(err, errLongLine):
			l.bad.add(l.lines.number, Fault{Why: err.Error()})
			continue
		case err != nil:
			return cannotRead(l.noun.file, err)
		}
		e := l.parse(l.lines.number, text)
		if len(e.faults) == 0 {
			l.once(e)
		}
		if len(e.faults) > 0 {
			l.bad.add(e.line, e.faults...)
			continue
		}
		e.at = stagedLine{number: e.line, offset: l.lines.start, length: len(text), sum: maphash.Bytes(l.seed, text), deleted: e.deleted}
		entries, bytes = append(entries, e), bytes+len(text)
		if (len(entries) >= chunkRows || bytes >= chunkBytes) && !l.atOnce {
			if err := l.chunk(ctx, entries); err != nil {
				return err
			}
			entries, bytes = entries[:0], 0
		}
	}
	if err := l.chunk(ctx, entries); err != nil {
		return err
	}
	l.decide()
	return l.bad.of(l.noun.file, true)
}

// once refuses an identifier that stood on a line before: the two could not both be so after a second run.
func (l *staging[T, C]) once(e *entry[T]) {
	key := maphash.String(l.seed, e.id)
	if first, twice := l.seen[key]; twice {
		e.fault("_id", occursBefore(first))
		return
	}
	l.seen[key] = e.line
}

// chunk judges some lines and notes those that change something.
func (l *staging[T, C]) chunk(ctx context.Context, all []*entry[T]) error {
	if len(all) == 0 {
		return nil
	}
	if err := l.judge(ctx, all); err != nil {
		return err
	}
	if err := l.claim(ctx, all); err != nil {
		return err
	}
	l.told(all)
	for _, e := range all {
		switch {
		case len(e.faults) > 0:
		case e.deleted && e.old == nil, !e.deleted && e.old != nil && l.changesOf(e.old, e.row, &l.out) == 0:
			l.staged.unchanged++
		default:
			l.staged.lines = append(l.staged.lines, e.at)
		}
	}
	if l.im.Progress != nil {
		l.im.Progress(Progress{File: l.noun.file, Records: len(l.seen), Done: l.lines.read, Size: l.size})
	}
	return ctx.Err()
}
