package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/klauspost/compress/gzhttp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// maxBody limits a request's body, in bytes.
const maxBody = 256 << 10

type humaContext huma.Context

// request is a request as huma sees it: strict, and available to handlers through their context.
type request struct {
	humaContext
	api   *API
	ctx   context.Context
	query url.Values
	body  []byte

	status int  // of the answer
	sent   bool // whether it was sent

	private bool // the answer says more of registration numbers than the ledger has
}

type requestKey struct{}

func requestOf(ctx context.Context) *request { return ctx.Value(requestKey{}).(*request) }

func (r *request) Context() context.Context { return r.ctx }
func (r *request) Unwrap() huma.Context     { return r.humaContext }

// Query returns a parameter's value; huma's own reading takes a parameter without a value for "true".
func (r *request) Query(name string) string { return r.query.Get(name) }

// Param returns an identifier of the path. Huma rejects an empty one as a bad request; here nothing has it.
func (r *request) Param(name string) string { return cmp.Or(r.humaContext.Param(name), " ") }

// Header returns a header's value. The media types of both bodies were checked already: each body has one.
func (r *request) Header(name string) string {
	switch name {
	case "Accept", "Content-Type":
		return mediaJSON
	case "If-Match", "If-None-Match", "Content-Digest": // lists may continue in a second header
		return strings.Join(headers(r, name), ", ")
	}
	return r.humaContext.Header(name)
}

// SetHeader also prevents compression of an answer with an entity tag: the tag is that of its bytes.
func (r *request) SetHeader(name, value string) {
	if name == "ETag" {
		r.humaContext.SetHeader(gzhttp.HeaderNoCompression, name)
	}
	r.humaContext.SetHeader(name, value)
}

func (r *request) BodyReader() io.Reader { return bytes.NewReader(r.body) }

// SetReadDeadline does nothing: the body was read already. Huma's own deadline would stay on the connection during the
// request, and when it passed, end the contexts of all later requests on it.
func (r *request) SetReadDeadline(time.Time) error { return nil }

// readAccept rejects a client that accepts neither JSON nor another form of the answer. Files are of any type.
func (r *request) readAccept() error {
	accepted := headers(r, "Accept")
	for _, response := range r.Operation().Responses {
		if response.Content[mediaJSON] == nil {
			continue
		}
		if negotiate(accepted, slices.Collect(maps.Keys(response.Content))...) == "" {
			return problem(http.StatusNotAcceptable, "the answer is application/json")
		}
	}
	return nil
}

// readQuery rejects unknown parameters, repeated ones and empty values.
func (r *request) readQuery() error {
	query, err := url.ParseQuery(r.URL().RawQuery)
	if err != nil {
		return problem(http.StatusBadRequest, "the URL's query is malformed")
	}
	r.query = query
	known := map[string]*huma.Param{}
	for _, p := range r.Operation().Parameters {
		if p.In == "query" {
			known[p.Name] = p
		}
	}
	var faults []ProblemError
	fault := func(name, detail string) {
		faults = append(faults, ProblemError{
			Parameter: backoffice.ShownName(name), Code: string(backoffice.CodeInvalid), Detail: detail})
	}
	for name, values := range query {
		p := known[name]
		switch {
		case p == nil:
			fault(name, "unknown query parameter")
		case len(values) > 1 && p.Schema.Type != huma.TypeArray:
			fault(name, "the parameter must be sent once")
		case slices.Contains(values, "") && (p.Schema.Type != huma.TypeString || p.Schema.Format != "" ||
			p.Schema.Pattern != "" || p.Schema.Enum != nil || p.Schema.MinLength != nil):
			fault(name, "the parameter has no value")
		}
	}
	if len(faults) > 0 {
		inOrder(faults)
		return faulty(http.StatusBadRequest, faults)
	}
	if slices.ContainsFunc(guardedFilters, query.Has) {
		return auth.Require(r.ctx, backoffice.PrivacyRead)
	}
	return nil
}

// guardedFilters are the query parameters that need privacy.read, whatever their value.
var guardedFilters = []string{"registrationNumber", "spouseRegistrationNumber"}

// readHeaders rejects repeated and empty headers, and conditions that an operation other than GET and HEAD does not
// take: ignored, they would guard nothing.
func (r *request) readHeaders() error {
	reads := r.Method() == http.MethodGet || r.Method() == http.MethodHead
	for _, name := range []string{"Idempotency-Key", "If-Match", "If-None-Match"} {
		values := headers(r, name)
		conditions := !reads && len(values) > 0 && name != "Idempotency-Key"
		takes := func(p *huma.Param) bool { return p.In == "header" && p.Name == name }
		if conditions && !slices.ContainsFunc(r.Operation().Parameters, takes) {
			return badParameter(name, "the operation does not take this header")
		}
		if len(values) > 1 && name == "Idempotency-Key" {
			return badParameter(name, "the header must be sent once")
		}
		if slices.Contains(values, "") {
			return badParameter(name, "the header has no value")
		}
	}
	return nil
}

func headers(ctx huma.Context, name string) []string {
	r, _ := humachi.Unwrap(ctx)
	return r.Header.Values(name)
}

// encoded reports whether a body is compressed, which it must not be.
func encoded(r *http.Request) bool {
	codings := strings.Join(r.Header.Values("Content-Encoding"), ",")
	return codings != "" && !strings.EqualFold(codings, "identity")
}

func (r *request) readBody() error {
	incoming, _ := humachi.Unwrap(r.humaContext)
	media, parameters, err := mime.ParseMediaType(incoming.Header.Get("Content-Type"))
	charset := strings.ToLower(parameters["charset"])
	if err != nil || media != mediaJSON || charset != "" && charset != "utf-8" || encoded(incoming) {
		return problem(http.StatusUnsupportedMediaType, "the body must be application/json, in UTF-8")
	}
	tooLarge := problem(http.StatusRequestEntityTooLarge, "the body has at most "+strconv.Itoa(maxBody)+" bytes")
	if incoming.ContentLength > maxBody {
		return tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(incoming.Body, maxBody+1))
	var limited *http.MaxBytesError
	switch {
	case errors.As(err, &limited), len(body) > maxBody:
		return tooLarge
	case r.ctx.Err() != nil:
		return backoffice.Fault(r.ctx.Err(), "reading a body")
	case err != nil:
		return problem(http.StatusBadRequest, "the body could not be read")
	case len(body) == 0:
		return problem(http.StatusBadRequest, "the request needs a body")
	}
	r.body = body
	return backoffice.CheckJSONObject(body)
}

// negotiate picks what Accept prefers of the offered media types (RFC 9110, 12.5.1); "" when it allows none. Of the
// ranges that include a type the most specific decides, and of types of the same weight the one that is named first.
func negotiate(accept []string, offered ...string) (chosen string) {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	if strings.TrimSpace(strings.Join(accept, "")) == "" { // an empty one accepts anything
		ranges = []string{"*/*"}
	}
	most, first := 0.0, 0
	for _, media := range offered {
		group, _, _ := strings.Cut(media, "/")
		specific := map[string]int{"*/*": 1, group + "/*": 2, media: 3}
		level, weight, at := 0, 0.0, 0
		for i, item := range ranges {
			named, parameters, err := mime.ParseMediaType(item)
			if of := specific[named]; err == nil && of > 0 && of >= level {
				level, at = of, i
				weight, _ = strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64) // 0 when malformed
			}
		}
		if weight > most || weight == most && weight > 0 && at < first {
			chosen, most, first = media, weight, at
		}
	}
	return chosen
}
