package importexport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
)

// staged is a file whose lines were all judged, with the places of those that change something, but no text.
type staged struct {
	source
	seed             maphash.Seed
	lines            []stagedLine
	unchanged        int
	contested        bool // unique values pass from one record to another
	stored           storedFiles
	rejected         []badLine     // sorted by line
	repaired         []BadLine     // loaded without some fields
	toWrite, written int64         // bytes of the lines
	known            known         // what people know of the records that the lines refer to
	soFar            Loaded        // by the portions
	took             time.Duration // the latest transaction
}

// stagedLine is the place of a line in its file.
type stagedLine struct {
	number  int
	id      string // of a line that has none
	found   bool   // a stored record has that
	offset  int64
	length  int
	sum     uint64 // a keyed hash of its text
	deleted bool
	file    *backoffice.File // the record's new file, nil when the line names none
}

func (s *staged) text(line stagedLine) ([]byte, error) {
	text := make([]byte, line.length)
	if _, err := s.file.ReadAt(text, line.offset); err != nil || maphash.Bytes(s.seed, text) != line.sum {
		return nil, errChanged
	}
	return text, nil
}

type staging[T any, C comparable] struct {
	*loading[T, C]
	*staged
	lines lineReader
	seen  map[uint64]int // a keyed hash of each identifier so far → its line
}

// stage judges all lines against a snapshot, which blocks no writer, and stores their files. *BadFile for bad lines.
func (n *noun[T, C]) stage(ctx context.Context, im *importing, s *staged) error {
	read := func(ctx context.Context, in backoffice.NounReader, rows backoffice.Reader[*T, C]) error {
		l := &staging[T, C]{loading: n.newLoading(im, s, in, rows), staged: s, lines: s.lineReader(),
			seen: map[uint64]int{}}
		return l.readAll(ctx)
	}
	if im.dry != nil { // its transaction has the earlier files
		return read(ctx, im.dry, n.Reader(im.dry))
	}
	return inSnapshot(ctx, im.Store, func(ctx context.Context, reads backoffice.Readers) error {
		return read(ctx, reads, n.Reader(reads))
	})
}

// readAll reads the whole file, or until enough lines are bad.
func (l *staging[T, C]) readAll(ctx context.Context) error {
	var entries []*entry[T]
	bytes := 0
	for !l.bad.full() {
		text, err := l.lines.next()
		number, offset := l.lines.place()
		switch {
		case errors.Is(err, io.EOF):
			if err := l.chunk(ctx, entries); err != nil {
				return err
			}
			l.staged.contested = l.decide()
			if !l.bad.all {
				return cmp.Or(l.bad.of(l.name, false), l.checkDeletions(ctx))
			}
			l.staged.reject(&l.bad)
			return l.checkDeletions(ctx)
		case errors.Is(err, errLongLine):
			at := stagedLine{number: number, offset: offset, length: int(l.lines.done() - offset)}
			l.bad.add(at, "", Fault{Why: err.Error()})
			continue
		case err != nil:
			return cannotRead(l.name, err)
		case ctx.Err() != nil: // lines that are bad in form fill no chunk
			return ctx.Err()
		}
		e := l.parse(number, text)
		sum := maphash.Bytes(l.seed, text)
		e.at = stagedLine{number: number, offset: offset, length: len(text), sum: sum, deleted: e.deleted}
		if len(e.faults) == 0 && !e.keyed {
			l.once(e, e.id, "_id", "identifier")
		}
		if len(e.faults) > 0 {
			l.bad.add(e.at, e.id, e.faults...)
			continue
		}
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
	return l.bad.of(l.name, true)
}

const firstOn = ", first on line "

// once rejects an identifier of an earlier line: a second run would change the record again.
func (l *staging[T, C]) once(e *entry[T], id, field, what string) {
	key := maphash.String(l.seed, id)
	if first, twice := l.seen[key]; twice && !e.isBad() {
		e.fault(field, fmt.Sprint("duplicate ", what, firstOn, first))
		return
	}
	l.seen[key] = e.line
}

// chunk judges lines and notes those that change something.
func (l *staging[T, C]) chunk(ctx context.Context, all []*entry[T]) error {
	if len(all) == 0 {
		return nil
	}
	if err := l.identify(ctx, all); err != nil {
		return err
	}
	key := l.ownKey()
	for _, e := range all {
		switch {
		case e.isBad(), key == nil, l.im.Key == "":
		case e.keyed && e.at.id == "":
			l.once(e, e.id, "_id", "identifier")
			l.once(e, byID+e.known, key.fields[0], "key")
			e.at.id = e.id
		case !e.keyed && !slices.ContainsFunc(key.fields, func(name string) bool { return !e.given.has(l.at[name]) }):
			l.seen[maphash.String(l.seed, byID+key.of(l.keyRow(e, key)))] = e.line // for later lines with only this key
		}
	}
	if err := l.judge(ctx, all); err != nil {
		return err
	}
	if l.atOnce && l.bad.all && slices.ContainsFunc(all, (*entry[T]).isBad) {
		left, err := l.left(all)
		if err != nil {
			return err
		}
		return l.chunk(ctx, left)
	}
	if err := l.claim(ctx, all); err != nil {
		return err
	}
	l.told(all)
	for _, e := range all {
		if len(e.faults) == 0 && len(e.repaired) > 0 {
			l.staged.repaired = append(l.staged.repaired, BadLine{Line: e.line, Faults: e.repaired})
		}
		switch {
		case len(e.faults) > 0:
		case e.deleted && e.old == nil, !e.deleted && e.old != nil && l.changesOf(e.old, e.row, &l.out) == 0:
			l.staged.unchanged++
		default:
			l.staged.lines = append(l.staged.lines, e.at)
		}
	}
	if l.im.Progress != nil {
		l.im.Progress(Progress{File: l.name, Records: len(l.seen), Done: l.lines.done(), Size: l.staged.size})
	}
	return ctx.Err()
}

// left are the good lines, read again: rules about the whole file must hold for them alone.
func (l *staging[T, C]) left(all []*entry[T]) (left []*entry[T], err error) {
	l.told(all)
	for _, e := range all {
		if e.isBad() {
			continue
		}
		text, err := l.text(e.at)
		if err != nil {
			return nil, err
		}
		left = append(left, l.again(e.at, text))
	}
	return left, nil
}
