package httpserver

import (
	"net/http"
	"time"

	"example.org/backoffice/graphql/limits"
)

// sender limits the time that a client has for each part of its answer, and for all of it.
type sender struct {
	http.ResponseWriter
	control *http.ResponseController
	end     time.Time
}

// Write sends long answers in parts. A single part goes into the socket's buffer at once.
func (s *sender) Write(answer []byte) (sent int, err error) {
	if len(answer) <= limits.SendBytes {
		return s.ResponseWriter.Write(answer)
	}
	if sent, err = limits.Send(s.ResponseWriter, s.control.SetWriteDeadline, answer, s.end); err == nil {
		_ = s.control.SetWriteDeadline(s.end) // for what is in the buffer
	}
	return sent, err
}

func (s *sender) Unwrap() http.ResponseWriter { return s.ResponseWriter }
