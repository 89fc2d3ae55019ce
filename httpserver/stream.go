package httpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"example.org/backoffice/graphql/limits"
)

const (
	stallTime   = time.Minute // a file of which so long nothing moves has ended
	streamBytes = 32 << 10    // a client that gives less in stallTime is one that does nothing
)

var errStalled = errors.New("nothing of the file moved for " + stallTime.String())

// Stream bounds a stream by its inactivity: it may take as long as the client's line needs, while bytes flow. A client
// takes them as limits.Send says; neither a client nor a file that gives none holds it for longer than stallTime.
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

// streamWriter moves the deadlines of a download on with each part that was written.
type streamWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	stall   time.Duration
	stalled *time.Timer
}

func (s *streamWriter) moved() {
	s.stalled.Reset(s.stall)
	_ = s.control.SetWriteDeadline(time.Now().Add(s.stall)) // a writer without deadlines is a test's
}

func (s *streamWriter) Write(b []byte) (written int, err error) {
	return limits.Send(s.ResponseWriter, func(deadline time.Time) error {
		s.stalled.Reset(s.stall)
		return s.control.SetWriteDeadline(deadline)
	}, b, time.Time{})
}

// SetWriteDeadline serves http.ResponseController: handlers that work long before they send say until when.
func (s *streamWriter) SetWriteDeadline(until time.Time) error {
	s.stalled.Reset(time.Until(until))
	return s.control.SetWriteDeadline(until)
}

func (s *streamWriter) Flush()                      { _ = s.control.Flush() }
func (s *streamWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// streamReader moves the deadlines of an upload on with each part that was read.
type streamReader struct {
	io.ReadCloser
	writer *streamWriter
	part   int // bytes since the deadlines were moved
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
	if err != nil { // a deadline that stayed would end the request while it is worked on
		s.writer.moved()
		_ = s.writer.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
