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
	}
	tail, length, err := []byte(nil), len(a.body), error(nil)
	if a.body == nil {
		if tail, err = a.tail(); err != nil {
			return err
		}
		length = len(tail)
		if a.data != nil {
			length += len(opening) + len(a.data)
		}
	}
	header := w.Header()
	header["Content-Type"] = contentTypes[a.media]
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	header["Content-Length"] = []string{strconv.Itoa(length)}
	header.Add("Vary", "Accept")
	if a.mayBePacked() {
		header.Add("Vary", "Accept-Encoding")
	}
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
