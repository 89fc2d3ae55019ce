package gateway

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/limits"
)

// exported is an export as a client gets it.
type exported struct {
	status  int
	body    string
	header  http.Header
	trailer http.Header
	err     error // of reading the body
}

// complete reports whether the client may take it for a whole.
func (e exported) complete() bool {
	return e.status == http.StatusOK && e.err == nil && e.trailer.Get("Export-Status") == "complete"
}

// code is that of the first error of a refusal.
func (e exported) code() string {
	var answer struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if json.Unmarshal([]byte(e.body), &answer) != nil || len(answer.Errors) == 0 {
		return ""
	}
	return answer.Errors[0].Extensions.Code
}

// exports is the office behind a real socket, as trailers and broken connections want it.
func (o *office) exports(t testing.TB) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(o.handler)
	t.Cleanup(server.Close)
	return server
}

// exportRequest is one for a document, with parameters such as "format=csv".
func exportRequest(t testing.TB, origin string, pair [2]string, parameters, query string, variables json.RawMessage, header http.Header) *http.Request {
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
	r.Header.Set(auth.ClientIDHeader, pair[0])
	r.Header.Set(auth.ClientSecretHeader, pair[1])
	return r
}

func sendExport(t testing.TB, r *http.Request) (e exported) {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return exported{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return exported{status: response.StatusCode, body: string(body), header: response.Header, trailer: response.Trailer, err: err}
}

// export asks for an export and reads it whole.
func (o *office) export(t testing.TB, pair [2]string, parameters, query string) exported {
	t.Helper()
	return sendExport(t, exportRequest(t, o.exports(t).URL, pair, parameters, query, nil, nil))
}

// smallPages are limits under which an export reads a few rows at a time: a page of 7 customers of which scalars
// alone are asked costs 9.
func smallPages() limits.Settings {
	bounds := unhurried()
	bounds.Cost = 12
	return bounds
}

// lines are those of JSON Lines.
func (e exported) lines() []string { return strings.Split(strings.TrimSuffix(e.body, "\n"), "\n") }

func TestAnExportHoldsTheWholeListAndTellsItsEnd(t *testing.T) {
	t.Parallel()
	for engine, database := range engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := openOfficeWith(t, database(t), smallPages())
			all := o.pair(t, backoffice.AllScopes...)
			for range 20 {
				o.makeCustomer(t)
			}
			const ordered = `(orderBy: {field: NAME})`
			var want []string
			for after, more := "", true; more; {
				var answer struct {
					Data struct {
						Customers struct {
							Nodes    []json.RawMessage
							PageInfo struct {
								HasNextPage bool
								EndCursor   string
							}
						}
					}
				}
				variables := json.RawMessage(`{}`)
				if after != "" {
					variables = json.RawMessage(`{"after": "` + after + `"}`)
				}
				_, body, _ := o.ask(t, all, `query($after: String) { customers(first: 5, after: $after, orderBy: {field: NAME}) { nodes { id displayName } pageInfo { hasNextPage endCursor } } }`, variables, nil)
				if err := json.Unmarshal(body, &answer); err != nil {
					t.Fatal(err)
				}
				for _, node := range answer.Data.Customers.Nodes {
					want = append(want, string(node))
				}
				after, more = answer.Data.Customers.PageInfo.EndCursor, answer.Data.Customers.PageInfo.HasNextPage
			}
			if len(want) < 27 {
				t.Fatalf("the list has %d rows", len(want))
			}
			whole := o.export(t, all, "format=jsonl", `{ customers`+ordered+` { totalCount nodes { id displayName } } }`)
			if diff := cmp.Diff(want, whole.lines()); diff != "" || !whole.complete() || whole.trailer.Get("Export-Rows") != strconv.Itoa(len(want)) {
				t.Errorf("%v: %s", whole, diff)
			}
			if _, n, err := backoffice.ParseChangeCursor(whole.header.Get("Changes-After")); err != nil || n < 20 {
				t.Errorf("Changes-After is %q", whole.header.Get("Changes-After"))
			}

			first := o.export(t, all, "format=jsonl&cursor=on", `query($n: Int = 17) { customers(first: $n, orderBy: {field: NAME}) { edges { cursor node { id displayName } } } }`)
			if len(first.lines()) != 17 || !first.complete() {
				t.Fatalf("%v", first)
			}
			var last struct {
				Cursor string `json:"_cursor"`
			}
			if err := json.Unmarshal([]byte(first.lines()[16]), &last); err != nil || last.Cursor == "" {
				t.Fatalf("%s %v", first.lines()[16], err)
			}
			rest := o.export(t, all, "format=jsonl&after="+last.Cursor, `{ customers`+ordered+` { nodes { id displayName } } }`)
			if diff := cmp.Diff(want[17:], rest.lines()); diff != "" || !rest.complete() {
				t.Errorf("behind the cursor: %s", diff)
			}
			for name, query := range map[string]string{
				"nobody": `{ customers(filter: {ids: []}) { nodes { id } } }`, "first of 0": `{ customers(first: 0) { nodes { id } } }`,
			} {
				if e := o.export(t, all, "format=csv", query); e.body != "id\r\n" || !e.complete() || e.trailer.Get("Export-Rows") != "0" {
					t.Errorf("%s: %v", name, e)
				}
			}
		})
	}
}

// oddNames are what spreadsheets and CSV get wrong.
var oddNames = []string{"=1+1", "@x", "Zon \"& Maan\"", "a;b,c", "+32 9", "-5", "0012", "Ünïcödé 😀"}

