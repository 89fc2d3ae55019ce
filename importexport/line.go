package importexport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the most bytes of a line: many times the largest valid record.
const MaxLine = 1 << 20

// errLongLine is a line of more than MaxLine bytes; the reader is after it.
var errLongLine = errors.New("the line is longer than 1 MiB")

// lineReader reads a file line by line, or record by record.
type lineReader interface {
	next() ([]byte, error)
	place() (number int, offset int64)
	done() int64
}

type lines struct {
	r      *bufio.Reader
	number int   // of the last line read, from 1
	start  int64 // its offset
	read   int64 // bytes so far
	buffer []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 128<<10)} }

// place is the number of the last line read, from 1, and its offset.
func (l *lines) place() (number int, offset int64) { return l.number, l.start }
func (l *lines) done() int64                       { return l.read }

// next returns the next line that is not blank, without its line feed or a byte order mark; it is valid until the next
// call. Errors: io.EOF at the end, errLongLine for a line that was skipped, and those of the reader.
func (l *lines) next() ([]byte, error) {
	for {
		text, err := l.one()
		if l.number == 1 {
			whole := len(text)
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
			l.start += int64(whole - len(text))
		}
		if err != nil || len(bytes.TrimSpace(text)) > 0 {
			return text, err
		}
	}
}

func (l *lines) one() ([]byte, error) {
	l.buffer, l.start = l.buffer[:0], l.read
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		long = long || len(l.buffer)+len(part) > MaxLine+1 // not counting the line feed
		if errors.Is(err, bufio.ErrBufferFull) {
			if !long {
				l.buffer = append(l.buffer, part...)
			}
			continue
		}
		ended := err == nil
		if err != nil && (!errors.Is(err, io.EOF) || len(l.buffer)+len(part) == 0 && !long) {
			return nil, err
		}
		l.number++
		switch {
		case long:
			return nil, errLongLine
		case len(l.buffer) > 0:
			l.buffer = append(l.buffer, part...)
			part = l.buffer
		}
		if ended {
			part = part[:len(part)-1]
		}
		if len(part) > MaxLine {
			return nil, errLongLine
		}
		return part, nil
	}
}
