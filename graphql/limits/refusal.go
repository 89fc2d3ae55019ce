package limits

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Codes of a refusal, as extensions.code of the error says them.
const (
	CodeDepth  = "DEPTH_LIMIT"
	CodeCost   = "COST_LIMIT"
	CodeAlias  = "ALIAS_LIMIT"
	CodeToken  = "TOKEN_LIMIT"
	CodeAnswer = "ANSWER_LIMIT" // of one that was begun
)

// refuse makes the error of a request that is over a limit. It holds the limit, which the caller has to know, and
// nothing of what was sent.
func refuse(code, format string, args ...any) *gqlerror.Error {
	return &gqlerror.Error{
		Message:    fmt.Sprintf(format, args...),
		Extensions: map[string]any{"code": code},
	}
}
