package graphqlhttp

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"example.org/backoffice/backoffice"
)

type request struct {
	query         string
	documentID    string    // of a trusted document, in its one form; "" for none
	apollo        bool      // it came as Apollo's clients send it
	known         *document // already found
	operationName string
	variables     map[string]any

	queriesOnly bool // it came with GET or QUERY
	inBody      bool // and not in the address
	explain     explain
}

func malformed(message string) *RequestError { return unread(http.StatusBadRequest, message) }

func wrongMethod(allow string) *RequestError {
	const status = http.StatusMethodNotAllowed
	return &RequestError{unread(status, "the method is not allowed").errs, status, allow}
}

// MethodQuery is the method of a safe request with a body (RFC 10008).
const MethodQuery = "QUERY"

// read reads a request by GraphQL over HTTP: POST or QUERY with a JSON body, or GET with parameters, which end up in
// logs.
func (g *GraphQL) read(w http.ResponseWriter, r *http.Request) (request, *RequestError) {
	switch r.Method {
	case http.MethodPost, MethodQuery:
		if refused := checkContent(r.Header); refused != nil {
			return request{}, refused
		}
		text, refused := readBody(w, r, g.limits.Body)
		if refused != nil {
			return request{}, refused
		}
		asked, refused := parseBody(text, g.limits.Nesting)
		asked.inBody, asked.queriesOnly = true, r.Method == MethodQuery
		return asked, refused
	case http.MethodGet:
		asked, refused := parseParameters(r.URL.RawQuery, g.limits.Body, g.limits.Nesting)
		asked.queriesOnly = true
		return asked, refused
	}
	return request{}, wrongMethod("GET, POST, QUERY")
}

// checkContent rejects any body but JSON in UTF-8: a foreign page can send forms and plain texts without asking.
func checkContent(header http.Header) *RequestError {
	const wrong = "the body must be application/json in UTF-8, not compressed"
	encoding := strings.Join(header.Values("Content-Encoding"), ",")
	if encoding != "" && !strings.EqualFold(encoding, "identity") {
		return unread(http.StatusUnsupportedMediaType, wrong)
	}
	content := header.Get("Content-Type")
	if content == mediaJSON {
		return nil
	}
	if media, _, ok := parseMedia(content); !ok || media != mediaJSON {
		return unread(http.StatusUnsupportedMediaType, wrong)
	}
	return nil
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func readBody(w http.ResponseWriter, r *http.Request, limit int) (string, *RequestError) {
	if r.ContentLength > int64(limit) {
		return "", unread(http.StatusRequestEntityTooLarge, "the body is too large")
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		buffer.Reset()
		buffers.Put(buffer)
	}()
	if _, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, int64(limit))); err != nil {
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			return "", unread(http.StatusRequestEntityTooLarge, "the body is too large")
		}
		return "", malformed("the body could not be read")
	}
	return buffer.String(), nil
}

func parseBody(text string, nesting int) (request, *RequestError) {
	value, err := parseJSON(text, nesting)
	if err != nil {
		return request{}, malformed("the body was rejected: " + err.Error())
	}
	switch value := value.(type) {
	case *object:
		return requestOf(value.members)
	case []any:
		return request{}, malformed("the body is a list; send one operation at a time")
	}
	return request{}, malformed("the body is not a JSON object")
}

// requestOf rejects unknown keys: a misspelt "variables" would run an operation without them. A trusted document is
// named by documentId (GraphQL over HTTP), doc_id (Relay) or Apollo's extension.
func requestOf(members map[string]any) (request, *RequestError) {
	var q request
	var ids []string
	for key, value := range members {
		inner, ok := value.(*object)
		if inner == nil {
			inner = &object{}
		}
		switch key {
		case "query":
			q.query, ok = value.(string)
		case "documentId", "doc_id":
			var id string
			id, ok = value.(string)
			ids = append(ids, id)
		case "operationName":
			q.operationName, ok = value.(string)
		case "variables":
			q.variables = inner.members
		case "extensions": // without effect, except the one that replaces a query
			if persisted, there := inner.members["persistedQuery"]; there {
				q.apollo = true
				ids = append(ids, apolloHash(persisted))
			}
		default:
			return request{}, malformed("the request has keys other than query, documentId, doc_id, operationName, variables and extensions")
		}
		if !ok && value != nil {
			return request{}, malformed(key + " has the wrong type")
		}
	}
	for _, id := range ids {
		if id == "" {
			continue
		}
		id = backoffice.ParseDocumentID(id)
		if q.documentID != "" && id != q.documentID || len(id) > backoffice.MaxDocumentID {
			return request{}, malformed("the request has different document identifiers")
		}
		q.documentID = id
	}
	if q.query == "" && q.documentID == "" && !q.apollo {
		return request{}, malformed("query is missing")
	}
	return q, nil
}

// apolloHash is the digest in Apollo's extension, or "".
func apolloHash(persisted any) string {
	extension, ok := persisted.(*object)
	if !ok {
		return ""
	}
	hash, _ := extension.members["sha256Hash"].(string)
	return hash
}

func parseParameters(raw string, limit, nesting int) (request, *RequestError) {
	if len(raw) > limit {
		return request{}, unread(http.StatusRequestURITooLong, "the parameters are too long")
	}
	parameters, err := url.ParseQuery(raw)
	if err != nil {
		return request{}, malformed("the parameters could not be read")
	}
	members := make(map[string]any, len(parameters))
	for key, values := range parameters {
		if len(values) > 1 {
			return request{}, malformed("duplicate parameter")
		}
		if !utf8.ValidString(values[0]) {
			return request{}, malformed("the parameters are not UTF-8")
		}
		switch key {
		case "variables", "extensions":
			if values[0] == "" {
				continue
			}
			if members[key], err = parseJSON(values[0], nesting); err != nil {
				return request{}, malformed(key + " was rejected: " + err.Error())
			}
		default:
			members[key] = values[0]
		}
	}
	return requestOf(members)
}
