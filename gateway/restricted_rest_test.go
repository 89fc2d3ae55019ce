package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// restOperation is an operation of the OpenAPI document.
type restOperation struct {
	method, path string
	ID           string `json:"operationId"`
	Parameters   []struct {
		Name, In string
		Required bool
		Schema   struct {
			Type   any
			Enum   []any
			Format string
			Items  struct {
				Enum []any
				Type any
			}
		}
	}
}

func operationsOf(t testing.TB, o *office) (all []restOperation) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(o.send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, text := range methods {
			of := restOperation{method: strings.ToUpper(method), path: path}
			if json.Unmarshal(text, &of) == nil && of.ID != "" {
				all = append(all, of)
			}
		}
	}
	slices.SortFunc(all, func(a, b restOperation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

// notSent are reading operations that the comparison leaves out, each with where it is looked at.
var notSent = map[string]string{"listChanges": "the two stores have other logs: compared entry by entry"}

// rest compares the answers of every operation that reads.
func (w *two) rest(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, of := range operationsOf(t, w.whole) {
			if of.method == http.MethodGet && notSent[of.ID] == "" {
				w.get(t, of)
			}
		}
	}
}

// path is one of an operation, with values that are those of the office's records.
func (w *two) path(of restOperation) string {
	path, query := of.path, url.Values{}
	for _, p := range of.Parameters {
		var value string
		enum := p.Schema.Enum
		if len(enum) == 0 {
			enum = p.Schema.Items.Enum
		}
		switch kind := fmt.Sprint(p.Schema.Type); {
		case p.In == "path", strings.HasSuffix(strings.ToLower(p.Name), "id"), p.Name == "customer", p.Name == "responsible", p.Name == "checklist", p.Name == "year", p.Name == "transcript":
			value = w.ask.id(of.path + "." + hintOf(of.path, p.Name))
		case len(enum) > 0:
			value = fmt.Sprint(anyOf(w.ask.Rand, enum))
		case strings.Contains(kind, "integer"):
			value = fmt.Sprint(1 + w.ask.IntN(4))
		case strings.Contains(kind, "boolean"):
			value = "true"
		case strings.Contains(p.Schema.Format, "date"), strings.HasSuffix(p.Name, "Since"):
			value = "2024-05-01T00:00:00.000Z"
		default:
			value = w.ask.text("." + p.Name)
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case "query":
			if p.Required || w.ask.IntN(3) == 0 {
				query.Set(p.Name, value)
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (w *two) get(t testing.TB, of restOperation) {
	t.Helper()
	path := w.path(of)
	answer := func(o *office, pair [2]string) string {
		r := o.send(t, pair, http.MethodGet, path, "")
		header := r.Header().Clone()
		for _, name := range []string{"Date", "X-Request-Id"} {
			header.Del(name)
		}
		return fmt.Sprint(r.Code, " ", header, "\n", normal(r.Body.Bytes()))
	}
	w.same("GET "+path, answer(w.whole, w.pairOfWhole), answer(w.part, w.pairPart), false)
}

// hintOf is what an identifier in a path is of.
func hintOf(path, name string) string {
	switch {
	case strings.ToLower(name) != "id":
		return name
	case strings.HasPrefix(path, "/proposals"):
		return "calculation"
	}
	return ""
}
