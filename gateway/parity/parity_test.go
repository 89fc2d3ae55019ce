package parity

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/demo"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// For the same data and credentials the two APIs never disagree. Each check makes four comparisons, so that
// -rapid.checks=2500 makes the ten thousand of a long run.
func TestTheFacesAgree(t *testing.T) {
	t.Parallel()
	for name, fresh := range gatewaytest.Engines {
		t.Run("on "+name, func(t *testing.T) {
			t.Parallel()
			f := openFaces(t, fresh(t))
			rapid.Check(t, func(r *rapid.T) {
				for range 4 {
					rapid.SampledFrom([]func(*rapid.T){
						f.customers, f.customers, f.searches, f.transcripts, f.checklists, f.minfin, f.users, f.relations, f.calculations, f.documents, f.plainLists, f.nested, f.objects, f.files, f.change, f.create,
					}).Draw(r, "what")(r)
				}
			})
		})
	}
}

// twoAPIs is a gateway over a demo office, with values that its filters can be drawn from.
type twoAPIs struct {
	t           *testing.T
	o           *gatewaytest.Office
	credentials map[string][2]string
	ids         []string // of all nouns, and of none
	pools       map[string][]string
}

const parityDay = 1_780_000_000_000

func openFaces(t *testing.T, database string) *twoAPIs {
	t.Helper()
	settings := gateway.Settings{Database: database, Files: gatewaytest.FilesLost(t), Keyset: gatewaytest.Path("testdata", "keyset.json")}
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := gatewaytest.ServeBackend(t, h, gatewaytest.Limits())
	made := demo.Demo{Store: h.Store, Files: h.Files, Keys: h.Keys, Customers: 60, Seed: 7, Now: time.UnixMilli(parityDay)}
	if err := made.Fill(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := &twoAPIs{t: t, o: o, pools: map[string][]string{}}
	f.credentials = map[string][2]string{"every scope": o.Credential(t, backoffice.AllScopes...), "no scope": o.Credential(t), "only writing": o.Credential(t, backoffice.CustomersWrite)}
	f.collect()
	return f
}

// collect reads the values that filters are drawn from, and adds some that nothing has.
func (f *twoAPIs) collect() {
	data, _ := f.graphql(f.credentials["every scope"], `{
		customers(first: 500) { nodes { id language email customerCode kboNumber scopes registrationNumber spouseRegistrationNumber displayName updatedAt responsible { id } documents(first: 2) { nodes { id } } relations(first: 2) { nodes { id } } } }
		transcripts(first: 500) { nodes { id updatedAt calculation { id } } }
		checklists(first: 500) { nodes { id language } } financialYears { nodes { id } }
		users { nodes { id email } } labels { nodes { id } } minfinDocuments(first: 500) { nodes { id documentType synchronisedAt } }
	}`, nil)
	f.pools["nothing"] = []string{"", "x", "nobody", "é", "0", "null", "a b", "%", "_", "'", "\"", "x y z", "2026-01-01"}
	var walk func(field string, value any)
	walk = func(field string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				walk(name, inner)
			}
		case []any:
			for _, inner := range value {
				walk(field, inner)
			}
		case string:
			if field == "id" {
				f.ids = append(f.ids, value)
			}
			f.pools[field] = append(f.pools[field], value)
		}
	}
	walk("", data)
	f.pools["registrationNumber"] = append(f.pools["registrationNumber"], f.pools["spouseRegistrationNumber"]...)
	f.pools["registrationNumber"] = append(f.pools["registrationNumber"], "91042112345", "91.04.21-123.45", "00000000000")
	f.ids = append(f.ids, "nobody", "x-1")
	for _, noun := range []string{"customers", "transcripts", "checklists", "users", "minfinDocuments"} {
		for _, node := range data[noun].(map[string]any)["nodes"].([]any) {
			node := node.(map[string]any)
			f.pools[noun] = append(f.pools[noun], node["id"].(string))
			if documents, ok := node["documents"].(map[string]any); ok {
				for _, document := range documents["nodes"].([]any) {
					f.pools["documents"] = append(f.pools["documents"], document.(map[string]any)["id"].(string))
				}
			}
		}
	}
	if len(f.ids) < 200 || len(f.pools["registrationNumber"]) < 5 || len(f.pools["documentType"]) == 0 {
		f.t.Fatalf("the demo has too little: %d identifiers", len(f.ids))
	}
}

