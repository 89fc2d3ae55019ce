package graphqlhttp

import (
	"cmp"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// RequestError is why nothing is executed, as reported to the client: a request error of the GraphQL specification.
type RequestError struct {
	errs   gqlerror.List
	status int // 0: that of the code
	allow  string
}

func (e *RequestError) Error() string { return e.errs.Error() }

func requestError(errs ...*gqlerror.Error) *RequestError { return &RequestError{errs: errs} }

// unread rejects a request that could not be read. The message holds nothing of it.
func unread(status int, message string) *RequestError {
	return &RequestError{errs: gqlerror.List{failure(codeBadInput, "%s", message)}, status: status}
}

// NotAcceptable rejects a request that accepts none of the answer's media types.
func NotAcceptable(message string) *RequestError { return unread(http.StatusNotAcceptable, message) }

func (e *RequestError) answer(media string) answer {
	a := refusal(media, e.errs...)
	a.status, a.allow = cmp.Or(e.status, a.status), e.allow
	return a
}
