package sqlite

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
)

// logPosition is a place in the log between two transactions.
type logPosition struct {
	salts uint64 // of this run of the log: another one starts with others
	at    int64  // bytes; 0 before a header that is not written yet
	sum   logSum
}

// LogTransaction is a committed transaction of the log.
type LogTransaction struct {
	Pages  uint32     // the size of the database after it
	Frames []LogFrame // by page, each page once, as the transaction left it
}

// LogFrame is where the log has a page.
type LogFrame struct {
	Page uint32
	at   int64
}

var errBrokenLog = errors.New("the log does not have what it should have")

// readLog reads complete transactions from a position on, and returns the position after them. With an end it fails
// unless they end there; without one (math.MaxInt64) it stops at the first frame that is not valid.
func readLog(log io.ReaderAt, page int64, from logPosition, end int64) ([]LogTransaction, logPosition, error) {
	var err error
	if from.at == 0 {
		if from, err = logStart(log, page); err != nil {
			if end == math.MaxInt64 {
				err = nil
			}
			return nil, logPosition{}, err
		}
	}
	in := bufio.NewReaderSize(io.NewSectionReader(log, from.at, end-from.at), 64<<10)
	frame, at, sum := make([]byte, logFrame+page), from.at, from.sum
	var all []LogTransaction
	seen := map[uint32]int64{}
	for {
		if _, err := io.ReadFull(in, frame); err != nil || binary.BigEndian.Uint64(frame[8:]) != from.salts {
			break
		}
		sum.add(frame[:8])
		if sum.add(frame[logFrame:]); !sum.is(frame[16:]) {
			break
		}
		seen[word(frame, 0)] = at + logFrame
		at += int64(len(frame))
		if pages := word(frame, 4); pages != 0 {
			all = append(all, transactionOf(pages, seen))
			from.at, from.sum = at, sum
			clear(seen)
		}
	}
	if end != math.MaxInt64 && from.at != end {
		return nil, from, errBrokenLog
	}
	return all, from, nil
}

// transactionOf leaves out pages that the transaction cut off after it had written them.
func transactionOf(pages uint32, seen map[uint32]int64) LogTransaction {
	of := LogTransaction{Pages: pages, Frames: make([]LogFrame, 0, len(seen))}
	for page, at := range seen {
		if page <= pages {
			of.Frames = append(of.Frames, LogFrame{page, at})
		}
	}
	slices.SortFunc(of.Frames, func(a, b LogFrame) int { return int(a.Page) - int(b.Page) })
	return of
}

// logStart reads the header of the log.
func logStart(log io.ReaderAt, page int64) (logPosition, error) {
	header := make([]byte, logHeader)
	if _, err := log.ReadAt(header, 0); err != nil || word(header, 0)&^1 != logMagic {
		return logPosition{}, errBrokenLog
	}
	start := logPosition{salts: binary.BigEndian.Uint64(header[16:]), at: logHeader}
	start.sum.order = binary.LittleEndian
	if word(header, 0)&1 == 1 {
		start.sum.order = binary.BigEndian
	}
	if start.sum.add(header[:24]); !start.sum.is(header[24:]) || int64(word(header, 8)) != page {
		return logPosition{}, errBrokenLog
	}
	return start, nil
}

// ends reports whether the log still has the frame that ends at a position.
func (p logPosition) ends(log io.ReaderAt, page int64) bool {
	if p.at <= logHeader {
		return false
	}
	frame := make([]byte, logFrame)
	_, err := log.ReadAt(frame, p.at-page-logFrame)
	return err == nil && binary.BigEndian.Uint64(frame[8:]) == p.salts && p.sum.is(frame[16:])
}
