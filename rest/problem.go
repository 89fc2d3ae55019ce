package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/backoffice"
)

// Problem is the body of every answer that is an error (RFC 9457, application/problem+json).
type Problem struct {
	Type          string         `json:"type" doc:"Always about:blank. The status is the kind of problem." example:"about:blank"`
	Title         string         `json:"title" doc:"The status in words." example:"Unprocessable Entity"`
	Status        int            `json:"status" doc:"The HTTP status." example:"422"`
	Detail        string         `json:"detail" doc:"What is wrong. It never repeats a value of the request." example:"/kboNumber: a KBO number must have ten digits: the first is 0 or 1, and the last two are check digits"`
	RequestID     string         `json:"requestId,omitempty" doc:"The request's id in the log."`
	RequiredScope string         `json:"requiredScope,omitempty" doc:"The scope that the credential lacks." example:"privacy.read"`
	Errors        []ProblemError `json:"errors,omitempty" nullable:"false" doc:"What is wrong, field by field."`
}

// ProblemError is one thing that the caller can fix.
type ProblemError struct {
	Pointer   string `json:"pointer,omitempty" doc:"The field in the request's body, as a JSON pointer (RFC 6901)." example:"/kboNumber"`
	Parameter string `json:"parameter,omitempty" doc:"The query parameter or header." example:"pageSize"`
	Code      string `json:"code" enum:"REQUIRED,INVALID,NOT_FOUND,TAKEN,NOT_ALLOWED,STALE_VERSION,FINANCIAL_YEAR_ARCHIVED,IDEMPOTENCY_KEY_REUSED" doc:"The kind of error." example:"INVALID"`
	Detail    string `json:"detail" doc:"What is wrong with it." example:"a KBO number must have ten digits: the first is 0 or 1, and the last two are check digits"`
}

const (
	mediaProblem = "application/problem+json"
	maxErrors    = 100 // reported per request
)

func (p *Problem) Error() string  { return p.Detail }
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements huma's interface: problems have a media type of their own.
func (p *Problem) ContentType(string) string { return mediaProblem }

// GetHeaders implements huma's interface: transient problems have Retry-After.
func (p *Problem) GetHeaders() http.Header {
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		return http.Header{"Retry-After": {"1"}}
	}
	return nil
}

func problem(status int, detail string, errs ...ProblemError) *Problem {
	if len(errs) > maxErrors {
		errs = errs[:maxErrors]
	}
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Errors: errs}
}

// faulty is the problem of a request with faults; its detail names the first.
func faulty(status int, errs []ProblemError) *Problem {
	first, detail := errs[0], errs[0].Detail
	if place := cmp.Or(first.Pointer, first.Parameter); place != "" {
		detail = place + ": " + detail
	}
	if more := len(errs) - 1; more > 0 {
		detail += " (and " + strconv.Itoa(more) + " more)"
	}
	return problem(status, detail, errs...)
}

func badParameter(name, detail string) *Problem {
	return faulty(http.StatusBadRequest, []ProblemError{{
		Parameter: backoffice.ShownName(name), Code: string(backoffice.CodeInvalid), Detail: detail}})
}

// statuses is the only table from kinds of errors to statuses; any other kind is an internal error.
var statuses = map[backoffice.Kind]int{
	backoffice.BadInput: http.StatusBadRequest, backoffice.TooLarge: http.StatusBadRequest,
	backoffice.OverLimit:       http.StatusBadRequest,
	backoffice.Unauthenticated: http.StatusUnauthorized,
	backoffice.Forbidden:       http.StatusForbidden,
	backoffice.NotFound:        http.StatusNotFound,
	backoffice.Refused:         http.StatusUnprocessableEntity,
	backoffice.RateLimited:     http.StatusTooManyRequests,
	backoffice.Unavailable:     http.StatusServiceUnavailable,
	backoffice.Timeout:         http.StatusGatewayTimeout,
	backoffice.CursorExpired:   http.StatusGone,
}

// present turns any error into what the caller sees, and logs what the caller must not see.
func (a *API) present(ctx context.Context, err error) *Problem {
	var shown *Problem
	var known *backoffice.Error
	switch {
	case errors.As(err, &shown):
		copied := *shown
		shown = &copied
	case errors.As(err, &known) && known.Kind == backoffice.Refused:
		if shown = refusal(known.UserErrors); known.Mirrored {
			shown.Status, shown.Title = http.StatusConflict, http.StatusText(http.StatusConflict)
		}
	case errors.As(err, &known) && known.Kind != backoffice.Internal:
		status := cmp.Or(statuses[known.Kind], http.StatusInternalServerError)
		shown = problem(status, backoffice.MaskDigits(known.Message))
		shown.RequiredScope = string(known.RequiredScope)
		if known.Field != "" {
			shown.Errors = []ProblemError{{
				Parameter: known.Field, Code: string(backoffice.CodeInvalid), Detail: shown.Detail}}
		}
		if known.Kind == backoffice.Unavailable && known.Cause != nil {
			a.log(ctx, slog.LevelWarn, "unavailable", known.Cause)
		}
	case backoffice.KindOf(err) == backoffice.Timeout, errors.Is(err, context.Canceled): // nobody reads the latter
		shown = problem(http.StatusGatewayTimeout, "the request took too long")
	default:
		shown = problem(http.StatusInternalServerError, "internal error")
		if known != nil && known.Cause != nil {
			err = known.Cause
		}
		a.log(ctx, slog.LevelError, "internal error", err)
	}
	shown.RequestID = backoffice.RequestOf(ctx).ID
	return shown
}

func (a *API) log(ctx context.Context, level slog.Level, message string, cause error) {
	slog.Default().Log(ctx, level, message,
		"cause", backoffice.MaskDigits(cause.Error()), "request", backoffice.RequestOf(ctx).ID)
}

