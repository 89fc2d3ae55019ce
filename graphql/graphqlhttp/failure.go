package graphqlhttp

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// The codes of extensions.code, one in every error.
const (
	codeParse           = "GRAPHQL_PARSE_FAILED"
	codeValidation      = "GRAPHQL_VALIDATION_FAILED"
	codeBadInput        = "BAD_USER_INPUT"
	codeUnauthenticated = "UNAUTHENTICATED"
	codeForbidden       = "FORBIDDEN"
	codeNotFound        = "NOT_FOUND"
	codeRateLimited     = "RATE_LIMITED"
	codeUnavailable     = "UNAVAILABLE"
	codeTimeout         = "TIMEOUT"
	codeInternal        = "INTERNAL_SERVER_ERROR"
	codeCursorExpired   = "CURSOR_EXPIRED"
	codeNotPersisted    = "PERSISTED_DOCUMENT_NOT_FOUND"
)

// failure makes an error with a code. The message must hold no value of the request.
func failure(code, format string, args ...any) *gqlerror.Error {
	return &gqlerror.Error{Message: fmt.Sprintf(format, args...), Extensions: map[string]any{"code": code}}
}

// codes is the one mapping from kinds of errors to codes; any other kind is an internal error.
var codes = map[backoffice.Kind]string{
	backoffice.BadInput:        codeBadInput,
	backoffice.Refused:         codeBadInput, // a rejected write is normally reported in userErrors
	backoffice.Unauthenticated: codeUnauthenticated,
	backoffice.Forbidden:       codeForbidden,
	backoffice.NotFound:        codeNotFound,
	backoffice.RateLimited:     codeRateLimited,
	backoffice.Unavailable:     codeUnavailable,
	backoffice.Timeout:         codeTimeout,
	backoffice.TooLarge:        limits.CodeAnswer,
	backoffice.OverLimit:       limits.CodeCost,
	backoffice.CursorExpired:   codeCursorExpired,
}

func codeOf(kind backoffice.Kind) string { return cmp.Or(codes[kind], codeInternal) }

// statuses are those of all codes but the ones of a request that is malformed or too large.
var statuses = map[string]int{
	codeUnauthenticated: http.StatusUnauthorized,
	codeForbidden:       http.StatusForbidden,
	codeNotFound:        http.StatusNotFound,
	codeRateLimited:     http.StatusTooManyRequests,
	codeUnavailable:     http.StatusServiceUnavailable,
	codeTimeout:         http.StatusGatewayTimeout,
	codeCursorExpired:   http.StatusGone,
	codeInternal:        http.StatusInternalServerError,
}

// statusOf is the HTTP status of a request that failed as a whole with a code.
func statusOf(code, media string) int {
	switch code {
	case codeParse, codeValidation, codeBadInput, codeNotPersisted, limits.CodeAlias,
		limits.CodeAnswer, limits.CodeCost, limits.CodeDepth, limits.CodeToken:
		if media == mediaJSON { // GraphQL over HTTP requires it for clients that know only 200
			return http.StatusOK
		}
	}
	return cmp.Or(statuses[code], http.StatusBadRequest)
}

func codeOfError(err *gqlerror.Error) string {
	code, _ := err.Extensions["code"].(string)
	return code
}
