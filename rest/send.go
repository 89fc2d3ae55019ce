package rest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/klauspost/compress/gzhttp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// Huma sets the status before it encodes; request keeps it until the answer may be sent.

func (r *request) SetStatus(status int) { r.status = status }
func (r *request) Status() int          { return r.status }

// BodyWriter expects the answer in one piece.
func (r *request) BodyWriter() io.Writer { return (*sending)(r) }

type sending request

// Write sends the whole answer, or the problem that it is too large. A client that is gone is no error of ours.
func (s *sending) Write(body []byte) (int, error) {
	r := (*request)(s)
	if most := r.api.Answer; most > 0 && len(body) > most && !r.sent {
		r.dropHeader("ETag")
		r.dropHeader("Location")
		r.api.answer(r, backoffice.Errorf(backoffice.TooLarge,
			"the answer would be larger than %d bytes; ask for a smaller page", most))
		return len(body), nil
	}
	r.sendStatus()
	if r.Method() != http.MethodHead { // else its length would be told, and it has no registration numbers
		_, _ = r.humaContext.BodyWriter().Write(body)
	}
	return len(body), nil
}

// sendStatus sends the status that was set, once. It prevents compression of registration numbers; see Compressed.
func (r *request) sendStatus() {
	if r.sent || r.status == 0 {
		return
	}
	r.sent = true
	if r.private || privacy.Consulted(r.ctx) {
		r.humaContext.SetHeader(gzhttp.HeaderNoCompression, "registration numbers")
	}
	r.humaContext.SetStatus(r.status)
}

// costKey has the cost of an operation that reads more than its answer has.
const costKey = "cost"

// cost is the maximum number of objects in the answer, as GraphQL counts them: a list 1, its page, and a hundredth of
// what it skips; a write 10. least is the part that is done even when nothing is found.
func (r *request) cost() (cost, least int) {
	page, size, isList := 1, backoffice.DefaultRESTPageSize, false
	for _, p := range r.Operation().Parameters {
		isList = isList || p.Name == "pageSize"
	}
	if !isList {
		if r.Operation().Method == http.MethodGet || r.Operation().Method == http.MethodHead {
			if cost, ok := r.Operation().Metadata[costKey].(int); ok {
				return cost, cost
			}
			return 1, 1
		}
		if r.Operation().OperationID == batchOperation {
			return 10 * customersSent(r.body), 10 * customersSent(r.body)
		}
		return 10, 10
	}
	var sent struct{ Page, PageSize json.RawMessage }
	if r.body != nil {
		_ = json.Unmarshal(r.body, &sent) // a malformed body is rejected later
	}
	number := func(name string, inBody json.RawMessage, into *int) {
		for _, text := range []string{r.query.Get(name), string(inBody)} {
			if n, err := strconv.Atoi(text); err == nil && n > 0 {
				*into = n
			}
		}
	}
	number("page", sent.Page, &page)
	number("pageSize", sent.PageSize, &size)
	size = min(size, backoffice.MaxPageSize)
	const most = 1 << 31 // of a page's number
	least = 1 + (min(page, most)-1)*size/100
	return size + least, least
}

func (r *request) dropHeader(name string) {
	_, w := humachi.Unwrap(r.humaContext)
	w.Header().Del(name)
}
