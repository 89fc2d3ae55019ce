package exports

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
)

func TestAnExportHoldsTheWholeListAndTellsItsEnd(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenWith(t, database(t), gatewaytest.SmallPages())
			all := o.Credential(t, backoffice.AllScopes...)
			for range 20 {
				o.MakeCustomer(t)
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
				_, body, _ := o.Ask(t, all, `query($after: String) { customers(first: 5, after: $after, orderBy: {field: NAME}) { nodes { id displayName } pageInfo { hasNextPage endCursor } } }`, variables, nil)
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
			whole := o.Export(t, all, "format=jsonl", `{ customers`+ordered+` { totalCount nodes { id displayName } } }`)
			if diff := cmp.Diff(want, whole.Lines()); diff != "" || !whole.Complete() || whole.Trailer.Get("Export-Rows") != strconv.Itoa(len(want)) {
				t.Errorf("%v: %s", whole, diff)
			}
			if _, n, err := backoffice.ParseChangeCursor(whole.Header.Get("Changes-After")); err != nil || n < 20 {
				t.Errorf("Changes-After is %q", whole.Header.Get("Changes-After"))
			}

			first := o.Export(t, all, "format=jsonl&cursor=on", `query($n: Int = 17) { customers(first: $n, orderBy: {field: NAME}) { edges { cursor node { id displayName } } } }`)
			if len(first.Lines()) != 17 || !first.Complete() {
				t.Fatalf("%v", first)
			}
			var last struct {
				Cursor string `json:"_cursor"`
			}
			if err := json.Unmarshal([]byte(first.Lines()[16]), &last); err != nil || last.Cursor == "" {
				t.Fatalf("%s %v", first.Lines()[16], err)
			}
			rest := o.Export(t, all, "format=jsonl&after="+last.Cursor, `{ customers`+ordered+` { nodes { id displayName } } }`)
			if diff := cmp.Diff(want[17:], rest.Lines()); diff != "" || !rest.Complete() {
				t.Errorf("behind the cursor: %s", diff)
			}
			for name, query := range map[string]string{
				"nobody": `{ customers(filter: {ids: []}) { nodes { id } } }`, "first of 0": `{ customers(first: 0) { nodes { id } } }`,
			} {
				if e := o.Export(t, all, "format=csv", query); e.Body != "id\r\n" || !e.Complete() || e.Trailer.Get("Export-Rows") != "0" {
					t.Errorf("%s: %v", name, e)
				}
			}
		})
	}
}

// oddNames are what spreadsheets and CSV get wrong.
var oddNames = []string{"=1+1", "@x", "Zon \"& Maan\"", "a;b,c", "+32 9", "-5", "0012", "Ünïcödé 😀"}