// graphql asks the one API.
func (f *twoAPIs) graphql(by [2]string, query string, variables map[string]any) (data map[string]any, codes map[string]bool) {
	f.t.Helper()
	text, err := json.Marshal(variables)
	if err != nil {
		f.t.Fatal(err)
	}
	_, body, _ := f.o.Ask(f.t, by, query, text, nil)
	var answer struct {
		Data   map[string]any
		Errors []struct {
			Message    string
			Path       []any
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		f.t.Fatalf("%v\n%s", err, body)
	}
	codes = map[string]bool{}
	for _, e := range answer.Errors {
		codes[e.Extensions.Code] = true
	}
	return answer.Data, codes
}

// rest asks the other.
func (f *twoAPIs) rest(by [2]string, method, path string, body any) (status int, answer map[string]any, raw []byte) {
	f.t.Helper()
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			f.t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(context.Background(), method, path, &content)
	r.Header.Set(auth.ClientIDHeader, by[0])
	r.Header.Set(auth.ClientSecretHeader, by[1])
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	f.o.Handler.ServeHTTP(w, r)
	if strings.Contains(w.Header().Get("Content-Type"), "json") {
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			f.t.Fatalf("%s: %v\n%s", path, err, w.Body)
		}
	}
	return w.Code, answer, w.Body.Bytes()
}

// idsOf are the identifiers of a noun, with as many others.
func (f *twoAPIs) idsOf(noun string) []string {
	own := f.pools[noun+"s"]
	return append(append([]string{"nobody"}, own...), f.ids[:min(len(own)/4, len(f.ids))]...)
}

func (f *twoAPIs) credential(r *rapid.T) (name string, credential [2]string) {
	name = rapid.SampledFrom([]string{"every scope", "every scope", "no scope", "only writing"}).Draw(r, "pair")
	return name, f.credentials[name]
}

// agree fails with both answers when they differ.
func (f *twoAPIs) agree(r *rapid.T, about string, rest, graphql any) {
	if diff := cmp.Diff(rest, graphql); diff != "" {
		r.Fatalf("%s: REST (-) and GraphQL (+) differ:\n%s", about, diff)
	}
}

// filters gathers one filter for each API.
type filters struct {
	query   url.Values
	graphql map[string]any
	named   bool // the list can be ordered by name
}

// oneIn is true once in so many times. It asks for the upper end: rapid prefers the lower one.
func oneIn(r *rapid.T, times int, what string) bool {
	return rapid.SampledFrom(append(make([]bool, times-1), true)).Draw(r, what)
}

// one adds a filter, or not, with a value of a pool.
func (f *twoAPIs) one(r *rapid.T, into *filters, rest, graphql, pool string) {
	if !oneIn(r, 4, rest+"?") {
		return
	}
	from := f.pools[pool]
	if oneIn(r, 8, "nothing?") || len(from) == 0 {
		from = f.pools["nothing"]
	}
	value := rapid.SampledFrom(from).Draw(r, rest)
	into.query.Set(rest, value)
	into.graphql[graphql] = value
}

// words adds a filter with a fixed set of values: a word for REST, a name for GraphQL.
func (f *twoAPIs) words(r *rapid.T, into *filters, name string, words map[string]string) {
	if !oneIn(r, 4, name+"?") {
		return
	}
	word := rapid.SampledFrom(sortedKeys(words)).Draw(r, name)
	into.query.Set(name, word)
	into.graphql[name] = words[word]
}

// paged draws a page and compares the two lists.
func (f *twoAPIs) paged(r *rapid.T, by [2]string, path, field, filterType, selection string, chosen filters, show func(map[string]any) map[string]any) {
	page, pageSize := rapid.SampledFrom([]int{1, 1, 1, 1, 2, 3, 5, 0}).Draw(r, "page"), rapid.SampledFrom([]int{100, 20, 7, 2, 1, 500, 100, 20, 0, 501}).Draw(r, "pageSize")
	chosen.query.Set("page", strconv.Itoa(page))
	chosen.query.Set("pageSize", strconv.Itoa(pageSize))
	if chosen.named && rapid.Bool().Draw(r, "ordered") {
		by, direction := rapid.SampledFrom([]string{"name", "id"}).Draw(r, "orderBy"), rapid.SampledFrom([]string{"asc", "desc"}).Draw(r, "direction")
		chosen.query.Set("orderBy", by)
		chosen.query.Set("direction", direction)
		field += ":" + strings.ToUpper(by+" "+direction)
	}
	status, body, _ := f.rest(by, http.MethodGet, path+"?"+chosen.query.Encode(), nil)
	f.compare(r, by, path, field, filterType, selection, chosen.graphql, page, pageSize, status, body, show)
}

