// Package s3test starts an S3 for tests, in the process of the test.
package s3test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

type Server struct {
	Backend *s3mem.Backend
	Bucket  string

	address string
	away    atomic.Bool
	blocked sync.RWMutex
}

// Start starts an S3 with one bucket.
func Start(t testing.TB, bucket string) *Server {
	t.Helper()
	s := &Server{Backend: s3mem.New(), Bucket: bucket}
	if err := s.Backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	storage := gofakes3.New(s.Backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			http.Error(w, "out of order", http.StatusNotImplemented) // not retried by clients
			return
		}
		s.blocked.RLock()
		s.blocked.RUnlock() //nolint:staticcheck // to wait
		storage.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

func (s *Server) URL(prefix string) string {
	query := url.Values{"region": {"eu-west-1"}, "endpoint": {s.address}, "use_path_style": {"true"}, "anonymous": {"true"}}
	if prefix != "" {
		query.Set("prefix", prefix)
	}
	return "s3://" + s.Bucket + "?" + query.Encode()
}

// Block lets every request wait until it is released.
func (s *Server) Block() (release func()) {
	s.blocked.Lock()
	return s.blocked.Unlock
}

// Fail makes the server fail every request, or serve again.
func (s *Server) Fail(away bool) { s.away.Store(away) }