// makeOddCustomers makes customers with them and returns their identifiers, a list of GraphQL.
func makeOddCustomers(t *testing.T, o *gatewaytest.Office) string {
	t.Helper()
	var ids []string
	for _, name := range oddNames {
		w := o.Send(t, o.Credential(t, backoffice.AllScopes...), http.MethodPost, "/customers", gatewaytest.JSON(t, map[string]any{
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
	return gatewaytest.JSON(t, ids)
}

func TestTheFormatsOfAnExportAreAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	query := `query Odd { customers(filter: {ids: ` + makeOddCustomers(t, o) + `}) { nodes { name ... on Customer { address { postalCode country } } kind: type version responsible { lastName } scopes } } }`
	for parameters, want := range map[string]string{
		"format=csv": "name,address.postalCode,address.country,kind,version,responsible.lastName,scopes\r\n" +
			"=1+1,01000,,COMPANY,1,,\r\n@x,01000,,COMPANY,1,,\r\n\"Zon \"\"& Maan\"\"\",01000,,COMPANY,1,,\r\n\"a;b,c\",01000,,COMPANY,1,,\r\n" +
			"+32 9,01000,,COMPANY,1,,\r\n-5,01000,,COMPANY,1,,\r\n0012,01000,,COMPANY,1,,\r\nÜnïcödé 😀,01000,,COMPANY,1,,\r\n",
		"format=csv&excel=on": "\uFEFFname;address.postalCode;address.country;kind;version;responsible.lastName;scopes\r\n" +
			"'=1+1;01000;;COMPANY;1;;\r\n'@x;01000;;COMPANY;1;;\r\n\"Zon \"\"& Maan\"\"\";01000;;COMPANY;1;;\r\n\"a;b,c\";01000;;COMPANY;1;;\r\n" +
			"'+32 9;01000;;COMPANY;1;;\r\n'-5;01000;;COMPANY;1;;\r\n0012;01000;;COMPANY;1;;\r\nÜnïcödé 😀;01000;;COMPANY;1;;\r\n",
	} {
		e := o.Export(t, all, parameters, query)
		if diff := cmp.Diff(want, e.Body); diff != "" || !e.Complete() || e.Header.Get("Content-Disposition") != `attachment; filename="Odd.csv"` {
			t.Errorf("%s: %v %s", parameters, e, diff)
		}
	}
	for media, kind := range map[string]string{
		"text/html, text/csv;q=0.5, application/jsonl;q=0.4": "text/csv; charset=utf-8",
		"application/jsonl": "application/jsonl; charset=utf-8",
		"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	} {
		e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, o.ExportServer(t).URL, all, "", query, nil, http.Header{"Accept": {media}}))
		if e.Header.Get("Content-Type") != kind || !e.Complete() {
			t.Errorf("%s: %v", media, e)
		}
	}
}

func TestNumbersForExcelHaveADecimalCommaAndComeBackThroughImport(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys}
	load := func(text string) (did importexport.Loaded) {
		path := filepath.Join(t.TempDir(), "transcripts.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		loaded, err := importer.Import(t.Context(), path)
		if err != nil || len(loaded) != 1 {
			t.Fatal(loaded, err)
		}
		return loaded[0]
	}
	const query = `{ transcripts { nodes { _id: id progressPercentage isCompleted customVariables } } }`
	first, _, _ := strings.Cut(o.Export(t, all, "format=jsonl", query).Lines()[0], ",")
	_, id, _ := strings.Cut(first, ":")
	load("_id,progressPercentage,customVariables\n" + id + `,40.25,"{""rate"":0.5}"`)
	plain, e := o.Export(t, all, "format=csv", query), o.Export(t, all, "format=csv&excel=on", query)
	if !strings.Contains(plain.Body, ",40.25,") || !strings.Contains(e.Body, `;40,25;`) || !strings.Contains(e.Body, `{""rate"":0.5}`) {
		t.Errorf("it exports %s", e.Body)
	}
	if did := load(e.Body); did.Unchanged != len(plain.Lines())-1 || did.Lines() != did.Unchanged {
		t.Errorf("come back, it did %+v", did)
	}
}

func TestANestedListIsUnfoldedAndTellsWhetherThereIsMore(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	const query = `{ customers { nodes { id ...Of } } } fragment Of on Customer { relations(first: 2) { totalCount edges { direction otherCustomer { displayName } } } }`
	csv := o.Export(t, all, "format=csv&rows=relations", query)
	const table = "id,relations.totalCount,relations.direction,relations.otherCustomer.displayName,_truncated\r\n" +
		"acme,4,OUTGOING,Els Van Damme,relations\r\nacme,4,OUTGOING,Els Van Damme,relations\r\n"
	if !strings.HasPrefix(csv.Body, table) || !strings.Contains(csv.Body, "\r\nduo,0,,,\r\n") || csv.Trailer.Get("Export-Rows") != strconv.Itoa(strings.Count(csv.Body, "\r\n")-1) {
		t.Errorf("%v", csv)
	}
	lines := o.Export(t, all, "format=jsonl", query).Lines()
	if want := `{"id":"acme","relations":{"totalCount":4,"edges":[{"direction":"OUTGOING","otherCustomer":{"displayName":"Els Van Damme"}},{"direction":"OUTGOING","otherCustomer":{"displayName":"Els Van Damme"}}]},"_truncated":["relations"]}`; lines[0] != want {
		t.Errorf("%s\nand should be\n%s", lines[0], want)
	}
	deep := o.Export(t, all, "format=jsonl", `{ customers(first: 1) { nodes { id relations(last: 1) { nodes { id } edges { otherCustomer { all: relations(first: 1) { nodes { id } } } } } } } }`)
	if len(deep.Lines()) != 1 || !strings.HasSuffix(deep.Lines()[0], `"_truncated":["relations","relations.otherCustomer.all"]}`) {
		t.Errorf("%v", deep)
	}
	edges := o.Export(t, all, "format=jsonl", `{ relations(first: 2) { edges { cursor direction node { id kind } } } }`)
	if len(edges.Lines()) != 2 || !strings.HasPrefix(edges.Lines()[0], `{"direction":"`) || !strings.Contains(edges.Lines()[0], `,"id":"`) {
		t.Errorf("%v", edges)
	}
}

// serveExport answers a request without a socket.
func serveExport(o *gatewaytest.Office, r *http.Request) *httptest.ResponseRecorder {
	return o.Serve(r)
}