// Refuse answers a request with an error, also for the middlewares of other packages.
func (a *API) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	shown := a.present(r.Context(), err)
	header := w.Header()
	for name, values := range shown.GetHeaders() {
		if header.Get(name) == "" {
			header[name] = values
		}
	}
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Type", mediaProblem)
	w.WriteHeader(shown.Status)
	_ = json.NewEncoder(w).Encode(shown)
}

func refusal(userErrors []*backoffice.UserError) *Problem {
	errs := make([]ProblemError, len(userErrors))
	status := http.StatusConflict
	for i, u := range userErrors {
		errs[i] = ProblemError{Code: string(u.Code), Detail: backoffice.MaskDigits(u.Message)}
		place(&errs[i], u.Field)
		switch u.Code {
		case backoffice.CodeTaken, backoffice.CodeFinancialYearArchived:
		case backoffice.CodeStaleVersion:
			return faulty(http.StatusPreconditionFailed, errs[:i+1])
		default:
			if status = http.StatusUnprocessableEntity; u.Code == backoffice.CodeNotFound && errs[i].Parameter != "" {
				return faulty(http.StatusNotFound, errs[:i+1]) // what was made with the idempotency key is gone
			}
		}
	}
	return faulty(status, errs)
}

// ours maps the names of GraphQL's inputs to this interface's, where they differ.
var ours = map[string]string{
	"responsibleId": "responsible", "address": "addressFields", "checklistId": "checklist", "customerId": "customer",
	"relatedCustomerId": "relatedCustomer", "labelIds": "labels",
}

func place(e *ProblemError, field []string) {
	if len(field) == 0 {
		return
	}
	switch field[0] {
	case "expectedVersion":
		e.Parameter = "If-Match"
		return
	case "idempotencyKey":
		e.Parameter = "Idempotency-Key"
		return
	}
	first := 0 // of the names inside an input
	if field[0] == "inputs" {
		e.Pointer, first = "/customers", 2
		if len(field) > 1 {
			e.Pointer += "/" + field[1]
		}
	}
	for i, name := range field[min(first, len(field)):] {
		if own, differs := ours[name]; differs && i == 0 {
			name = own
		}
		e.Pointer += "/" + name
	}
}

// inPath turns the rejection of an identifier in the path into NotFound.
func inPath(err error, noun backoffice.Noun, field string) error {
	names := func(u *backoffice.UserError) bool {
		return u.Code == backoffice.CodeNotFound && len(u.Field) == 1 && u.Field[0] == field
	}
	known, ok := errors.AsType[*backoffice.Error](err)
	if ok && known.Kind == backoffice.Refused && slices.ContainsFunc(known.UserErrors, names) {
		return unknown(noun)
	}
	return err
}

func unknown(noun backoffice.Noun) error {
	return backoffice.Errorf(backoffice.NotFound, "no %s has this identifier", noun)
}

// Huma uses these two variables for its own errors and for the type that it documents. They are global, and the process
// has one REST interface; a request's API is found through its context.
func init() {
	huma.NewError = func(status int, message string, _ ...error) huma.StatusError { return problem(status, message) }
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		shown := invalid(status, message, errs)
		shown.RequestID = backoffice.RequestOf(ctx.Context()).ID
		return shown
	}
	huma.ValidateStrictCasing = true
}

// invalid reports why a request does not fit its schema, by the places and messages from huma, never the values.
func invalid(status int, message string, errs []error) *Problem {
	var faults []ProblemError
	for _, err := range errs {
		detailer, ok := err.(huma.ErrorDetailer)
		if !ok {
			continue
		}
		found := detailer.ErrorDetail()
		where, rest, _ := strings.Cut(found.Location, ".")
		fault := ProblemError{Code: string(backoffice.CodeInvalid), Detail: found.Message}
		if where != "body" || (rest == "page" || rest == "pageSize") && found.Message != unexpectedProperty {
			status = http.StatusBadRequest
		}
		switch where {
		case "body":
			fault.Pointer = pointer(rest)
			name, missing := missingProperty(found.Message)
			if missing {
				fault.Pointer += "/" + name
			}
			// A nullable field takes null: where null is rejected, the field counts as missing.
			if missing || found.Value == nil && rest != "" && !strings.HasSuffix(rest, "]") &&
				found.Message != unexpectedProperty {
				fault.Code, fault.Detail = string(backoffice.CodeRequired), "this field is required"
			} else if found.Message == unexpectedProperty {
				fault.Detail = "unknown field"
			}
		default:
			fault.Parameter, _, _ = strings.Cut(rest, "[") // one of a list's values
		}
		faults = append(faults, fault)
	}
	if len(faults) == 0 {
		return problem(status, message)
	}
	inOrder(faults)
	return faulty(status, faults)
}

// inOrder sorts faults by place: huma and queries list unknown names in the random order of a map.
func inOrder(faults []ProblemError) {
	slices.SortStableFunc(faults, func(a, b ProblemError) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Parameter, b.Parameter))
	})
}

// inBody points an error about a filter at the body.
func inBody(err error) error {
	known, ok := errors.AsType[*backoffice.Error](err)
	if !ok || known.Field == "" {
		return err
	}
	return faulty(http.StatusBadRequest, []ProblemError{{Pointer: "/" + known.Field,
		Code: string(backoffice.CodeInvalid), Detail: backoffice.MaskDigits(known.Message)}})
}

// pointer writes a place such as scopes[2] as a JSON pointer. Names may come from the caller.
func pointer(place string) string {
	if place == "" {
		return ""
	}
	return "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(backoffice.ShownName(place))
}
