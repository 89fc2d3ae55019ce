package limits

import (
	"io"
	"os"
	"time"
)

// A slow client keeps the memory and the room of its answer from others. So on every transport it has SendTime for each
// SendBytes, and is disconnected if it takes longer.
const (
	SendBytes  = 64 << 10
	SendTime   = 5 * time.Second
	AnswerTime = 20 * time.Second // for the whole answer of an operation
)

// Send writes an answer in parts. setDeadline sets the write deadline of the client's connection. In tests
// without one it fails, which does not matter. A zero end is none. Errors: the writer's and os.ErrDeadlineExceeded.
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
