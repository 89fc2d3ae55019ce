package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"example.org/backoffice/store"
)

// SQLite replays what a crash left in the log (-wal) onto the file next to it, whatever file that is: a log does not
// identify its file. So every transaction increments a count in the first page (the user_version, which SQLite itself
// does not use), from a random number that a copy by Backup does not share. A log matches if its first transaction
// follows the file's count, or the file's first page is, byte for byte, one that was written back from the log.

// ForeignLogError reports that the log next to a database belongs to another one.
type ForeignLogError struct{ Path string }

func (e *ForeignLogError) Error() string {
	return fmt.Sprintf("the log %s-wal does not belong to the database %s, and would destroy it; nothing was touched. To restore a backup, use backoffice restore. If you copied the database here and it is the right one, move %s-wal and %s-shm away", e.Path, e.Path, e.Path, e.Path)
}

// The offsets of the compared values in the first page.
const (
	headerSize    = 100
	walWriteAt    = 18 // 2 when the database has a log
	walReadAt     = 19
	cookieAt      = 40 // grows with every change of the schema, and with a copy by VACUUM
	countAt       = 60 // the user_version
	logHeader     = 32
	logFrame      = 24
	logMagic      = 0x377f0682 // or with the last bit, when its checksums are of big-endian words
	reads         = 20
	betweenReads  = 25 * time.Millisecond
	largestCount  = 1<<31 - 1
	changeStart   = 24 // the bytes that counting changes in a first page, besides the count itself
	changeEnd     = 28
	versionForAt  = 92
	versionForEnd = 100
)

// checkLog rejects a log of another file and changes nothing. Others may write: it trusts only what stays the same.
func checkLog(path string) error {
	var before logSeen
	for range reads {
		seen, err := inspectLog(path)
		if err != nil {
			return fmt.Errorf("the log of the database %s cannot be read: %w", path, cause(err))
		}
		if seen.fits {
			return nil
		}
		if seen == before {
			return &ForeignLogError{path}
		}
		before = seen
		time.Sleep(betweenReads)
	}
	return nil // somebody writes all the time, so has opened it
}

type logSeen struct {
	fits   bool
	salts  uint64
	size   int64
	count  uint32
	cookie uint32
}

func inspectLog(path string) (logSeen, error) {
	log, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return logSeen{fits: true}, nil
	}
	if err != nil {
		return logSeen{}, err
	}
	defer func() { _ = log.Close() }()
	info, err := log.Stat()
	if err != nil {
		return logSeen{}, err
	}
	page, err := firstPage(path)
	if err != nil {
		return logSeen{}, err
	}
	seen := logSeen{size: info.Size()}
	if page != nil && word(page, applicationIDAt) == standByID { // a start compares each page
		return logSeen{fits: true}, nil
	}
	if page != nil {
		seen.count, seen.cookie = word(page, countAt), word(page, cookieAt)
	}
	seen.fits, seen.salts = belongs(log, page)
	return seen, nil
}

// firstPage is nil for an empty file.
func firstPage(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(file, header); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	page := make([]byte, pageSizeOf(header))
	if _, err = file.ReadAt(page, 0); errors.Is(err, io.EOF) {
		err = nil
	}
	return page, err
}

func pageSizeOf(header []byte) int64 {
	size := int64(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		return 65536
	}
	return size
}

func word(page []byte, at int) uint32 { return binary.BigEndian.Uint32(page[at:]) }

// belongs reads the log as SQLite would: up to the last complete transaction.
func belongs(log io.Reader, page []byte) (fits bool, salts uint64) {
	header := make([]byte, logHeader)
	if _, err := io.ReadFull(log, header); err != nil || word(header, 0)&^1 != logMagic {
		return true, 0 // SQLite replays nothing of it
	}
	sum := &logSum{order: binary.LittleEndian}
	if word(header, 0)&1 == 1 {
		sum.order = binary.BigEndian
	}
	if sum.add(header[:24]); !sum.is(header[24:]) {
		return true, 0
	}
	salts = binary.BigEndian.Uint64(header[16:])
	size := word(header, 8)
	if size < 512 || size > 65536 {
		return true, salts
	}
	frame := make([]byte, logFrame+int(size))
	var first, waiting []byte // the log's first page as committed, and that of the current transaction
	committed, written := false, false
	var pending bool
	for {
		if _, err := io.ReadFull(log, frame); err != nil || binary.BigEndian.Uint64(frame[8:]) != salts {
			break
		}
		sum.add(frame[:8])
		if sum.add(frame[logFrame:]); !sum.is(frame[16:]) {
			break
		}
		if word(frame, 0) == 1 {
			if waiting == nil && first == nil {
				waiting = bytes.Clone(frame[logFrame:])
			}
			pending = pending || bytes.Equal(frame[logFrame:], page)
		}
		if word(frame, 4) != 0 { // the last frame of a transaction
			committed, written = true, written || pending
			if first == nil {
				first = waiting
			}
			waiting, pending = nil, false
		}
	}
	switch {
	case !committed || written:
		return true, salts
	case page == nil || len(page) != int(size) || page[walWriteAt] != 2 || page[walReadAt] != 2:
		return false, salts
	case first == nil: // of an earlier version, which did not count
		return word(page, countAt) == 0, salts
	}
	return follows(page, first), salts
}

// follows reports whether a log that starts with a first page can follow a file with another one.
func follows(page, first []byte) bool {
	have, next := word(page, countAt), word(first, countAt)
	if word(page, cookieAt) > word(first, cookieAt) {
		return false // a copy by VACUUM
	}
	if have == 0 && next != 0 { // counting has just begun, and changed nothing else
		a, b := bytes.Clone(page), bytes.Clone(first)
		for _, p := range [][]byte{a, b} {
			clear(p[changeStart:changeEnd])
			clear(p[countAt : countAt+4])
			clear(p[versionForAt:versionForEnd])
		}
		return bytes.Equal(a, b)
	}
	return next == have || next == following(have) // a change of the schema may not be counted
}

func following(count uint32) uint32 {
	if count >= largestCount {
		return 1
	}
	return count + 1
}

type logSum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (s *logSum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s.s0 += s.order.Uint32(b) + s.s1
		s.s1 += s.order.Uint32(b[4:]) + s.s0
	}
}

func (s *logSum) is(stored []byte) bool { return s.s0 == word(stored, 0) && s.s1 == word(stored, 4) }

// firstCount is where counting starts: copies of one database never have the same count.
func firstCount() uint32 { return 1 + rand.Uint32N(largestCount/2) }

func (e *engine) count(ctx context.Context, c *lease) error {
	var changes, count int64
	read := &store.Statement{
		Text: "SELECT /*backoffice:log.changes*/ total_changes(), user_version FROM pragma_user_version",
		Each: func(row *store.Row) error { changes, count = row.Int(0), row.Int(1); return nil },
	}
	if err := read.Run(ctx, c); err != nil || changes == e.changes {
		return err
	}
	e.changes = changes
	return c.exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", following(uint32(count))))
}
