package backoffice

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Kind is what went wrong in terms of the domain; each API has one table from kinds to its own answers.
type Kind uint8

const (
	// Internal is a fault of ours: the caller sees "internal error" and a request id, never the cause.
	Internal Kind = iota
	// BadInput is a malformed question: a paging argument, a cursor, a filter.
	BadInput
	// Unauthenticated means no valid credential.
	Unauthenticated
	// Forbidden means the credential lacks the scope in Error.RequiredScope.
	Forbidden
	// NotFound means that the object named by the request does not exist.
	NotFound
	// Refused means that a write was understood and not done, for the reasons in Error.UserErrors.
	Refused
	// RateLimited means too many requests; try again later.
	RateLimited
	// Unavailable means that something we need is away for now; try again later.
	Unavailable
	// Timeout means that the deadline passed before the work was done.
	Timeout
	// TooLarge means that the answer would be larger than answers may be.
	TooLarge
	// OverLimit means that one request asks for more work than one may.
	OverLimit
	// CursorExpired means a cursor after which entries of the change log are missing.
	CursorExpired
)

// Error is the only error that crosses packages. Message is safe to show to anyone; Cause is only for the log.
type Error struct {
	Kind          Kind
	Message       string
	RequiredScope Scope        // with Forbidden
	UserErrors    []*UserError // with Refused, at least one
	Field         string       // with BadInput: the filter's field or the header at fault; "" for none in particular
	Mirrored      bool         // with Refused: only another office may write the record
	Cause         error
}

// Error returns the safe message, never the cause.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, which APIs never print.
func (e *Error) Unwrap() error { return e.Cause }

// UserErrorCode names what a caller can fix about a write.
type UserErrorCode string

const (
	CodeRequired              UserErrorCode = "REQUIRED"
	CodeInvalid               UserErrorCode = "INVALID"
	CodeNotFound              UserErrorCode = "NOT_FOUND"
	CodeTaken                 UserErrorCode = "TAKEN"
	CodeNotAllowed            UserErrorCode = "NOT_ALLOWED"
	CodeStaleVersion          UserErrorCode = "STALE_VERSION"
	CodeFinancialYearArchived UserErrorCode = "FINANCIAL_YEAR_ARCHIVED"
	CodeIdempotencyKeyReused  UserErrorCode = "IDEMPOTENCY_KEY_REUSED"
)

// UserError is one fault in the input of a write that its caller can fix.
// Field is the path inside the input in GraphQL's names, nil when no single field is at fault.
type UserError struct {
	Code    UserErrorCode
	Message string
	Field   []string
}

// Errorf makes an error of a kind with a safe message. The message must not contain a value of the request.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Cause returns the innermost cause of an error, which has more details than its message. It is only for the log.
func Cause(err error) error {
	for {
		known, ok := errors.AsType[*Error](err)
		if !ok || known.Cause == nil {
			return err
		}
		err = known.Cause
	}
}

// Fault wraps a cause that the caller must not see. Deadlines and cancellations keep their meaning.
func Fault(cause error, doing string) *Error {
	var known *Error
	switch {
	case errors.As(cause, &known):
		return known
	case errors.Is(cause, context.DeadlineExceeded):
		return &Error{Kind: Timeout, Message: "the request took too long", Cause: fmt.Errorf("%s: %w", doing, cause)}
	}
	return &Error{Kind: Internal, Message: "internal error", Cause: fmt.Errorf("%s: %w", doing, cause)}
}

// Recovered makes an error of what was recovered, with the stack. It has the value only if Go made it: any other could
// hold anything.
func Recovered(value any) error {
	if fault, ok := value.(runtime.Error); ok {
		return fmt.Errorf("panic: %w\n%s", fault, debug.Stack())
	}
	return fmt.Errorf("panic with a %T\n%s", value, debug.Stack())
}

// InField names the field or parameter that an error of BadInput is about.
func InField(err error, name string) error {
	known, ok := errors.AsType[*Error](err)
	if !ok || known.Kind != BadInput {
		return err
	}
	named := *known
	named.Field = name
	return &named
}

// MissingScope is the error of a caller that lacks a scope.
func MissingScope(scope Scope) *Error {
	return &Error{Kind: Forbidden, Message: "this needs the scope " + scope.String(), RequiredScope: scope}
}

func Refuse(userErrors ...*UserError) *Error {
	return &Error{Kind: Refused, Message: "the input was rejected", UserErrors: userErrors}
}

// Denies reports whether an error is Unauthenticated or Forbidden.
func Denies(err error) bool { return KindOf(err) == Unauthenticated || KindOf(err) == Forbidden }

// KindOf returns the kind of any error: Timeout for an exceeded deadline, Internal for an error that is not an *Error.
func KindOf(err error) Kind {
	var known *Error
	if errors.As(err, &known) {
		return known.Kind
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return Internal
}
