package gatewaytest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// Flat are the rows of a node in a table: its values by their paths. The list at unfold has a row for each element.
func Flat(node map[string]any, unfold string) (rows []map[string]string) {
	base, list := map[string]string{}, []map[string]string{}
	var walk func(into map[string]string, prefix string, value map[string]any)
	walk = func(into map[string]string, prefix string, value map[string]any) {
		for name, v := range value {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			switch v := v.(type) {
			case nil:
			case map[string]any:
				if name == "node" {
					path = prefix
				}
				walk(into, path, v)
			case []any:
				switch {
				case name == "_truncated":
					into[name] = joined(v)
				case prefix == unfold && (name == "nodes" || name == "edges"):
					for _, element := range v {
						row := map[string]string{}
						walk(row, prefix, element.(map[string]any))
						list = append(list, row)
					}
				case len(v) == 0:
				case isObject(v[0]):
					if name == "nodes" || name == "edges" {
						path = prefix
					}
					values := map[string][]any{}
					for _, element := range v {
						row := map[string]string{}
						walk(row, path, element.(map[string]any))
						for column, value := range row {
							values[column] = append(values[column], value)
						}
					}
					for column, all := range values {
						into[column] = joined(all)
					}
				default:
					into[path] = joined(v)
				}
			case json.Number:
				into[path] = v.String()
			default:
				into[path] = fmt.Sprint(v)
			}
		}
	}
	walk(base, "", node)
	if len(list) == 0 {
		return []map[string]string{base}
	}
	for _, row := range list {
		maps.Copy(row, base)
		rows = append(rows, row)
	}
	return rows
}

func isObject(value any) bool {
	_, is := value.(map[string]any)
	return is
}

// joined are the values of a list as their cell has them.
func joined(values []any) string {
	return strings.Join(backoffice.Map(values, func(value any) string { return fmt.Sprint(value) }), "; ")
}

// Number is the number of a workbook's cell that holds a number, a moment or a day.
func Number(text string) (float64, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			const until1970 = 25_569
			return until1970 + float64(at.UnixMilli())/86_400_000, nil
		}
	}
	return strconv.ParseFloat(text, 64)
}

// Tabled are the rows of a table by the names of its columns, without empty cells.
func Tabled(records [][]string) (rows []map[string]string) {
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, cell := range record {
			if cell != "" {
				row[records[0][i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Export is an export as a client gets it.
type Export struct {
	Status  int
	Body    string
	Header  http.Header
	Trailer http.Header
	Err     error // of reading the body
}

// Complete reports whether the export says that it is complete.
func (e Export) Complete() bool {
	return e.Status == http.StatusOK && e.Err == nil && e.Trailer.Get("Export-Status") == "complete"
}

// Code is the code of the first error.
func (e Export) Code() string {
	var answer struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if json.Unmarshal([]byte(e.Body), &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	return answer.Errors[0].Extensions.Code
}

// ExportServer serves the office on a socket: trailers and broken connections need one.
func (o *Office) ExportServer(t testing.TB) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(o.Handler)
	t.Cleanup(server.Close)
	return server
}

// NewExportRequest asks for the export of a query, with parameters such as "format=csv".
func NewExportRequest(t testing.TB, origin string, as [2]string, parameters, query string, variables json.RawMessage, header http.Header) *http.Request {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/graphql/export?"+parameters, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(auth.ClientIDHeader, as[0])
	r.Header.Set(auth.ClientSecretHeader, as[1])
	return r
}

// SendExport sends a request and reads the export whole.
func SendExport(t testing.TB, r *http.Request) (e Export) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return Export{Err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Export{Status: response.StatusCode, Body: string(body), Header: response.Header, Trailer: response.Trailer, Err: err}
}

// Export asks for an export and reads it whole.
func (o *Office) Export(t testing.TB, credential [2]string, parameters, query string) Export {
	t.Helper()
	return SendExport(t, NewExportRequest(t, o.ExportServer(t).URL, credential, parameters, query, nil, nil))
}

// SmallPages are limits under which an export reads a few rows at a time: 7 customers with scalar fields alone, at a
// cost of 9.
func SmallPages() limits.Settings {
	bounds := Limits()
	bounds.Cost = 12
	return bounds
}

// Lines are the lines of JSON Lines.
func (e Export) Lines() []string { return strings.Split(strings.TrimSuffix(e.Body, "\n"), "\n") }

// Paged is a store that calls BeforePage when an export is about to read a page, the first being 1.
type Paged struct {
	backoffice.Store
	Pages      atomic.Int64
	BeforePage func(page int64)
}

// BeginSnapshot calls BeforePage for the exports of the credential "test walker".
func (p *Paged) BeginSnapshot(ctx context.Context) backoffice.Snapshot {
	if l := auth.From(ctx); l != nil && l.Name == "test walker" {
		p.BeforePage(p.Pages.Add(1))
	}
	return p.Store.BeginSnapshot(ctx)
}

// Download sends a request with headers, given as names and values.
func (o *Office) Download(t testing.TB, as [2]string, method, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := NewRequest(t, as, method, path, body)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return o.Serve(r)
}

// Saves saves a query by GraphQL, and returns the codes and fields of its user errors.
func (o *Office) Saves(t testing.TB, credential [2]string, input map[string]any) (wrong []string) {
	t.Helper()
	const save = "mutation($input: SaveQueryInput!) { saveQuery(input: $input) { savedQuery { name title description document documentId requiredScopes cost } userErrors { code message field } } }"
	variables, err := json.Marshal(map[string]any{"input": input})
	if err != nil {
		t.Fatal(err)
	}
	status, body, _ := o.Ask(t, credential, save, variables, nil)
	var answer struct {
		Data struct {
			SaveQuery *struct {
				SavedQuery *struct{ DocumentID string }
				UserErrors []struct {
					Code, Message string
					Field         []string
				}
			}
		}
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%d %s", status, body)
	}
	if len(answer.Errors) > 0 {
		return []string{answer.Errors[0].Extensions.Code}
	}
	for _, e := range answer.Data.SaveQuery.UserErrors {
		wrong = append(wrong, e.Code+" "+strings.Join(e.Field, "."))
	}
	if (wrong == nil) != (answer.Data.SaveQuery.SavedQuery != nil) {
		t.Errorf("%s", body)
	}
	return wrong
}
