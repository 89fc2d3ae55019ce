package httpserver

import (
	"net/http"

	"example.org/backoffice/auth"
)

// Client notes who makes a request; it belongs directly behind authentication.
func Client(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal := auth.From(r.Context()); principal != nil {
			NoteClient(r.Context(), principal.ClientID)
		}
		next.ServeHTTP(w, r)
	})
}
