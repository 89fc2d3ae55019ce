package privacy

import (
	"bufio"
	"context"
	"maps"
	"net"
	"net/http"

	"example.org/backoffice/backoffice"
)

type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Middleware gives each request a ledger and delays the first byte of its answer until Commit has entered what it
// consulted. If that fails, nothing that the handler wrote is sent, headers included: refuse answers instead. It also
// reads the stated purpose, and refuses a bad one before the handler runs. viewer returns who is signed in.
func (v *Vault) Middleware(
	viewer func(context.Context) *backoffice.Principal, refuse Refuse) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			purpose, err := PurposeOf(r.Header)
			if err != nil {
				refuse(w, r, err)
				return
			}
			r = r.WithContext(v.WithLedger(r.Context(), viewer(r.Context()), purpose))
			held := &heldWriter{ResponseWriter: w, request: r, refuse: refuse, before: maps.Clone(w.Header())}
			next.ServeHTTP(held, r)
			held.release() // an answer without a body
		})
	}
}

// heldWriter commits the ledger before anything is sent. Like any ResponseWriter it is for one goroutine at a time.
type heldWriter struct {
	http.ResponseWriter
	request  *http.Request
	refuse   Refuse
	before   http.Header // as they were before the handler
	released bool
	refused  error
}

// release sends the answer, or answers in its place; it returns why nothing more may be written.
func (h *heldWriter) release() error {
	if h.released {
		return h.refused
	}
	h.released = true
	if h.refused = backoffice.CommitLedger(h.request.Context()); h.refused != nil {
		header := h.Header()
		maps.DeleteFunc(header, func(name string, _ []string) bool { return name != "Connection" })
		maps.Copy(header, h.before)
		h.refuse(h.ResponseWriter, h.request, h.refused)
	}
	return h.refused
}

func (h *heldWriter) WriteHeader(status int) {
	if status >= 100 && status < 200 && !h.released {
		return // an early hint could disclose what is not entered yet
	}
	if h.release() == nil {
		h.ResponseWriter.WriteHeader(status)
	}
}

func (h *heldWriter) Write(b []byte) (int, error) {
	if err := h.release(); err != nil {
		return 0, err
	}
	return h.ResponseWriter.Write(b)
}

func (h *heldWriter) FlushError() error {
	if err := h.release(); err != nil {
		return err
	}
	return http.NewResponseController(h.ResponseWriter).Flush()
}

func (h *heldWriter) Flush() { _ = h.FlushError() }

// Hijack always fails: it would bypass the ledger.
func (h *heldWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, http.ErrNotSupported
}

func (h *heldWriter) Unwrap() http.ResponseWriter { return h.ResponseWriter }
