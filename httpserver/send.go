package httpserver

import (
	"net/http"
	"time"
)

// A client that is slow to take its answer keeps the memory of the answer, and the room that it takes from others. So a
// long answer is sent in parts, and a client that lets one wait for too long is cut off.
const (
	partOfAnswer = 64 << 10
	partTime     = 5 * time.Second
)

// sender bounds the time that a client has for each part of its answer, and for all of it.
type sender struct {
	http.ResponseWriter
	control *http.ResponseController
	end     time.Time
}

// Write sends long answers in parts. What fits into one goes into the socket's buffer at once.
func (s *sender) Write(answer []byte) (sent int, err error) {
	if len(answer) <= partOfAnswer {
		return s.ResponseWriter.Write(answer)
	}
	for sent < len(answer) && err == nil {
		deadline := time.Now().Add(partTime)
		if s.end.Before(deadline) {
			deadline = s.end
		}
		_ = s.control.SetWriteDeadline(deadline) // a writer without deadlines is a test's
		var n int
		n, err = s.ResponseWriter.Write(answer[sent:min(sent+partOfAnswer, len(answer))])
		sent += n
	}
	if err == nil {
		_ = s.control.SetWriteDeadline(s.end) // for what is in the buffer
	}
	return sent, err
}

// Unwrap serves http.ResponseController.
func (s *sender) Unwrap() http.ResponseWriter { return s.ResponseWriter }
