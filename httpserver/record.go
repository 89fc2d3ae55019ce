package httpserver

import (
	"context"
	"net/http"
	"sync"
)

// Operation is what a GraphQL request was, for the log and the metrics. Name is masked already.
type Operation struct {
	Name     string // "" for one without a name
	Type     string // query or mutation; "" when the document was refused
	Document string // hash of the document with its literals taken out
	Cost     int
	Codes    []string // of the errors in the answer
}

// record collects what is known of a request while it is answered.
type record struct {
	id        string
	mu        sync.Mutex
	client    string
	operation *Operation
	quiet     bool
}

type recordKey struct{}

func recordOf(ctx context.Context) *record {
	found, _ := ctx.Value(recordKey{}).(*record)
	return found
}

// RequestID is the id of the request that a context belongs to, "" outside of one.
func RequestID(ctx context.Context) string {
	if found := recordOf(ctx); found != nil {
		return found.id
	}
	return ""
}

// NoteClient puts the credential pair that a request is made with, by its client id, into the request's log line.
func NoteClient(ctx context.Context, clientID string) {
	if found := recordOf(ctx); found != nil {
		found.mu.Lock()
		defer found.mu.Unlock()
		found.client = clientID
	}
}

// NoteOperation puts a GraphQL operation into the request's log line and into the metrics.
func NoteOperation(ctx context.Context, operation Operation) {
	if found := recordOf(ctx); found != nil {
		found.mu.Lock()
		defer found.mu.Unlock()
		found.operation = &operation
	}
}

// Quiet is for what a page consists of: requests for it are logged only at the level debug.
func Quiet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if found := recordOf(r.Context()); found != nil {
			found.mu.Lock()
			found.quiet = true
			found.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

func (r *record) isQuiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.quiet
}

func (r *record) noted() (client string, operation *Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.client, r.operation
}
