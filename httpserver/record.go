package httpserver

import (
	"context"
	"net/http"

	"example.org/backoffice/backoffice"
)

// Operation describes a GraphQL request for the log and the metrics. Name is masked already.
type Operation struct {
	Name     string // "" for one without a name
	Type     string // query, mutation or subscription; "" when the document was refused
	Document string // hash of the document with its literals taken out
	Cost     int
	Codes    []string // of the errors in the answer
}

// record collects what is known of a request while it is answered, in the goroutine that answers it.
type record struct {
	id        string
	client    string // the client id of its credential, or PersonID
	subject   string // the person, as the issuer knows them
	operation *Operation
	tool      string // that an agent called
	quiet     bool
}

type recordKey struct{}

// recordOf returns the record of the context's request; outside of one, a record that nobody reads.
func recordOf(ctx context.Context) *record {
	if found, ok := ctx.Value(recordKey{}).(*record); ok {
		return found
	}
	return &record{}
}

// NoteOperation adds a GraphQL operation to the request's log line and to the metrics. One that runs again, as a tool
// whose answer is cut, costs both.
func NoteOperation(ctx context.Context, operation Operation) {
	of := recordOf(ctx)
	if of.operation != nil {
		operation.Cost += of.operation.Cost
	}
	of.operation = &operation
}

// NoteTool adds the tool that an agent called to the request's log line and to the metrics. Its name is an operator's.
func NoteTool(ctx context.Context, tool string) { recordOf(ctx).tool = tool }

func NoteClient(ctx context.Context, principal *backoffice.Principal) {
	r := recordOf(ctx)
	if r.client = principal.ClientID; principal.Person != nil {
		r.subject = principal.Person.Subject
	}
}

// Client records who makes a request; it belongs directly after authentication.
func Client(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal := backoffice.RequestOf(r.Context()).Principal; principal != nil {
			NoteClient(r.Context(), principal)
		}
		next.ServeHTTP(w, r)
	})
}

// Quiet is for the parts of a page: requests for them are logged only at the level debug.
func Quiet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recordOf(r.Context()).quiet = true
		next.ServeHTTP(w, r)
	})
}
