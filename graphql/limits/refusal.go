package limits

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Codes of rejected requests, in extensions.code.
const (
	CodeDepth  = "DEPTH_LIMIT"
	CodeCost   = "COST_LIMIT"
	CodeAlias  = "ALIAS_LIMIT"
	CodeToken  = "TOKEN_LIMIT"
	CodeAnswer = "ANSWER_LIMIT" // after the request has begun
)

// refuse makes the error of a request over a limit. It names the limit, which callers need, and nothing of the input.
func refuse(code, format string, args ...any) *gqlerror.Error {
	return &gqlerror.Error{
		Message:    fmt.Sprintf(format, args...),
		Extensions: map[string]any{"code": code},
	}
}
