package httpserver

import (
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5/middleware"

	"example.org/backoffice/backoffice"
)

// recover turns a panic into an internal error with the request's id, or breaks an answer that has begun.
func (srv *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if panicked == http.ErrAbortHandler {
				panic(panicked)
			}
			id := backoffice.RequestOf(r.Context()).ID
			srv.metrics.panics.Inc()
			srv.options.Log.ErrorContext(r.Context(), "panic",
				"request", id, "cause", backoffice.Recovered(panicked).Error())
			if wrapped, ok := w.(middleware.WrapResponseWriter); ok && wrapped.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			body, _ := json.Marshal(map[string]any{
				"type": "about:blank", "title": "internal error",
				"status": http.StatusInternalServerError, "requestId": id,
			})
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(body)
		}()
		next.ServeHTTP(w, r)
	})
}
