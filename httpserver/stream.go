package httpserver

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	stallTime   = time.Minute // a download of which so long nothing moves has ended
	streamBytes = 32 << 10    // written at once; a client that takes less in stallTime is one that takes nothing
)

var errStalled = errors.New("nothing of the download moved for " + stallTime.String())

// Stream bounds a download by its inactivity: it may take as long as the client's line needs, while bytes flow. Neither a
// client that takes none nor a file that gives none holds it for longer than stallTime.
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
				srv.options.Log.InfoContext(ctx, "download ended", "cause", errStalled)
			}
		}()
		s.moved()
		next.ServeHTTP(s, r.WithContext(ctx))
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
	for {
		part := b[written:min(written+streamBytes, len(b))]
		s.moved()
		n, err := s.ResponseWriter.Write(part)
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// Flush serves those who ask for an http.Flusher.
func (s *streamWriter) Flush() { _ = s.control.Flush() }

// Unwrap serves http.ResponseController.
func (s *streamWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
