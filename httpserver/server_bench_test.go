package httpserver

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
)

// BenchmarkProcess is what all the middlewares take of a request, its log line written to nowhere.
func BenchmarkProcess(b *testing.B) {
	p := New(Settings{}, Options{Time: time.Minute, Log: slog.New(slog.NewJSONHandler(io.Discard, nil))})
	r := chi.NewRouter()
	p.Mount(r)
	r.With(p.Deadline).Post("/graphql", func(_ http.ResponseWriter, r *http.Request) {
		NoteOperation(r.Context(), Operation{Name: "Work", Type: "query", Document: "0123456789abcdef", Cost: 12})
	})
	request := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	b.ReportAllocs()
	for b.Loop() {
		r.ServeHTTP(httptest.NewRecorder(), request)
	}
}