// makeOdd makes customers with them and returns their identifiers, a list of GraphQL.
func (o *office) makeOdd(t *testing.T) string {
	t.Helper()
	var ids []string
	for _, name := range oddNames {
		w := o.send(t, o.pair(t, backoffice.AllScopes...), http.MethodPost, "/customers", encoded(t, map[string]any{
			"type": "Company", "name": name, "language": "dutch", "addressFields": map[string]string{"postalCode": "01000"},
		}))
		var made struct {
			ID string `json:"_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || made.ID == "" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		ids = append(ids, made.ID)
	}
	return encoded(t, ids)
}

func TestTheFormatsOfAnExportAreAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	query := `query Odd { customers(filter: {ids: ` + o.makeOdd(t) + `}) { nodes { name ... on Customer { address { postalCode country } } kind: type version responsible { lastName } scopes } } }`
	for parameters, want := range map[string]string{
		"format=csv": "name,address.postalCode,address.country,kind,version,responsible.lastName,scopes\r\n" +
			"=1+1,01000,,COMPANY,1,,[]\r\n@x,01000,,COMPANY,1,,[]\r\n\"Zon \"\"& Maan\"\"\",01000,,COMPANY,1,,[]\r\n\"a;b,c\",01000,,COMPANY,1,,[]\r\n" +
			"+32 9,01000,,COMPANY,1,,[]\r\n-5,01000,,COMPANY,1,,[]\r\n0012,01000,,COMPANY,1,,[]\r\nÜnïcödé 😀,01000,,COMPANY,1,,[]\r\n",
		"format=csv&excel=on": "\uFEFFname;address.postalCode;address.country;kind;version;responsible.lastName;scopes\r\n" +
			"'=1+1;01000;;COMPANY;1;;[]\r\n'@x;01000;;COMPANY;1;;[]\r\n\"Zon \"\"& Maan\"\"\";01000;;COMPANY;1;;[]\r\n\"a;b,c\";01000;;COMPANY;1;;[]\r\n" +
			"'+32 9;01000;;COMPANY;1;;[]\r\n'-5;01000;;COMPANY;1;;[]\r\n0012;01000;;COMPANY;1;;[]\r\nÜnïcödé 😀;01000;;COMPANY;1;;[]\r\n",
	} {
		e := o.export(t, all, parameters, query)
		if diff := cmp.Diff(want, e.body); diff != "" || !e.complete() || e.header.Get("Content-Disposition") != `attachment; filename="Odd.csv"` {
			t.Errorf("%s: %v %s", parameters, e, diff)
		}
	}
	for media, kind := range map[string]string{
		"text/html, text/csv;q=0.5, application/jsonl;q=0.4": "text/csv; charset=utf-8",
		"application/jsonl": "application/jsonl; charset=utf-8",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	} {
		e := sendExport(t, exportRequest(t, o.exports(t).URL, all, "", query, nil, http.Header{"Accept": {media}}))
		if e.header.Get("Content-Type") != kind || !e.complete() {
			t.Errorf("%s: %v", media, e)
		}
	}
}

func TestANestedListIsUnfoldedAndTellsWhetherThereIsMore(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	all := o.pair(t, backoffice.AllScopes...)
	const query = `{ customers { nodes { id ...Of } } } fragment Of on Customer { relations(first: 2) { totalCount edges { direction otherCustomer { displayName } } } }`
	csv := o.export(t, all, "format=csv&rows=relations", query)
	const table = "id,relations.totalCount,relations.direction,relations.otherCustomer.displayName,_truncated\r\n" +
		"acme,4,OUTGOING,Els Van Damme,relations\r\nacme,4,OUTGOING,Els Van Damme,relations\r\n"
	if !strings.HasPrefix(csv.body, table) || !strings.Contains(csv.body, "\r\nduo,0,,,\r\n") || csv.trailer.Get("Export-Rows") != strconv.Itoa(strings.Count(csv.body, "\r\n")-1) {
		t.Errorf("%v", csv)
	}
	lines := o.export(t, all, "format=jsonl", query).lines()
	if want := `{"id":"acme","relations":{"totalCount":4,"edges":[{"direction":"OUTGOING","otherCustomer":{"displayName":"Els Van Damme"}},{"direction":"OUTGOING","otherCustomer":{"displayName":"Els Van Damme"}}]},"_truncated":["relations"]}`; lines[0] != want {
		t.Errorf("%s\nand should be\n%s", lines[0], want)
	}
	deep := o.export(t, all, "format=jsonl", `{ customers(first: 1) { nodes { id relations(last: 1) { nodes { id } edges { otherCustomer { all: relations(first: 1) { nodes { id } } } } } } } }`)
	if len(deep.lines()) != 1 || !strings.HasSuffix(deep.lines()[0], `"_truncated":["relations","relations.otherCustomer.all"]}`) {
		t.Errorf("%v", deep)
	}
	edges := o.export(t, all, "format=jsonl", `{ relations(first: 2) { edges { cursor direction node { id kind } } } }`)
	if len(edges.lines()) != 2 || !strings.HasPrefix(edges.lines()[0], `{"direction":"`) || !strings.Contains(edges.lines()[0], `,"id":"`) {
		t.Errorf("%v", edges)
	}
}

// take answers a request without a socket.
func (o *office) take(r *http.Request) *httptest.ResponseRecorder {
	return o.serve(r)
}
