package mirror

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

// sent is an origin's answer to a write that it has done.
type sent struct {
	record   record // nil when the answer is not a record
	location string
}

// idOf is the identifier of the record that was written, "" when unknown.
func (s *sent) idOf(w *backoffice.OriginWrite) string {
	switch {
	case w.ID != "":
		return w.ID
	case s.record.id() != "":
		return s.record.id()
	case s.location != "":
		return path.Base(s.location)
	}
	return ""
}

// send sends a write once: one without an answer may have been done. Errors are for the caller to see.
func (t *Through) send(ctx context.Context, w *backoffice.OriginWrite) (*sent, error) {
	body, err := bodyOf(w)
	if err != nil {
		return nil, backoffice.Fault(err, "building a write for the origin")
	}
	method, address := request(w)
	if err := t.origin.throttle.enter(ctx); err != nil {
		return nil, err
	}
	busy := false
	defer func() { t.origin.throttle.leave(busy, 0) }()
	limited, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	r, err := t.origin.request(limited, method, address, nil, bytes.NewReader(body))
	if err != nil {
		return nil, backoffice.Fault(err, "building a write for the origin")
	}
	if method != http.MethodDelete {
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Body, r.ContentLength, r.GetBody = http.NoBody, 0, nil
	}
	if w.Version != 0 {
		r.Header.Set("If-Match", strconv.Quote(strconv.Itoa(w.Version)))
	}
	if key, ok := w.Key.Get(); ok {
		// At the origin all writes have the same credential, so the key is made unique to the client here.
		sum := sha256.Sum256([]byte(w.By.ClientID + "\n" + key))
		r.Header.Set("Idempotency-Key", hex.EncodeToString(sum[:]))
	}
	t.origin.requests.Add(1)
	response, err := t.origin.http.Do(r)
	if err != nil {
		return nil, noAnswer(ctx, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, noAnswer(ctx, err)
	}
	busy = response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable
	if response.StatusCode/100 != 2 {
		return nil, refusalOf(w, response.StatusCode, text)
	}
	done := &sent{location: response.Header.Get("Location")}
	_ = json.Unmarshal(text, &done.record) // anything but a record is ignored
	return done, nil
}

func noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &backoffice.Error{
		Kind: backoffice.Unavailable, Cause: errors.New("a write for the origin: " + failureOf(err)),
		Message: "the origin does not answer: " +
			"nothing was written here; if it was written there, the next pull brings it",
	}
}

// told are the codes that an origin may use, with our messages for them: its own could contain anything.
var told = map[backoffice.UserErrorCode]string{
	backoffice.CodeRequired:              "the origin requires this",
	backoffice.CodeInvalid:               "the origin rejects this",
	backoffice.CodeNotFound:              "no object has this identifier at the origin",
	backoffice.CodeTaken:                 "another object has this value at the origin",
	backoffice.CodeNotAllowed:            "the origin does not allow this",
	backoffice.CodeStaleVersion:          "the object was changed since this version",
	backoffice.CodeFinancialYearArchived: "the financial year is not the current one at the origin",
	backoffice.CodeIdempotencyKeyReused:  "the idempotency key was used with other content",
}

// refusalOf is the caller's error for a write that the origin rejected.
func refusalOf(w *backoffice.OriginWrite, status int, text []byte) error {
	var problem struct {
		Errors []struct{ Pointer, Parameter, Code string }
	}
	_ = json.Unmarshal(text, &problem) // an unreadable one leaves only the status
	var found []*backoffice.UserError
	for _, e := range problem.Errors {
		code := backoffice.UserErrorCode(e.Code)
		if told[code] == "" {
			code = backoffice.CodeInvalid
		}
		field := fieldOf(w, e.Pointer, e.Parameter)
		found = append(found, &backoffice.UserError{Code: code, Message: told[code], Field: field})
	}
	refuse := func(code backoffice.UserErrorCode, field ...string) error {
		return backoffice.Refuse(&backoffice.UserError{Code: code, Message: told[code], Field: field})
	}
	switch {
	case status == http.StatusUnauthorized:
		return &backoffice.Error{Kind: backoffice.Unavailable, Cause: errCredential,
			Message: "the origin does not accept writes from this mirror now"}
	case status == http.StatusForbidden, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		err := backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeNotAllowed,
			Message: "the origin does not allow this mirror's credential to do that"})
		err.Mirrored = true
		return err
	case status == http.StatusTooManyRequests:
		return backoffice.Errorf(backoffice.RateLimited, "the origin gets too many requests; try again later")
	case status >= 500 || status < 400:
		return &backoffice.Error{
			Kind: backoffice.Unavailable, Cause: fmt.Errorf("the origin answered a write with %d", status),
			Message: "the origin cannot write now: " +
				"nothing was written here; if it was written there, the next pull brings it",
		}
	case len(found) > 0:
		return backoffice.Refuse(found...)
	case status == http.StatusNotFound && w.ID != "":
		return refuse(backoffice.CodeNotFound, "id")
	case status == http.StatusNotFound && w.Noun == backoffice.NounRelation:
		return refuse(backoffice.CodeNotFound, "customerId")
	case status == http.StatusPreconditionFailed:
		return refuse(backoffice.CodeStaleVersion, "expectedVersion")
	case status == http.StatusConflict, status == http.StatusNotFound:
		return refuse(backoffice.CodeNotAllowed)
	}
	return refuse(backoffice.CodeInvalid)
}

// fieldOf is the path in GraphQL's inputs of a REST field: one that was sent, or nil.
func fieldOf(w *backoffice.OriginWrite, pointer, parameter string) []string {
	switch parameter {
	case "If-Match":
		return []string{"expectedVersion"}
	case "Idempotency-Key":
		return []string{"idempotencyKey"}
	}
	name := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	for _, field := range slices.Sorted(maps.Keys(w.Sent)) {
		switch line := importexport.LineName(field); {
		case name == "":
		case line == name, strings.HasPrefix(name, line+"."): // an error inside a list is reported on the list
			return strings.Split(field, ".")
		case strings.HasPrefix(line, name+"."):
			object, _, _ := strings.Cut(field, ".")
			return []string{object}
		}
	}
	object, required, _ := strings.Cut(name, ".")
	if required == "" && slices.Contains(importexport.Fields(w.Noun), object) { // a field that was not sent
		return []string{object}
	}
	return nil
}
