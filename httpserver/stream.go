package httpserver

import (
	"context"
	"io"
	"net/http"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

const (
	stallTime   = time.Minute // without any progress a file has ended
	streamBytes = 32 << 10    // a client that sends less in stallTime is idle
)

var errStalled = backoffice.Errorf(backoffice.Timeout, "no byte of the file was transferred for %v", stallTime)

// Stream limits a stream by inactivity: while bytes flow it may take as long as the client's line needs. limits.Send
// sets how fast a client must read; a client or a file that sends nothing ends it after stallTime.
func (srv *Server) Stream(next http.Handler) http.Handler { return srv.stream(next, stallTime) }

func (srv *Server) stream(next http.Handler, stall time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, end := context.WithCancelCause(r.Context())
		defer end(nil)
		s := &streamWriter{ResponseWriter: w, control: http.NewResponseController(w), stall: stall}
		s.stalled = time.AfterFunc(stall, func() { end(errStalled) })
		defer s.stalled.Stop()
		defer func() {
			if context.Cause(ctx) == errStalled {
				srv.options.Log.InfoContext(ctx, "stream ended", "cause", errStalled)
			}
		}()
		s.moved()
		r = r.WithContext(ctx)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &streamReader{ReadCloser: r.Body, writer: s}
		}
		next.ServeHTTP(s, r)
	})
}

// streamWriter extends the deadlines of a download with each part written.
type streamWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	stalled *time.Timer
}

func (s *streamWriter) moved() {
	s.stalled.Reset(s.stall)
	_ = s.control.SetWriteDeadline(time.Now().Add(s.stall)) // only writers of tests have no deadlines
}

func (s *streamWriter) Write(b []byte) (written int, err error) {
	written, err = limits.Send(s.ResponseWriter, func(deadline time.Time) error {
		s.stalled.Reset(s.stall)
		return s.control.SetWriteDeadline(deadline)
	}, b, time.Time{})
	if err == nil {
		s.moved() // over HTTP/2 a deadline that passes ends a stream to which nothing is written
	}
	return written, err
}

// SetWriteDeadline serves http.ResponseController: handlers that work long before they send set their own deadline.
func (s *streamWriter) SetWriteDeadline(until time.Time) error {
	s.stalled.Reset(time.Until(until))
	return s.control.SetWriteDeadline(until)
}

func (s *streamWriter) Flush()                      { _ = s.control.Flush() }
func (s *streamWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// streamReader extends the deadlines of an upload with each part read.
type streamReader struct {
	io.ReadCloser
	writer *streamWriter
	part   int // bytes since the last extension
}

func (s *streamReader) Read(b []byte) (int, error) {
	if s.part == 0 {
		s.writer.moved()
		_ = s.writer.control.SetReadDeadline(time.Now().Add(s.writer.stall))
	}
	n, err := s.ReadCloser.Read(b)
	if s.part += n; s.part >= streamBytes {
		s.part = 0
	}
	if err != nil {
		s.writer.moved()
	}
	if err == io.EOF { // a deadline that stayed would end the request while it is handled
		_ = s.writer.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
