package graphqlhttp

import (
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

// codeOf is the one mapping from kinds of errors to codes.
func codeOf(kind backoffice.Kind) string {
	switch kind {
	case backoffice.BadInput, backoffice.Refused: // a rejected write is normally reported in userErrors
		return codeBadInput
	case backoffice.Unauthenticated:
		return codeUnauthenticated
	case backoffice.Forbidden:
		return codeForbidden
	case backoffice.NotFound:
		return codeNotFound
	case backoffice.RateLimited:
		return codeRateLimited
	case backoffice.Unavailable:
		return codeUnavailable
	case backoffice.Timeout:
		return codeTimeout
	case backoffice.TooLarge:
		return limits.CodeAnswer
	case backoffice.OverLimit:
		return limits.CodeCost
	case backoffice.CursorExpired:
		return codeCursorExpired
	}
	return codeInternal
}

// statusOf is the HTTP status of a request that failed as a whole with a code.
func statusOf(code, media string) int {
	switch code {
	case codeUnauthenticated:
		return http.StatusUnauthorized
	case codeForbidden:
		return http.StatusForbidden
	case codeNotFound:
		return http.StatusNotFound
	case codeRateLimited:
		return http.StatusTooManyRequests
	case codeUnavailable:
		return http.StatusServiceUnavailable
	case codeTimeout:
		return http.StatusGatewayTimeout
	case codeCursorExpired:
		return http.StatusGone
	case codeInternal:
		return http.StatusInternalServerError
	case codeParse, codeValidation, codeBadInput, codeNotPersisted, limits.CodeAlias,
		limits.CodeAnswer, limits.CodeCost, limits.CodeDepth, limits.CodeToken:
		if media == mediaJSON { // GraphQL over HTTP requires it for clients that know only 200
			return http.StatusOK
		}
	}
	return http.StatusBadRequest
}

func codeOfError(err *gqlerror.Error) string {
	code, _ := err.Extensions["code"].(string)
	return code
}
