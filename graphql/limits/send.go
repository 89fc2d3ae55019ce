package limits

import (
	"io"
	"os"
	"time"
)

// A client that is slow to take its answer keeps the memory of the answer and the room that it takes from others. So on
// every transport a client has SendTime for each SendBytes, and is disconnected when it takes less.
const (
	SendBytes  = 64 << 10
	SendTime   = 5 * time.Second
	AnswerTime = 20 * time.Second // for the whole answer of an operation
)

// Send writes an answer in parts. setDeadline sets the write deadline of the client's connection; it fails in tests
// without one, which does not matter. Zero is no end. Errors are those of the writer and os.ErrDeadlineExceeded.
func Send(to io.Writer, setDeadline func(time.Time) error, answer []byte, end time.Time) (sent int, err error) {
	for {
		deadline := time.Now().Add(SendTime)
		if !end.IsZero() && end.Before(deadline) {
			if deadline = end; !time.Now().Before(end) {
				return sent, os.ErrDeadlineExceeded
			}
		}
		_ = setDeadline(deadline)
		n, err := to.Write(answer[sent:min(sent+SendBytes, len(answer))])
		if sent += n; err != nil || sent == len(answer) {
			return sent, err
		}
	}
}
