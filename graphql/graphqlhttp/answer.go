package graphqlhttp

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/graphql/answers"
)

type answer struct {
	status     int
	media      string
	data       json.RawMessage // nil: the request failed, and the response has no data key
	errors     gqlerror.List
	extensions map[string]any
	allow      string
	streamed   bool // already sent, as events

	keepable bool            // data alone, determined by what it was read from
	kept     *answers.Answer // when it was in memory
	body     []byte          // of a kept or a packed answer, instead of data
	coding   string          // of the body
	varies   bool            // with the codings that the client accepts
	tag      string          // an entity tag; "" for none
}

// refusal is the answer to a request that failed as a whole.
func refusal(media string, errs ...*gqlerror.Error) answer {
	return answer{status: statusOf(codeOfError(errs[0]), media), media: media, errors: errs}
}

// write sends the answer. Data is written as it is: not copied, and not parsed again.
func (a answer) write(w http.ResponseWriter) error {
	switch {
	case a.streamed:
		return nil
	case a.media == mediaEvents && a.data != nil:
		return a.writeEvents(w)
	case a.status == http.StatusNotModified:
		a.mark(w.Header())
		w.WriteHeader(a.status)
		return nil
	}
	tail, err := a.tail()
	if err != nil {
		return err
	}
	length := len(tail)
	if a.data != nil {
		length += len(opening) + len(a.data)
	}
	if a.body != nil {
		length = len(a.body)
	}
	header := w.Header()
	a.mark(header)
	header["Content-Type"] = contentTypes[a.media]
	header["X-Content-Type-Options"] = noSniff
	header["Content-Length"] = []string{strconv.Itoa(length)}
	if a.coding != "" {
		header["Content-Encoding"] = []string{a.coding}
	}
	if a.allow != "" {
		header.Set("Allow", a.allow)
	}
	if (a.status == http.StatusServiceUnavailable || a.status == http.StatusTooManyRequests) &&
		header.Get("Retry-After") == "" {
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(a.status)
	if a.body != nil {
		_, _ = w.Write(a.body)
		return nil
	}
	if a.data != nil {
		if _, err = w.Write([]byte(opening)); err != nil {
			return nil // the client is gone
		}
		if _, err = w.Write(a.data); err != nil {
			return nil
		}
	}
	_, _ = w.Write(tail)
	return nil
}

var (
	contentTypes = map[string][]string{
		mediaGraphQL: {mediaGraphQL + "; charset=utf-8"},
		mediaJSON:    {mediaJSON + "; charset=utf-8"},
		mediaEvents:  {mediaGraphQL + "; charset=utf-8"}, // of a request that failed
	}
	noStore = []string{"no-store"}
	noSniff = []string{"nosniff"}
)

const opening = `{"data":`

var closing = []byte("}\n")

// tail is everything after the data: errors, extensions and the closing brace.
func (a answer) tail() ([]byte, error) {
	if a.data != nil && len(a.errors) == 0 && len(a.extensions) == 0 {
		return closing, nil
	}
	tail, err := json.Marshal(struct {
		Errors     gqlerror.List  `json:"errors,omitempty"`
		Extensions map[string]any `json:"extensions,omitempty"`
	}{a.errors, a.extensions})
	if err != nil {
		return nil, err
	}
	if a.data != nil {
		tail[0] = ','
	}
	return append(tail, '\n'), nil
}
