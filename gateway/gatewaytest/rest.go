package gatewaytest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/backoffice/backoffice/evidence"
)

// RESTOperation is an operation of the OpenAPI document.
type RESTOperation struct {
	Method, Path string
	ID           string `json:"operationId"`
	Description  string
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

// OperationsOf are the operations of the OpenAPI document that an office serves.
func OperationsOf(t testing.TB, o *Office) (all []RESTOperation) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(o.Send(t, [2]string{}, http.MethodGet, "/openapi.json", "").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, text := range methods {
			of := RESTOperation{Method: strings.ToUpper(method), Path: path}
			if json.Unmarshal(text, &of) == nil && of.ID != "" {
				all = append(all, of)
			}
		}
	}
	slices.SortFunc(all, func(a, b RESTOperation) int { return strings.Compare(a.Path+a.Method, b.Path+b.Method) })
	return all
}

// notSent are the reading operations that comparisons leave out, each with what tests it.
var notSent = map[string]string{"listChanges": "the two stores have other logs: compared entry by entry"}

// REST compares the answers of every operation that reads.
func (w *Comparison) REST(t testing.TB, rounds int) {
	t.Helper()
	for range rounds {
		for _, of := range OperationsOf(t, w.Whole) {
			if of.Method == http.MethodGet && notSent[of.ID] == "" {
				w.get(t, of)
			}
		}
	}
}

// Path is a path of an operation, with values of the office's records.
func (w *Comparison) Path(of RESTOperation) string {
	path, query := of.Path, url.Values{}
	for _, p := range of.Parameters {
		var value string
		enum := p.Schema.Enum
		if len(enum) == 0 {
			enum = p.Schema.Items.Enum
		}
		switch kind := fmt.Sprint(p.Schema.Type); {
		case p.In == "path", strings.HasSuffix(strings.ToLower(p.Name), "id"), p.Name == "customer", p.Name == "responsible", p.Name == "checklist", p.Name == "year", p.Name == "transcript":
			value = w.Asker.ID(of.Path + "." + hintOf(of.Path, p.Name))
		case len(enum) > 0:
			value = fmt.Sprint(AnyOf(w.Asker.Rand, enum))
		case strings.Contains(kind, "integer"):
			value = fmt.Sprint(1 + w.Asker.IntN(4))
		case strings.Contains(kind, "boolean"):
			value = "true"
		case strings.Contains(p.Schema.Format, "date"), strings.HasSuffix(p.Name, "Since"):
			value = "2024-05-01T00:00:00.000Z"
		default:
			value = w.Asker.Text("." + p.Name)
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case "query":
			if p.Required || w.Asker.IntN(3) == 0 {
				query.Set(p.Name, value)
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

func (w *Comparison) get(t testing.TB, of RESTOperation) {
	t.Helper()
	path := w.Path(of)
	answer := func(o *Office, credential [2]string) string {
		r := o.Send(t, credential, http.MethodGet, path, "")
		header := r.Header().Clone()
		for _, name := range []string{"Date", "X-Request-Id"} {
			header.Del(name)
		}
		body := r.Body.Bytes()
		if header.Get("Content-Type") == "application/zip" {
			body = entriesOf(t, body)
		}
		return fmt.Sprint(r.Code, " ", header, "\n", Normal(body))
	}
	w.Same("GET "+path, answer(w.Whole, w.CredentialOfWhole), answer(w.Part, w.CredentialOfPart), false)
}

// ofAnotherLog are the entries of a pack of evidence that differ between two stores with the same records.
var ofAnotherLog = []string{evidence.ManifestName, evidence.SignatureName, "journal.txt", "consultations.pdf"}

// entriesOf are the entries of a pack of evidence, one after another.
func entriesOf(t testing.TB, pack []byte) (all []byte) {
	t.Helper()
	read, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range read.File {
		if slices.Contains(ofAnotherLog, entry.Name) {
			continue
		}
		content, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		all = fmt.Appendf(all, "%s: %s\n", entry.Name, text)
	}
	return all
}

// hintOf is the kind of an identifier in a path.
func hintOf(path, name string) string {
	switch {
	case strings.ToLower(name) != "id":
		return name
	case strings.HasPrefix(path, "/proposals"):
		return "calculation"
	}
	return ""
}

// DescribedOperation is the parameters, the body and the answers of an operation of the OpenAPI document.
type DescribedOperation struct {
	Parameters  []struct{ Name, In string }
	RequestBody struct{ Content map[string]any }
	Responses   map[string]struct{ Content map[string]any }
}

// PathOf is the path with an identifier in the place of each parameter.
func (of RESTOperation) PathOf(id string) string {
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllString(of.Path, id)
}
