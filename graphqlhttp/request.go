package graphqlhttp

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// request is what a client asks, whichever method carried it.
type request struct {
	query         string
	operationName string
	variables     map[string]any

	queriesOnly bool // it came with GET
	explain     bool // what it costs is to be told
}

// unread is a request that could not be taken, with its HTTP status and a message that holds nothing of it.
type unread struct {
	status  int // that of the code when 0
	message string
	code    string // BAD_USER_INPUT when empty
	allow   string
}

// notPersisted is what Apollo's clients fall back on: they send the document itself then, and go on doing so.
var notPersisted = &unread{message: "PersistedQueryNotSupported", code: codeNotPersisted}

// answer tells a client why its request was not taken.
func (u *unread) answer(media string) answer {
	a := refusal(media, failure(cmp.Or(u.code, codeBadInput), "%s", u.message))
	a.status, a.allow = cmp.Or(u.status, a.status), u.allow
	return a
}

func malformed(message string) *unread {
	return &unread{status: http.StatusBadRequest, message: message}
}

// read takes a request from POST with a JSON body, or from GET with the parameters of the same names. GET is there for
// the specification of GraphQL over HTTP; a document in a URL ends up in other people's logs, so POST is the one to
// use.
func (g *GraphQL) read(w http.ResponseWriter, r *http.Request) (request, *unread) {
	switch r.Method {
	case http.MethodPost:
		if refused := checkContent(r.Header); refused != nil {
			return request{}, refused
		}
		text, refused := readBody(w, r, g.limits.Body)
		if refused != nil {
			return request{}, refused
		}
		return parseBody(text, g.limits.Nesting)
	case http.MethodGet:
		asked, refused := parseParameters(r.URL.RawQuery, g.limits.Body, g.limits.Nesting)
		asked.queriesOnly = true
		return asked, refused
	}
	return request{}, &unread{status: http.StatusMethodNotAllowed, message: "the method is not allowed", allow: "GET, POST"}
}

// checkContent refuses any body but JSON in UTF-8: forms and plain texts are what a foreign page can send without asking.
func checkContent(header http.Header) *unread {
	refused := &unread{status: http.StatusUnsupportedMediaType, message: "the body has to be application/json in UTF-8, not compressed"}
	if encoding := header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refused
	}
	content := header.Get("Content-Type")
	if content == mediaJSON {
		return nil
	}
	if media, _, ok := parseMedia(content); !ok || media != mediaJSON {
		return refused
	}
	return nil
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

var tooLarge = &unread{status: http.StatusRequestEntityTooLarge, message: "the body is too large"}

// readBody reads at most limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int) (string, *unread) {
	if r.ContentLength > int64(limit) {
		return "", tooLarge
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		buffer.Reset()
		buffers.Put(buffer)
	}()
	if _, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, int64(limit))); err != nil {
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			return "", tooLarge
		}
		return "", malformed("the body could not be read")
	}
	return buffer.String(), nil
}

func parseBody(text string, nesting int) (request, *unread) {
	value, err := parseJSON(text, nesting)
	if err != nil {
		return request{}, malformed("the body was refused: " + err.Error())
	}
	switch value := value.(type) {
	case *object:
		return requestOf(value.members)
	case []any:
		return request{}, malformed("the body is a list; send one operation at a time")
	}
	return request{}, malformed("the body is not a JSON object")
}

// requestOf knows the four keys of a request and refuses others: a misspelt "variables" would otherwise run an
// operation without them.
func requestOf(members map[string]any) (request, *unread) {
	var q request
	persisted := false
	for key, value := range members {
		inner, ok := value.(*object)
		if inner == nil {
			inner = &object{}
		}
		switch key {
		case "query":
			q.query, ok = value.(string)
		case "operationName":
			q.operationName, ok = value.(string)
			ok = ok || value == nil
		case "variables":
			q.variables = inner.members
			ok = ok || value == nil
		case "extensions": // of no meaning here, but for the one that stands in a query's place
			_, persisted = inner.members["persistedQuery"]
			ok = ok || value == nil
		default:
			return request{}, malformed("the request has other keys than query, operationName, variables and extensions")
		}
		if !ok {
			return request{}, malformed(key + " is not of the right type")
		}
	}
	if q.query == "" && persisted {
		return request{}, notPersisted
	}
	if q.query == "" {
		return request{}, malformed("query is missing")
	}
	return q, nil
}

func parseParameters(raw string, limit, nesting int) (request, *unread) {
	if len(raw) > limit {
		return request{}, &unread{status: http.StatusRequestURITooLong, message: "the parameters are too long"}
	}
	parameters, err := url.ParseQuery(raw)
	if err != nil {
		return request{}, malformed("the parameters could not be read")
	}
	members := make(map[string]any, len(parameters))
	for key, values := range parameters {
		if len(values) > 1 {
			return request{}, malformed("a parameter occurs twice")
		}
		switch key {
		case "variables", "extensions":
			if values[0] == "" {
				continue
			}
			if members[key], err = parseJSON(values[0], nesting); err != nil {
				return request{}, malformed(key + " was refused: " + err.Error())
			}
		default:
			members[key] = values[0]
		}
	}
	return requestOf(members)
}