// compare holds a REST list against the GraphQL one.
func (f *twoAPIs) compare(r *rapid.T, by [2]string, about, field, filterType, selection string, filter map[string]any, page, pageSize, status int, body map[string]any, show func(map[string]any) map[string]any) {
	variables := map[string]any{"page": page, "pageSize": pageSize}
	declared, used := "", ""
	if filterType != "" {
		declared, used = ", $filter: "+filterType, ", filter: $filter"
		variables["filter"] = filter
	}
	field, order, ordered := strings.Cut(field, ":")
	if ordered {
		key, direction, _ := strings.Cut(order, " ")
		used += ", orderBy: {field: " + key + ", direction: " + direction + "}"
	}
	data, codes := f.graphql(by, "query($page: Int, $pageSize: Int"+declared+") { list: "+field+"(page: $page, pageSize: $pageSize"+used+") { totalCount nodes { "+selection+" } } }", variables)
	f.same(r, by, about, data["list"], codes, page, pageSize, status, body, show)
}

func (f *twoAPIs) mayAll(by [2]string) bool { return by == f.credentials["every scope"] }

func (f *twoAPIs) same(r *rapid.T, by [2]string, about string, list any, codes map[string]bool, page, pageSize, status int, body map[string]any, show func(map[string]any) map[string]any) {
	connection, _ := list.(map[string]any)
	if connection == nil {
		// Of two reasons, a scope that is missing and a value that cannot be, each API may tell the one it sees first.
		if status != http.StatusBadRequest && status != http.StatusForbidden || (status == http.StatusForbidden || codes["FORBIDDEN"]) && f.mayAll(by) {
			r.Fatalf("%s: REST answers %d %v, GraphQL is refused with %v", about, status, body, codes)
		}
		return
	}
	if status != http.StatusOK {
		r.Fatalf("%s: REST answers %d %v, GraphQL is served", about, status, body)
	}
	nodes := connection["nodes"].([]any)
	shown := make([]any, len(nodes))
	for i, node := range nodes {
		shown[i] = show(node.(map[string]any))
	}
	total := int(connection["totalCount"].(float64))
	f.agree(r, about, body["data"], any(shown))
	f.agree(r, about, body["total"], connection["totalCount"])
	f.agree(r, about, body["count"], float64(len(nodes)))
	last := max(1, (total+pageSize-1)/pageSize)
	if path := body["last_page"].(string); !strings.HasPrefix(path, "/") || !strings.HasSuffix(path, "page="+strconv.Itoa(last)+"&pageSize="+strconv.Itoa(pageSize)) {
		r.Fatalf("%s: %d in pages of %d, the last is %s", about, total, pageSize, path)
	}
}

// files compares what is downloaded with what GraphQL tells of it.
func (f *twoAPIs) files(r *rapid.T) {
	name, by := f.credential(r)
	kind := rapid.SampledFrom([]string{"transcript", "proposal", "document", "minfin"}).Draw(r, "kind")
	id := rapid.SampledFrom(f.idsOf(map[string]string{"transcript": "transcript", "proposal": "customer", "minfin": "minfinDocument", "document": "document"}[kind])).Draw(r, "id")
	path := map[string]string{
		"transcript": "/transcripts/download/" + id + "/file", "proposal": "/calculations/" + id + "/proposal/download",
		"document": "/customers/documents/" + id + "/download", "minfin": "/minfin/download/" + id,
	}[kind]
	field := map[string]string{"transcript": "transcript", "proposal": "customer", "document": "node", "minfin": "minfinDocument"}[kind]
	selection := map[string]string{
		"transcript": "file { size md5Hash contentType downloadPath }", "proposal": "file: calculationProposal { size md5Hash contentType downloadPath }",
		"document": "... on CustomerDocument { file { size md5Hash contentType downloadPath } }", "minfin": "file { size md5Hash contentType downloadPath }",
	}[kind]
	status, _, raw := f.rest(by, http.MethodGet, path, nil)
	data, codes := f.graphql(by, "query($id: ID!) { object: "+field+"(id: $id) { "+selection+" } }", map[string]any{"id": id})
	object, _ := data["object"].(map[string]any)
	file, _ := object["file"].(map[string]any)
	switch {
	case kind == "minfin" && name != "every scope":
		f.agree(r, path, []any{status, true}, []any{http.StatusForbidden, codes["FORBIDDEN"]})
	case file == nil:
		f.agree(r, path, status, http.StatusNotFound)
	default:
		sum := md5.Sum(raw)
		f.agree(r, path, []any{status, float64(len(raw)), base64.StdEncoding.EncodeToString(sum[:])}, []any{http.StatusOK, file["size"], file["md5Hash"]})
		_, _, signed := f.rest([2]string{}, http.MethodGet, file["downloadPath"].(string), nil)
		f.agree(r, "the signed path", string(signed), string(raw))
	}
}
